"""Tries to read the memory, environment and open files of the grader."""
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


class Piece(ctypes.Structure):
    _fields_ = [("start", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def NextMove(Grid, Step):
    grader = os.getppid()
    threads = ["/proc/%d/task/%s/mem" % (grader, thread) for thread in os.listdir("/proc/%d/task" % grader)]
    for path in ["/proc/%d/mem" % grader, "/proc/%d/environ" % grader, "/proc/%d/maps" % grader] + threads:
        try:
            open(path, "rb").read(1)
        except PermissionError:
            continue
        raise RuntimeError("%s is open" % path)
    for name in ("fd", "cwd", "exe", "root"):
        try:
            os.listdir("/proc/%d/fd" % grader) if name == "fd" else os.readlink("/proc/%d/%s" % (grader, name))
        except PermissionError:
            continue
        raise RuntimeError("%s is open" % name)
    buffer = ctypes.create_string_buffer(1)
    ours, theirs = Piece(ctypes.addressof(buffer), 1), Piece(ctypes.addressof(buffer), 1)
    for call in (libc.process_vm_readv, libc.process_vm_writev):
        if call(grader, ctypes.byref(ours), 1, ctypes.byref(theirs), 1, 0) != -1 or ctypes.get_errno() != 1:
            raise RuntimeError("its memory can be read")
    return 4
