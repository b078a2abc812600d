"""The four directions."""

from __future__ import annotations

from enum import IntEnum

from ._native import parse_direction


class Direction(IntEnum):
    """The direction in which tiles slide. The order is the same everywhere: in values, masks and actions.

    Wherever a direction is taken, its number (``3``) or a word (``"left"``, ``"l"``) will do too.
    """

    UP = 0
    RIGHT = 1
    DOWN = 2
    LEFT = 3

    @classmethod
    def _missing_(cls, value: object) -> Direction | None:
        if isinstance(value, str):
            return cls(parse_direction(value))
        return None
