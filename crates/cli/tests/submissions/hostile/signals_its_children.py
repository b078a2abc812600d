"""Not hostile: a submission may end its own children."""
import os
import signal
import time


def NextMove(Grid, Step):
    child = os.fork()
    if child == 0:
        time.sleep(10_000)
    os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)
    return 4 if Step == 8 else Step % 4
