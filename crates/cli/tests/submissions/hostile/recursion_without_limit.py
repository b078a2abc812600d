import sys

sys.setrecursionlimit(10 ** 9)


def NextMove(Grid, Step):
    nest = []
    for _ in range(10 ** 6):
        nest = [nest]
    return len(repr(nest))
