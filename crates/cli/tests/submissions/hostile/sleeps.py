import time


def NextMove(Grid, Step):
    time.sleep(10_000)
