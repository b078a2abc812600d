import itertools


def NextMove(Grid, Step):
    return max(code for code in itertools.count() if code < 0)
