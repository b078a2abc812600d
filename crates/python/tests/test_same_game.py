"""Games in Python are the games of the command `lab2048`, move by move, and follow the rules."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from lab2048 import Direction, Game

LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+_"
DIRECTIONS = {"U": Direction.UP, "R": Direction.RIGHT, "D": Direction.DOWN, "L": Direction.LEFT}
Rows = list[list[int]]


def slid_left(row: list[int]) -> tuple[list[int], int]:
    tiles = [tile for tile in row if tile]
    made, reward = [], 0
    while tiles:
        tile = tiles.pop(0)
        if tiles and tiles[0] == tile:
            tile += tiles.pop(0)
            reward += tile
        made.append(tile)
    return made + [0] * (len(row) - len(made)), reward


def slid(rows: Rows, direction: Direction) -> tuple[Rows, int]:
    """A slow, independent implementation of sliding."""
    if direction in (Direction.UP, Direction.DOWN):
        columns = [list(column) for column in zip(*rows)]
        turned, reward = slid(columns, Direction.LEFT if direction is Direction.UP else Direction.RIGHT)
        return [list(row) for row in zip(*turned)], reward
    step = 1 if direction is Direction.LEFT else -1
    lines = [slid_left(row[::step]) for row in rows]
    return [line[::step] for line, _ in lines], sum(reward for _, reward in lines)


@pytest.mark.parametrize(
    ("size", "games", "rules"),
    [
        ("2x2", 200, "original"),
        ("3x3", 200, "original"),
        ("2x5", 100, "original"),
        ("4x4", 350, "original"),
        ("4x4", 50, "course"),
        ("5x5", 90, "original"),
        ("8x3", 10, "original"),
    ],
)
def test_games_are_those_of_the_command(
    lab2048_bin: str, tmp_path: Path, size: str, games: int, rules: str
) -> None:
    save = tmp_path / "game.2048"
    command = [lab2048_bin, "watch", "random", "--every", "0", "--seed", "1", "--games", str(games)]
    subprocess.run(
        [*command, "--size", size, "--rules", rules, "--save", str(save)], check=True, stdout=subprocess.DEVNULL
    )
    for number in range(1, games + 1):
        path = save if number == 1 else tmp_path / f"game-{number}.2048"
        _, head, *lines = path.read_text().splitlines()
        header = json.loads(head)
        game = Game(size, seed=header["seed"], rules=rules)  # type: ignore[arg-type]
        rows: Rows = game.board.tolist()
        assert rows == header["start"]
        cols, score = len(rows[0]), 0
        for action, cell, rank in map(tuple, " ".join(lines[:-1]).split()):
            direction = DIRECTIONS[action]
            assert direction in game.legal_moves()
            turn = game.play(direction)
            row, col = divmod(LETTERS.index(cell), cols)
            assert turn.spawn == (row, col, 2 ** LETTERS.index(rank))
            rows, reward = slid(rows, direction)
            rows[row][col] = 2 ** LETTERS.index(rank)
            score += reward
            assert game.board.tolist() == rows and turn.reward == reward
        assert game.score == score == header["score"]
        assert game.is_over and game.ending == header["ending"]
