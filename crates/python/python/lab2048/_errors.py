"""The exceptions of the package. Their messages come from the engine."""

from __future__ import annotations


class Error(Exception):
    """The base class of all errors of the package."""


class InvalidInput(Error, ValueError):
    """A board, size, direction, spec or the content of a file is not valid."""


class IllegalMove(Error, ValueError):
    """The game or board does not allow this action. Nothing has changed."""


class PlayerFailed(Error, RuntimeError):
    """A player cannot be built, cannot play this game, or gave no answer."""


class ReplayFault(Error, ValueError):
    """A replay is not valid: a step is impossible, or its score or ending is wrong."""
