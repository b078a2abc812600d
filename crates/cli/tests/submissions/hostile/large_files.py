SIZE = 400
"""Files of which each is small enough, but not all of them together."""
import time


def NextMove(Grid, Step):
    for number in range(SIZE // 40):
        with open("large-%d" % number, "wb") as file:
            for _ in range(40):
                file.write(bytes(1 << 20))
    # Where the grader has to look, it looks now.
    time.sleep(1)
    return 4
