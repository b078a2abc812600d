"""Hides large files in a folder that cannot be listed."""
import os
import time


def NextMove(Grid, Step):
    os.mkdir("hidden", 0o300)
    for number in range(10):
        with open("hidden/%d" % number, "wb") as file:
            for _ in range(40):
                file.write(bytes(1 << 20))
    # Time for the grader to measure the folder, if it has to.
    time.sleep(1)
    return 4
