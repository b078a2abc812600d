"""Not hostile: a submission may think with several processes."""
import multiprocessing
import os


def worth(code):
    return (os.getpid() != 0, -code)


pool = multiprocessing.Pool(2)


def NextMove(Grid, Step):
    return 4 if Step == 4 else max(range(4), key=pool.map(worth, range(4)).__getitem__)
