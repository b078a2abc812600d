"""The calls of a second set of numbers, and of other machines, must not be a way round."""
import ctypes
import platform

libc = ctypes.CDLL(None, use_errno=True)


def NextMove(Grid, Step):
    if platform.machine() == "x86_64":
        getpid, kill = 0x40000000 + 39, 0x40000000 + 62
        for call in (getpid, kill):
            # Without the grader's word the system would say that there is no such call, or obey.
            if libc.syscall(call, -1, 0) != -1 or ctypes.get_errno() != 1:
                raise RuntimeError("call %d was not refused" % call)
    return 4
