SIZE = 400
"""Files that are small enough one by one, but too large together."""
import time


def NextMove(Grid, Step):
    for number in range(SIZE // 40):
        with open("large-%d" % number, "wb") as file:
            for _ in range(40):
                file.write(bytes(1 << 20))
    # Time for the grader to measure the folder, if it has to.
    time.sleep(1)
    return 4
