import threading
import time


def forever():
    while True:
        time.sleep(0.1)


def NextMove(Grid, Step):
    if Step == 1:
        for _ in range(5):
            threading.Thread(target=forever).start()
    return 4 if Step == 8 else Step % 4
