"""Neither its memory nor its files are too large, but both together are."""
import time

held = []


def NextMove(Grid, Step):
    with open("file", "wb") as file:
        for _ in range(160):
            file.write(bytes(1 << 20))
    held.append(b"x" * (120 << 20))
    # Until the grader has looked.
    while True:
        time.sleep(0.01)
