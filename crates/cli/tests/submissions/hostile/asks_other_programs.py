"""A program outside, asked over its socket, could do what is refused here."""
import os
import socket


def NextMove(Grid, Step):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        try:
            socket.socket(socket.AF_UNIX, kind)
        except PermissionError:
            continue
        raise RuntimeError("there are sockets")
    # One of a pair of these could send to others too.
    for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW):
        try:
            socket.socketpair(socket.AF_UNIX, kind)
        except PermissionError:
            continue
        raise RuntimeError("there are datagrams")
    # Its own children it may talk to.
    ours, theirs = socket.socketpair()
    ours.send(b"x")
    return 4 if theirs.recv(1) == b"x" else 5
