"""A signal handler that raises at any point of the runner."""
import signal


def handler(number, frame):
    raise RuntimeError("time for tea")


signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.05, 0.001)


def NextMove(Grid, Step):
    while True:
        pass
