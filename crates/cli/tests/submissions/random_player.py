"""Plays at random, from a fixed start of the generator: the same games in every grading."""
import random
from typing import List

generator = random.Random(2048)


def NextMove(Grid: List[List[int]], Step: int) -> int:
    return generator.randrange(4)
