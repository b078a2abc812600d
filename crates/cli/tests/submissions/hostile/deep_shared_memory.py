SIZE = 400
"""Files in shared memory whose paths exceed the length limit."""
import os


def NextMove(Grid, Step):
    os.chdir("/dev/shm")
    for number in range(40):
        name = "lab2048-hostile-%d" % number + "x" * 150
        os.mkdir(name)
        os.chdir(name)
    for number in range(SIZE // 40):
        with open(str(number), "wb") as file:
            for _ in range(40):
                file.write(bytes(1 << 20))
    return 4
