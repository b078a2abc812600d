"""Checks that the environment is clean and that there is no terminal."""
import os
import sys


def NextMove(Grid, Step):
    allowed = {"PATH", "HOME", "TMPDIR", "LANG", "PYTHONHASHSEED", "LC_CTYPE"}
    if set(os.environ) - allowed:
        raise RuntimeError(sorted(set(os.environ) - allowed))
    if sorted(os.listdir(".")) != ["search.py"] or os.getcwd() != os.environ["HOME"]:
        raise RuntimeError(os.listdir("."))
    try:
        os.open("/dev/tty", os.O_RDWR)
    except OSError:
        return 4
    raise RuntimeError("a terminal")
