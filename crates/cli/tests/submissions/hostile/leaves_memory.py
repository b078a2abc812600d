"""Creates shared memory, messages and semaphores that outlive the process."""
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
CREATE = 0o1000 | 0o600
EPERM = 1


def NextMove(Grid, Step):
    attempts = {
        "shmget": lambda: libc.shmget(20480000 + Step, 1 << 20, CREATE),
        "msgget": lambda: libc.msgget(20480000 + Step, CREATE),
        "semget": lambda: libc.semget(20480000 + Step, 1, CREATE),
        "memfd_create": lambda: libc.memfd_create(b"left", 0),
    }
    for name, attempt in attempts.items():
        if attempt() != -1 or ctypes.get_errno() != EPERM:
            raise RuntimeError("%s was not refused" % name)
    return 4
