SIZE = 400
"""Unlinked files in shared memory, which no listing shows."""
import os

files = []


def NextMove(Grid, Step):
    for number in range(SIZE // 40):
        path = "/dev/shm/lab2048-hostile-%d" % number
        files.append(open(path, "wb", buffering=0))
        os.unlink(path)
        for _ in range(40):
            files[-1].write(bytes(1 << 20))
    return 4
