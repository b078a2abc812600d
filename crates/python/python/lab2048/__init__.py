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
    Decision,
    Game,
    Motion,
    Outcome,
    Player,
    Record,
    Replay,
    Turn,
    __version__,
    arena,
    players,
)
from ._register import register_when_imported as _register_when_imported
from ._types import Difference, Failure, Interval, Summary, TileRate

__all__ = [
    "Afterstate",
    "ArenaResult",
    "Batch",
    "Board",
    "Decision",
    "Difference",
    "Direction",
    "Error",
    "Failure",
    "Game",
    "IllegalMove",
    "Interval",
    "InvalidInput",
    "Motion",
    "Outcome",
    "Player",
    "PlayerFailed",
    "Record",
    "Replay",
    "ReplayFault",
    "Summary",
    "TileRate",
    "Turn",
    "__version__",
    "arena",
    "players",
]

_register_when_imported()
