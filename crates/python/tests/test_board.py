from __future__ import annotations

import copy
import itertools
import json
import pickle
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lab2048 import Board, Direction, Error, IllegalMove, InvalidInput

ROWS = [[2, 2, 4, 0], [0, 0, 0, 0], [0, 0, 8, 0], [0, 0, 0, 2]]


def test_every_form_is_the_same_board() -> None:
    board = Board(ROWS)
    assert board == Board(np.array(ROWS)) == Board(np.array(ROWS, dtype=np.uint16)) == Board(board)
    assert board == Board("2 2 4 0/0 0 0 0/0 0 8 0/0 0 0 2") == Board("1120000000300001") == Board(board.text("json"))
    assert board == Board(np.array(ROWS, dtype=np.float64)) == Board([[float(cell) for cell in row] for row in ROWS])
    assert list(board) == [row for row in board] == ROWS and list(board.slide("left")[0])[0] == [4, 4, 0, 0]
    with pytest.raises(InvalidInput, match="^row 1, column 1: '2.5' is not a whole number"):
        Board(np.array([[2.5, 0.0], [0.0, 2.0]]))
    assert board == Board([[2, 2, 4, None], [None] * 4, (0, 0, 8, 0), [0, 0, 0, 2]])
    assert board == Board("2 2 4 0 0 0 0 0 0 0 8 0 0 0 0 2", size=4) == Board("2,2,4,0,0,0,0,0,0,0,8,0,0,0,0,2")
    assert board == Board("0x1120000000300001") == Board(str(np.array(ROWS))) == Board(json.dumps({"grid": ROWS}))
    cells = [[{"position": {"x": x, "y": y}, "value": ROWS[y][x]} if ROWS[y][x] else None for y in range(4)] for x in range(4)]
    assert board == Board(json.dumps({"grid": {"size": 4, "cells": cells}, "score": 4, "over": False}))
    assert board.tolist() == ROWS
    assert np.array_equal(np.asarray(board), np.array(ROWS))
    assert np.asarray(board, dtype=np.int32).dtype == np.int32
    with pytest.raises(ValueError, match="copied"):
        board.__array__(copy=False)
    assert board.ranks().tolist() == [[1, 1, 2, 0], [0] * 4, [0, 0, 3, 0], [0, 0, 0, 1]]
    assert eval(repr(board), {"Board": Board}) == board
    assert str(board).split() == "2 2 4 . . . . . . . 8 . . . . 2".split()


class Four:
    """A custom number type."""

    def __index__(self) -> int:
        return 4


class Frame:
    """A custom type that numpy can read but that is not an array, like data frames."""

    def __array__(self, dtype: object = None, copy: object = None) -> NDArray[np.int64]:
        return np.array([[4, 2], [0, 0]])


def test_everything_that_python_takes_as_a_whole_number_is_a_cell() -> None:
    # These lines also pass the type checker, so the stubs accept what the code accepts.
    board = Board("4 2/0 0")
    assert board == Board([[Four(), 2], [0, 0]]) == Board([[np.float32(4), np.uint8(2)], [np.bool_(False), np.int64(0)]])
    assert board == Board(Frame()) == Board(([4, 2], (cell for cell in (0, Fraction(0)))))
    assert board == Board(np.array([[4, 2], [0, 0]], dtype=np.float32)) == Board([np.array([4.0, 2.0]), [Decimal(0), 0.0]])
    after, _ = Board("2 2/0 0").slide("left")
    assert Board(after) == Board("4 0/0 0")
    with pytest.raises(InvalidInput, match="^row 1, column 1: '2.5' is not a whole number"):
        Board([[np.float32(2.5), 0], [0, 2]])


def test_exceptions_of_custom_objects_are_passed_on() -> None:
    class Mine:
        def __iter__(self) -> Iterator[list[int]]:
            raise KeyError("mine")

    class Cell:
        def __index__(self) -> int:
            raise ZeroDivisionError("mine too")

    with pytest.raises(KeyError, match="mine"):
        Board(Mine())
    with pytest.raises(KeyError, match="mine"):
        Board([Mine()])  # type: ignore[list-item]
    with pytest.raises(ZeroDivisionError, match="mine too"):
        Board([[Cell(), 2], [0, 0]])


def test_endless_input_is_refused_at_once() -> None:
    # Otherwise it would be collected until the memory is full.
    with pytest.raises(InvalidInput, match=r"^a board of 1x\(more than 8\) is not possible: both sides must be from 2 to 8$"):
        Board([itertools.repeat(2)])
    with pytest.raises(InvalidInput, match=r"^a board of \(more than 8\)x2 is not possible"):
        Board(itertools.repeat([2, 2]))
    with pytest.raises(InvalidInput, match="^a board of 2x20 is not possible"):
        Board([[2] * 20] * 2)
    with pytest.raises(InvalidInput, match="^a board of 30x3 is not possible"):
        Board([[2] * 3] * 30)

    class Huge(np.ndarray[Any, np.dtype[np.int64]]):
        def tolist(self) -> Any:
            raise AssertionError("it is converted")

    with pytest.raises(InvalidInput, match="^a board of 5000x5000 is not possible"):
        Board(np.ones((5000, 5000), dtype=np.int64).view(Huge))


def test_boards_are_values() -> None:
    board = Board(ROWS)
    assert pickle.loads(pickle.dumps(board)) == board == copy.deepcopy(board)
    assert {board: 1}[Board(ROWS)] == 1
    assert board != Board("2 2/0 0") and board != "2 2/0 0"


def test_properties_of_a_board() -> None:
    board = Board(ROWS)
    assert (board.size, board.largest, board.tile_sum, board.empty_count) == ((4, 4), 8, 18, 11)
    assert board[0, 2] == 4 and board[-1, -1] == 2
    with pytest.raises(IndexError, match="no row 4, column 0"):
        board[4, 0]
    whole_row: Any = 0
    with pytest.raises(TypeError, match="^a cell is named by its row and its column"):
        board[whole_row]
    assert board.legal_moves() == [Direction.UP, Direction.RIGHT, Direction.DOWN, Direction.LEFT]
    assert Board("2 4/4 2").is_over and Board("2 4/4 2").legal_moves() == []
    huge = Board([[2**63, 0], [0, 2**64 - 1]])
    assert huge.largest == 2**64 - 1 and huge.tile_sum == 2**64 + 2**63 - 1


def test_slides_and_spawns() -> None:
    after, reward = Board(ROWS).slide("left")
    assert reward == 4
    assert after.tolist() == [[4, 4, 0, 0], [0] * 4, [8, 0, 0, 0], [2, 0, 0, 0]]
    assert np.asarray(after).tolist() == after.tolist() and after[0, 0] == 4
    spawns = after.spawns()
    assert len(spawns) == 2 * after.empty_count == 2 * len(after.empty_cells())
    assert sum(spawn.probability for spawn in spawns) == pytest.approx(1)
    first = spawns[0]
    assert (first.row, first.col, first.tile, first.board) == (0, 2, 2, after.spawn(0, 2, 2))
    assert {spawn.tile for spawn in after.spawns(four=0)} == {2}
    assert spawns == Board(ROWS).slide("left")[0].spawns() and spawns[0] != spawns[1]
    assert set(Board(ROWS).motions("left")) == set(Board(ROWS).motions(Direction.LEFT))
    motions = [motion for motion in Board(ROWS).motions(Direction.LEFT) if motion.merged]
    assert [(motion.start, motion.end, motion.tile) for motion in motions] == [((0, 0), (0, 0), 2), ((0, 1), (0, 0), 2)]


def test_mistakes_are_sentences() -> None:
    def sentence(cells: object, size: object = None) -> str:
        with pytest.raises(InvalidInput) as error:
            Board(cells, size)  # type: ignore[arg-type]
        return str(error.value)

    assert sentence([[2, 0], [0, -4]]) == "row 2, column 2: -4 is negative"
    assert sentence([[2, 0], [0]]) == "row 2 has 1 cell, but row 1 has 2"
    assert sentence([[2, 0], [0, 2**64]]).startswith("row 2, column 2: 18446744073709551616 is too large")
    assert sentence([[2, 0], [0, 2**200]]).endswith("the largest tile is 18446744073709551615")
    assert sentence([[2, 0], [0, 2.5]]) == "row 2, column 2: '2.5' is not a whole number"
    assert sentence(np.zeros((3, 3), dtype=int)) == "the board has no tiles"
    assert sentence("2 0 0 x/0 0 0 0") == "row 1, column 4: 'x' is not a whole number"
    assert sentence([[2, 0], [0, 0]], (3, 3)) == "the board is 2x2, but it must be 3x3"
    assert sentence([[2] * 9] * 9).startswith("a board of 9x9 is not possible")
    assert sentence(np.ones((1, 4, 4), dtype=int)) == "an array of shape (1, 4, 4) is not a board: a board has rows and columns"
    assert sentence([[2, 0], [0, 10**5000]]) == "row 2, column 2: 'a number of 16610 bits' is not a whole number"
    assert "lone surrogates" in sentence("2 0/\ud800 0")
    assert issubclass(InvalidInput, ValueError) and issubclass(InvalidInput, Error)
    for nothing in (7, np.int64(7), None):
        with pytest.raises(TypeError, match="^a board is a text or rows of numbers$"):
            Board(nothing)  # type: ignore[arg-type]
    after, _ = Board("2 2/0 0").slide("left")
    with pytest.raises(IllegalMove, match="^a tile 2 cannot appear at row 0, column -2: the cell holds a 4$"):
        after.spawn(0, -2, 2)
    with pytest.raises(IllegalMove, match="^0 is not a tile"):
        after.spawn(1, 1, 0)
    with pytest.raises(InvalidInput, match="^18446744073709551616 is not a whole number from 0 to"):
        after.spawn(1, 1, 2**64)
    with pytest.raises(IllegalMove, match="^up does not change the board$"):
        Board("2 4/0 0").slide(0)
    with pytest.raises(InvalidInput, match="powers of two up to 32768"):
        Board("2 4/0 0").text("hex")
    with pytest.raises(InvalidInput, match="the tile 3 is not a power of two"):
        Board("3 4/0 0").ranks()


def test_directions_are_numbers_and_words() -> None:
    assert [direction.name for direction in Direction] == ["UP", "RIGHT", "DOWN", "LEFT"]
    assert Direction("left") is Direction("L") is Direction(3) is Direction.LEFT  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="'sideways' is not a direction"):
        Direction("sideways")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="4 is not a direction: 0 up, 1 right, 2 down, 3 left"):
        Board(ROWS).slide(4)
    for number in (10**30, -(10**30)):
        with pytest.raises(InvalidInput, match=f"^{number} is not a direction"):
            Board(ROWS).slide(number)
    for wrong in (4, -1, 10**30, None):
        with pytest.raises(InvalidInput, match="is not a direction: 0 up, 1 right, 2 down, 3 left$"):
            Direction(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="lone surrogates"):
        Board(ROWS).slide("\ud800")
    with pytest.raises(TypeError):
        Board(ROWS).slide(None)  # type: ignore[arg-type]


def test_a_direction_is_shown_by_its_name() -> None:
    left = Direction.LEFT
    assert (str(left), f"{left}", f"{left:>6}", "%s" % left) == ("LEFT", "LEFT", "  LEFT", "LEFT")
    assert (f"{left:d}", f"{left:02d}", "%d" % left, int(left), left == 3) == ("3", "03", "3", 3, True)
