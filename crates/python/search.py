"""The player of the course assignment: ``from search import NextMove``.

``NextMove(Grid, Step)`` answers 0 up, 1 down, 2 left, 3 right, 4 quit. The moves come from the
package ``lab2048``: a search with its network, or with its hand-made evaluator if the network
cannot be used.

Ten games must end within 40 minutes on any machine, so the time is planned during play. Every move
gets its share of the remaining time, and the deepest search that fits is used; the time of each
depth is measured. A game is quit only if the later games would not fit otherwise. The plan assumes
the conditions of the course: after ten games another ten start with new time, and the plan uses 25
minutes, so a time limit below that is too short.
"""

from __future__ import annotations

import time
from collections import deque
from statistics import fmean, median, median_low
from typing import Callable, Deque, Dict, List, Optional

from lab2048 import Direction, IllegalMove, Player, PlayerFailed

#: The grader's codes, in the order of Direction: up, right, down, left.
CODES = {Direction.UP: 0, Direction.DOWN: 1, Direction.LEFT: 2, Direction.RIGHT: 3}
QUIT = 4

GAMES = 10
#: The planned time of all games, and the time after which games are quit, in seconds. The limit is
#: 2,400.
PLANNED = 1500.0
LATEST = 2200.0
#: The first guess of the moves in a game: one that ends with a tile of 32768.
USUAL_MOVES = 16000.0
#: The least part of the usual length that a game is assumed to have left, because any game may be
#: the long one.
STILL_TO_COME = 0.25

DEEPEST = 6
#: How many times longer a search takes with each further move of depth, until it has been measured.
GROWTH = 12.0
#: The weight of a new measurement against the earlier ones.
NEWNESS = 0.05
#: The limit of a measurement, as a multiple of the expected time: the machine may have stood still.
SPIKE = 10.0
#: The number of moves, over all games, from which on times are known well enough.
FEW = 5
#: The factor by which the measured times of deeper searches shrink with every move. Without it, one
#: slow search could rule out its depth for ever.
FADING = 0.999


def build(depth: int) -> Player:
    """The player with this search depth."""
    try:
        return Player(f"ntuple:depth={depth}")
    except PlayerFailed:
        return Player(f"expectimax:depth={depth}")


class Usual:
    """The usual time of something that is measured again and again.

    A machine that stands still or is busy for some hundred moves says nothing about later moves. So
    the longest measurements of every block are left out, and the result is the median of the last
    blocks. Delays that come back regularly still count.
    """

    BLOCK = 100
    LEFT_OUT = 3
    BLOCKS = 20

    def __init__(self) -> None:
        self.seconds = 0.0
        self.block: List[float] = []
        self.means: Deque[float] = deque(maxlen=self.BLOCKS)

    def add(self, seconds: float) -> None:
        """Adds a measurement."""
        self.block.append(seconds)
        if len(self.block) == self.BLOCK:
            self.means.append(fmean(sorted(self.block)[: -self.LEFT_OUT]))
            self.block.clear()
            self.seconds = median(self.means)
        elif not self.means:
            self.seconds = median_low(self.block)


class Pace:
    """Plans the time of ten games, from the clock and from measured times."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.start_over()

    def start_over(self) -> None:
        """Starts a new set of ten games."""
        self.started = self.game_started = self.clock()
        self.game = 0
        self.moves = 0
        self.finished_moves = 0
        self.times: Dict[int, float] = {}
        self.between = Usual()
        self.fastest = Usual()
        self.answered: Optional[float] = None

    def begin_game(self) -> None:
        """Starts the next game; after ten games, a new set."""
        if self.game >= GAMES:
            self.start_over()
        self.finished_moves += self.moves
        self.game += 1
        self.moves = 0
        self.game_started = self.clock()
        self.answered = None

    def asked(self) -> None:
        """Starts a move. The time since the last answer was not ours, but it counts too."""
        if self.answered is not None:
            self.between.add(self.clock() - self.answered)
        self.moves += 1

    def measured(self, depth: int, seconds: float) -> None:
        """Adds the time of a search."""
        # A deeper search is an upper bound for the time of the fastest one.
        self.fastest.add(seconds if depth == 1 else min(seconds, self.expected(1)))
        before, likely = self.times.get(depth), self.expected(depth)
        if likely > 0.0:
            seconds = min(seconds, SPIKE * likely)
        self.times[depth] = seconds if before is None else before + NEWNESS * (seconds - before)
        for deeper in range(depth + 1, DEEPEST + 1):
            if deeper in self.times:
                self.times[deeper] *= FADING
        self.answered = self.clock()

    def usual_moves(self) -> float:
        """The expected length of a game. Every finished game counts as much as the first guess."""
        return (USUAL_MOVES + self.finished_moves) / self.game

    def allowance(self) -> float:
        """The time for the next search, in seconds."""
        usual = self.usual_moves()
        here = max(usual - self.moves, STILL_TO_COME * usual)
        left = self.started + PLANNED - self.clock()
        return left / (here + (GAMES - self.game) * usual) - self.between.seconds

    def expected(self, depth: int) -> float:
        """The time of a search with this depth, measured or estimated from the depth below."""
        if depth in self.times or depth == 1:
            return self.times.get(depth, 0.0)
        return GROWTH * self.expected(depth - 1)

    def depth(self) -> int:
        """The deepest search that fits, at most one deeper than any that was measured."""
        allowance = self.allowance()
        known = max(self.times, default=0)
        fitting = [depth for depth in range(1, min(known + 1, DEEPEST) + 1) if self.expected(depth) <= allowance]
        return max(fitting, default=1)

    def must_quit(self) -> bool:
        """Whether to quit because the later games would not fit, even with the fastest search.

        Every game may use its fair share of the remaining time, however slow the machine is.
        """
        if self.finished_moves + self.moves <= FEW:
            return False
        to_come = GAMES - self.game
        end = self.started + LATEST
        need = to_come * self.usual_moves() * (self.fastest.seconds + self.between.seconds)
        fair = self.game_started + (end - self.game_started) / (to_come + 1)
        return self.clock() > max(end - need, fair)


class Search:
    """Answers moves with the search that the pace allows."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, player: Callable[[int], Player] = build) -> None:
        self.pace = Pace(clock)
        self.clock = clock
        self.player = player
        self.players: Dict[int, Player] = {}
        self.other: Optional[Player] = None

    def any_player(self) -> Player:
        """A player that can play any board."""
        if self.other is None:
            self.other = Player("auto")
        return self.other

    def next_move(self, grid: List[List[int]], step: int) -> int:
        """The grader's code of the move on a grid. Step 1 starts a game."""
        pace = self.pace
        if step == 1 or pace.game == 0:
            pace.begin_game()
        pace.asked()
        if pace.must_quit():
            return QUIT
        depth = pace.depth()
        if depth not in self.players:
            self.players[depth] = self.player(depth)
        began = self.clock()
        try:
            direction = self.players[depth].best(grid).direction
        except IllegalMove:
            # No move is possible: the game was already over.
            return QUIT
        except PlayerFailed:
            # The network does not know these tiles, so use the player for any board.
            direction = self.any_player().best(grid).direction
        pace.measured(depth, self.clock() - began)
        return QUIT if direction is None else CODES[direction]


_search = Search()


def NextMove(Grid: List[List[int]], Step: int) -> int:
    """The next move on a grid of tiles (0 is an empty cell): 0 up, 1 down, 2 left, 3 right, 4 quit."""
    return _search.next_move(Grid, Step)
