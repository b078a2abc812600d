"""Plays at random with a fixed seed, so that every grading has the same games."""
import random
from typing import List

generator = random.Random(2048)


def NextMove(Grid: List[List[int]], Step: int) -> int:
    return generator.randrange(4)
