import sys


def NextMove(Grid, Step):
    sys.exit("enough")
