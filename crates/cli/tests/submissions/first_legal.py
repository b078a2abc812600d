"""Plays the first direction that changes the board: left, down, right, up."""
from typing import List


def slides_left(row: List[int]) -> bool:
    return any(b and (a == 0 or a == b) for a, b in zip(row, row[1:]))


def NextMove(Grid: List[List[int]], Step: int) -> int:
    columns = [list(column) for column in zip(*Grid)]
    for code, rows in ((2, Grid), (1, [c[::-1] for c in columns]), (3, [r[::-1] for r in Grid]), (0, columns)):
        if any(slides_left(row) for row in rows):
            return code
    return 4
