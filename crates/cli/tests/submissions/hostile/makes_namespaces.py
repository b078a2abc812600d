"""Creates namespaces, in which it could mount file systems without limits."""
import ctypes
import os
import platform
import signal

libc = ctypes.CDLL(None, use_errno=True)
EPERM, ENOSYS = 1, 38
# clone(2): NEWUSER, NEWNS, NEWPID, NEWNET, NEWIPC, NEWUTS, NEWCGROUP.
FLAGS = [0x10000000, 0x00020000, 0x20000000, 0x40000000, 0x08000000, 0x04000000, 0x02000000]
# System call numbers, which Python does not name.
CLONE = {"x86_64": 56, "aarch64": 220}[platform.machine()]
CLONE3 = 435


def call(number, *arguments):
    result = libc.syscall(number, *arguments)
    if result == 0:
        # The call created a child, which must exit.
        os._exit(0)
    return result


def clone(flag):
    return call(CLONE, ctypes.c_ulong(flag | signal.SIGCHLD), None, None, None, None)


def clone3(flag):
    # The first version of struct clone_args has 8 fields; exit_signal is the fifth.
    fields = (ctypes.c_uint64 * 8)(flag, 0, 0, 0, signal.SIGCHLD, 0, 0, 0)
    return call(CLONE3, ctypes.byref(fields), ctypes.c_size_t(ctypes.sizeof(fields)))


def check(name, result, refusal):
    if result != -1 or ctypes.get_errno() != refusal:
        raise RuntimeError("%s was not refused" % name)


def NextMove(Grid, Step):
    check("setns", libc.setns(0, 0), EPERM)
    check("mount", libc.mount(b"none", b".", b"tmpfs", 0, None), EPERM)
    for flag in FLAGS:
        check("unshare %#x" % flag, libc.unshare(flag), EPERM)
        check("clone %#x" % flag, clone(flag), EPERM)
        check("clone3 %#x" % flag, clone3(flag), ENOSYS)
    return 4
