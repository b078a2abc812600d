"""A detached process: only its user and its parent link it to the submission."""
import subprocess
import sys


def NextMove(Grid, Step):
    if Step == 1:
        command = [sys.executable, "-c", "import time; time.sleep(10000)"]
        subprocess.Popen(command, start_new_session=True, cwd="/", env={})
    return 4 if Step == 8 else Step % 4
