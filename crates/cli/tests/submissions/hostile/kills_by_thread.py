"""Signals the threads of the grader: a signal to any thread reaches the process."""
import ctypes
import os
import signal

libc = ctypes.CDLL(None, use_errno=True)
EPERM = 1


def NextMove(Grid, Step):
    grader = os.getppid()
    for thread in map(int, os.listdir("/proc/%d/task" % grader)):
        # Signal 0 only tests whether a signal could be sent.
        for number in (0, signal.SIGKILL):
            try:
                os.kill(thread, number)
            except PermissionError:
                continue
            raise RuntimeError("thread %d could be killed" % thread)
        information = ctypes.create_string_buffer(128)
        if libc.sigqueue(thread, 0, None) == 0 or ctypes.get_errno() != EPERM:
            raise RuntimeError("thread %d could be sent a value" % thread)
        if libc.sched_setaffinity(thread, 128, information) == 0 or ctypes.get_errno() != EPERM:
            raise RuntimeError("thread %d could be moved" % thread)
    return 4
