import os


def NextMove(Grid, Step):
    while True:
        os.write(4, b"9" * 65536)
