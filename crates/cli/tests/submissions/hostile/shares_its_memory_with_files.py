"""Memory and files that are each below the limit, but not together."""
import time

held = []


def NextMove(Grid, Step):
    with open("file", "wb") as file:
        for _ in range(160):
            file.write(bytes(1 << 20))
    held.append(b"x" * (120 << 20))
    # Wait until the grader notices.
    while True:
        time.sleep(0.01)
