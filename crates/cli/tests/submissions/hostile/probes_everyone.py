"""Probes other processes with signal 0 and other calls, which must all be refused."""
import os
import resource


def NextMove(Grid, Step):
    grader = os.getppid()
    attempts = [
        lambda: os.kill(-1, 0),
        lambda: os.kill(grader, 0),
        lambda: os.killpg(os.getpgid(grader), 0),
        lambda: resource.prlimit(grader, resource.RLIMIT_CPU, (1, 1)),
        lambda: os.setpriority(os.PRIO_PROCESS, grader, 19),
        lambda: os.sched_setaffinity(grader, {0}),
    ]
    if hasattr(os, "pidfd_open"):
        attempts.append(lambda: os.pidfd_open(grader))
    for number, attempt in enumerate(attempts):
        try:
            attempt()
        except PermissionError:
            continue
        raise RuntimeError("attempt %d was not refused" % number)
    return 4
