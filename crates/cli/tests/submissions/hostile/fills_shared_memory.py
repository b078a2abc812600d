"""Fills files in shared memory, which belong to no process."""


def NextMove(Grid, Step):
    for number in range(4):
        with open("/dev/shm/lab2048-hostile-%d" % number, "wb") as file:
            for _ in range(100):
                file.write(bytes(1 << 20))
    while True:
        pass
