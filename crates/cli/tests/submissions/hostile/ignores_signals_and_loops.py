import signal

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass


def NextMove(Grid, Step):
    while True:
        signal.pause()
