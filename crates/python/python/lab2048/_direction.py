"""The four directions."""

from __future__ import annotations

from enum import IntEnum

from ._errors import InvalidInput
from ._native import parse_direction

#: Format codes that ask for a number.
_NUMBER_FORMATS = tuple("bcdoxXneEfFgG%")


class Direction(IntEnum):
    """The direction in which tiles slide. Values, masks and actions are in this order.

    Every function that takes a direction also takes its number (``3``) or a word (``"left"``,
    ``"l"``). As text a direction is its name; a format for numbers (``f"{direction:d}"``) gives its
    number.
    """

    UP = 0
    RIGHT = 1
    DOWN = 2
    LEFT = 3

    @classmethod
    def _missing_(cls, value: object) -> Direction:
        if isinstance(value, str):
            return cls(parse_direction(value))
        raise InvalidInput(f"{value!r} is not a direction: 0 up, 1 right, 2 down, 3 left")

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return int.__format__(self, spec) if spec[-1:] in _NUMBER_FORMATS else format(self.name, spec)
