"""Tries system calls by their x32 numbers, which must be refused too."""
import ctypes
import platform

libc = ctypes.CDLL(None, use_errno=True)


def NextMove(Grid, Step):
    if platform.machine() == "x86_64":
        getpid, kill = 0x40000000 + 39, 0x40000000 + 62
        for call in (getpid, kill):
            # Without the sandbox the call would succeed or fail with ENOSYS instead of EPERM.
            if libc.syscall(call, -1, 0) != -1 or ctypes.get_errno() != 1:
                raise RuntimeError("call %d was not refused" % call)
    return 4
