"""Looks for other submissions and tries to read and to end whatever it can find."""
import os
import time

# The folder of the class, from the path of the temporary folder in it.
HUNTED = os.environ["HOME"].split("/tmp/lab2048-grade-")[0] + "/hunted"

open("here", "w").close()
open("/dev/shm/here-%d" % os.getpid(), "w").close()


def look():
    # Files in every folder that submissions share.
    above = os.path.dirname(os.path.dirname(os.path.dirname(os.getcwd())))
    for top in ["/dev/shm", above]:
        for folder, _, names in os.walk(top):
            for name in names:
                if name in ("search.py", "here") and folder != os.getcwd():
                    raise RuntimeError("found %s in %s" % (name, folder))
                if name.startswith("here-") and name != "here-%d" % os.getpid():
                    raise RuntimeError("found %s in %s" % (name, folder))
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        for file in ["environ", "maps", "mem", "cwd/search.py", "root" + os.getcwd() + "/search.py"]:
            try:
                text = open("/proc/%s/%s" % (name, file), "rb").read(1)
            except OSError:
                continue
            if text and file != "maps":
                raise RuntimeError("read %s of %s" % (file, name))
        for act in (
            lambda: os.kill(int(name), 9),
            lambda: os.kill(-int(name), 9),
            lambda: os.sched_setaffinity(int(name), [0]),
            lambda: os.setpriority(os.PRIO_PROCESS, int(name), 19),
        ):
            try:
                act()
            except OSError:
                continue
            raise RuntimeError("disturbed %s" % name)


def NextMove(Grid, Step):
    while not os.path.exists(HUNTED):
        look()
        time.sleep(0.01)
    return 4
