import os
import sys


def NextMove(Grid, Step):
    if Step == 1:
        piece = "x" * (1 << 24)
        for _ in range(32):
            sys.stdout.write(piece)
            os.write(2, piece.encode())
    return 4 if Step == 8 else Step % 4
