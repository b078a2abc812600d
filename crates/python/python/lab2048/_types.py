"""The dictionaries in the results of contests, reviews and pictures."""

from __future__ import annotations

from typing import Literal, TypedDict


class Interval(TypedDict):
    """A 95% confidence interval."""

    low: float
    high: float


class TileRate(TypedDict):
    """How often a tile or a larger one was reached."""

    tile: int
    games: int
    rate: float
    interval: Interval


class Failure(TypedDict):
    """A game in which the player failed."""

    seed: int
    error: str


class Summary(TypedDict):
    """The statistics of a player's games."""

    player: str
    games: int
    mean: float
    interval: Interval | None
    median: float
    deviation: float
    error: float
    best: int
    best_seed: int
    worst: int
    mean_largest: float
    mean_sum: float
    mean_moves: float
    moves_per_second: float | None
    tiles: list[TileRate]
    ends: dict[str, int]
    failure: Failure | None


class Difference(TypedDict):
    """The difference between two players over the games that both played."""

    first: str
    second: str
    pairing: Literal["paired", "unpaired"]
    games: int
    mean: float
    deviation: float
    error: float
    interval: Interval | None
    better: str | None


class GradeTally(TypedDict):
    """The moves of one grade in a review."""

    moves: int
    loss: float


class Animated(TypedDict):
    """A summary of a written GIF."""

    pictures: int
    moves: int
    score: int
    width: int
    height: int
