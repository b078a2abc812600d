SIZE = 400
"""Files in shared memory without names, which nobody finds by looking."""
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
