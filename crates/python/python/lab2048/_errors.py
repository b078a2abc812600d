"""The exceptions of the package. Their text is the engine's sentence about what is wrong."""

from __future__ import annotations


class Error(Exception):
    """Any mistake that the package reports."""


class InvalidInput(Error, ValueError):
    """Something that was given is not possible: a board, a size, a direction, a spec, a file's content."""


class IllegalMove(Error, ValueError):
    """The game, or the board, does not take this action; nothing has changed."""


class PlayerFailed(Error, RuntimeError):
    """A player cannot be had, cannot play this game, or gave no answer."""


class ReplayFault(Error, ValueError):
    """A replay that does not hold: a step is impossible, or its figures are not those of its steps."""
