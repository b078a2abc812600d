"""Opens sockets of every family."""
import socket


def NextMove(Grid, Step):
    for family in range(64):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
            try:
                socket.socket(family, kind)
            except PermissionError:
                continue
            raise RuntimeError("there are sockets of family %d" % family)
    return 4
