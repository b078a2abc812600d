"""Leaves files outside its folder, for the next submission to find."""
import os

PLACES = ["/tmp", "/var/tmp", "/dev/shm", os.path.dirname(os.environ["HOME"])]


def NextMove(Grid, Step):
    for place in PLACES:
        try:
            with open(os.path.join(place, "lab2048-hostile-file"), "w") as file:
                file.write("I was here")
            os.mkdir(os.path.join(place, "lab2048-hostile-folder"))
        except OSError:
            pass
    with open("notes", "w") as file:
        file.write("its own folder is its own")
    with open(os.devnull, "w") as file:
        file.write("and nowhere is everybody's")
    return 4
