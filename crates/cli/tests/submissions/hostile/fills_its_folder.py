"""Creates so many files that removing them takes a while."""
import os

for folder in range(100):
    os.mkdir("many-%d" % folder)
    for number in range(400):
        open("many-%d/%d" % (folder, number), "w").close()
os.mkdir("done")


def NextMove(Grid, Step):
    while True:
        pass
