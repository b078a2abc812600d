"""Locks and changes the parent folders of its own, to disturb the next submission."""
import os

ATTEMPTS = {
    "chmod": lambda folder: os.chmod(folder, 0),
    "fchmodat": lambda folder: os.chmod(os.path.basename(folder), 0, dir_fd=os.open(os.path.dirname(folder), os.O_RDONLY)),
    "chown": lambda folder: os.chown(folder, os.getuid(), os.getgid()),
    "utime": lambda folder: os.utime(folder, (0, 0)),
    "setxattr": lambda folder: os.setxattr(folder, "user.hostile", b"I was here"),
}


def NextMove(Grid, Step):
    folder = os.getcwd()
    for _ in range(2):
        folder = os.path.dirname(folder)
        for name, attempt in ATTEMPTS.items():
            try:
                attempt(folder)
            except OSError:
                continue
            raise RuntimeError("%s was not refused" % name)
    return 4
