"""Connects to other programs over sockets: they could do what is forbidden here."""
import os
import socket


def NextMove(Grid, Step):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        try:
            socket.socket(socket.AF_UNIX, kind)
        except PermissionError:
            continue
        raise RuntimeError("there are sockets")
    # A pair of datagram sockets could also send to other sockets.
    for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW):
        try:
            socket.socketpair(socket.AF_UNIX, kind)
        except PermissionError:
            continue
        raise RuntimeError("there are datagrams")
    # Talking to its own children is allowed.
    ours, theirs = socket.socketpair()
    ours.send(b"x")
    return 4 if theirs.recv(1) == b"x" else 5
