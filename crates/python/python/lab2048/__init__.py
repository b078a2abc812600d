"""A laboratory for the game 2048.

Boards are exact. A game is determined by its rules and its seed. Players are named by a spec.

>>> from lab2048 import Board, Direction, Game, Player
>>> board = Board([[2, 2, 4, 0], [0, 0, 0, 0], [0, 0, 8, 0], [0, 0, 0, 2]])
>>> after, reward = board.slide(Direction.LEFT)
>>> reward
4
>>> [(outcome.tile, outcome.probability) for outcome in after.spawns()][:2]
[(2, 0.075), (4, 0.008333333333333333)]
>>> game = Game(seed=7)
>>> Player("greedy").play(game)
'no-moves'

A Python function plays in the arena beside other players.

>>> from lab2048 import arena
>>> def corner(board):
...     return min(board.legal_moves(), key=[Direction.LEFT, Direction.DOWN, Direction.RIGHT, Direction.UP].index)
>>> result = arena([corner, "greedy"], games=50)
>>> result.differences[0]["first"], result.differences[0]["better"]
('python:name=corner', 'greedy')

Small boards and endgames are solved exactly.

>>> import lab2048
>>> table = lab2048.solve("2x3")
>>> round(table.start, 4), table.judge("2 4 2/0 0 2").best
(480.2583, <Direction.UP: 0>)

With Gymnasium (``pip install 'lab2048[gym]'``), importing both packages, in any order, registers
``lab2048/Game-v0``. See ``lab2048.gym``.
"""

from __future__ import annotations

from ._direction import Direction
from ._errors import Error, IllegalMove, InvalidInput, PlayerFailed, ReplayFault
from ._native import (
    Afterstate,
    ArenaResult,
    Batch,
    Board,
    Bot,
    Decision,
    Exact,
    Game,
    JudgedMove,
    Motion,
    Outcome,
    Player,
    Record,
    Replay,
    Review,
    Table,
    Turn,
    __version__,
    arena,
    gif,
    players,
    review,
    solve,
    tables,
)
from ._register import register_when_imported as _register_when_imported
from ._types import Animated, Difference, Failure, GradeTally, Interval, Summary, TileRate

__all__ = [
    "Afterstate",
    "Animated",
    "ArenaResult",
    "Batch",
    "Board",
    "Bot",
    "Decision",
    "Difference",
    "Direction",
    "Error",
    "Exact",
    "Failure",
    "Game",
    "GradeTally",
    "IllegalMove",
    "Interval",
    "InvalidInput",
    "JudgedMove",
    "Motion",
    "Outcome",
    "Player",
    "PlayerFailed",
    "Record",
    "Replay",
    "ReplayFault",
    "Review",
    "Summary",
    "Table",
    "TileRate",
    "Turn",
    "__version__",
    "arena",
    "gif",
    "players",
    "review",
    "solve",
    "tables",
]

_register_when_imported()
