"""The player of the course's assignment: ``from search import NextMove``.

``NextMove(Grid, Step)`` answers 0 up, 1 down, 2 left, 3 right, 4 quit. The moves are those of the package ``lab2048``: its
network under a search, or its hand-made evaluation where no network is built in.

Ten games have to end within 40 minutes on any machine, so the time is planned as it goes: every move may take its share of
what is left, and of the searches of different depth, whose times are measured, the deepest that fits is asked. A game is quit
only if the games after it would otherwise not fit. These are the conditions of the course: after ten games another ten begin, with
time of their own, and 25 minutes are planned with, so less time than that for ten games is too little.
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
#: The time of all games that is planned with, in seconds, and the time after which games are quit; the limit is 2,400.
PLANNED = 1500.0
LATEST = 2200.0
#: The moves that a game is expected to have until games have shown it: one that ends with a tile of 32768.
USUAL_MOVES = 16000.0
#: A game has at least this part of its usual length still before it: nobody knows which one will be the long one.
STILL_TO_COME = 0.25

DEEPEST = 6
#: A search one move deeper takes about so many times as long, until it has been measured.
GROWTH = 12.0
#: How much a new measurement of a time counts against those before it.
NEWNESS = 0.05
#: A search that takes far longer than was expected, because the machine stood still, counts as one of so many times its expected time.
SPIKE = 10.0
#: After so many moves of all games something is known about their times.
FEW = 5
#: What was measured of a deeper search is trusted less with every move, so that one slow search does not rule it out for ever.
FADING = 0.999


def build(depth: int) -> Player:
    """The player that looks so many moves ahead."""
    try:
        return Player(f"ntuple:depth={depth}")
    except PlayerFailed:
        return Player(f"expectimax:depth={depth}")


class Usual:
    """What something usually takes. A machine that stands still for a while, or is busy for some hundred moves, says nothing
    about the moves to come: the time is gone, and that is all.

    Of every block of measurements the longest are left out, so that what comes back regularly still counts, and of the last
    blocks the median is taken.
    """

    BLOCK = 100
    LEFT_OUT = 3
    BLOCKS = 20

    def __init__(self) -> None:
        self.seconds = 0.0
        self.block: List[float] = []
        self.means: Deque[float] = deque(maxlen=self.BLOCKS)

    def add(self, seconds: float) -> None:
        """It has taken so long once more."""
        self.block.append(seconds)
        if len(self.block) == self.BLOCK:
            self.means.append(fmean(sorted(self.block)[: -self.LEFT_OUT]))
            self.block.clear()
            self.seconds = median(self.means)
        elif not self.means:
            self.seconds = median_low(self.block)


class Pace:
    """Plans the time of ten games, by the clock and by what was measured."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.start_over()

    def start_over(self) -> None:
        """Ten games begin."""
        self.started = self.game_started = self.clock()
        self.game = 0
        self.moves = 0
        self.finished_moves = 0
        self.times: Dict[int, float] = {}
        self.between = Usual()
        self.fastest = Usual()
        self.answered: Optional[float] = None

    def begin_game(self) -> None:
        """The next game begins; after ten of them another ten."""
        if self.game >= GAMES:
            self.start_over()
        self.finished_moves += self.moves
        self.game += 1
        self.moves = 0
        self.game_started = self.clock()
        self.answered = None

    def asked(self) -> None:
        """A move is asked for: what lies between two moves is not ours, but it takes time too."""
        if self.answered is not None:
            self.between.add(self.clock() - self.answered)
        self.moves += 1

    def measured(self, depth: int, seconds: float) -> None:
        """A search has taken so long."""
        # Of the fastest search a deeper one says that it would not have taken longer.
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
        """The expected length of a game; every finished one counts as much as the first guess."""
        return (USUAL_MOVES + self.finished_moves) / self.game

    def allowance(self) -> float:
        """The seconds that the next search may take."""
        usual = self.usual_moves()
        here = max(usual - self.moves, STILL_TO_COME * usual)
        left = self.started + PLANNED - self.clock()
        return left / (here + (GAMES - self.game) * usual) - self.between.seconds

    def expected(self, depth: int) -> float:
        """How long a search of a depth takes, measured or guessed from the next one below."""
        if depth in self.times or depth == 1:
            return self.times.get(depth, 0.0)
        return GROWTH * self.expected(depth - 1)

    def depth(self) -> int:
        """The deepest search that fits, one deeper at most than any that was measured."""
        allowance = self.allowance()
        known = max(self.times, default=0)
        fitting = [depth for depth in range(1, min(known + 1, DEEPEST) + 1) if self.expected(depth) <= allowance]
        return max(fitting, default=1)

    def must_quit(self) -> bool:
        """Whether the games to come would not fit any more, played by the fastest search. Every game may have its fair share
        of what is left, however slow the machine is."""
        if self.finished_moves + self.moves <= FEW:
            return False
        to_come = GAMES - self.game
        end = self.started + LATEST
        need = to_come * self.usual_moves() * (self.fastest.seconds + self.between.seconds)
        fair = self.game_started + (end - self.game_started) / (to_come + 1)
        return self.clock() > max(end - need, fair)


class Search:
    """Answers moves, each by the search that the pace allows."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, player: Callable[[int], Player] = build) -> None:
        self.pace = Pace(clock)
        self.clock = clock
        self.player = player
        self.players: Dict[int, Player] = {}
        self.other: Optional[Player] = None

    def any_player(self) -> Player:
        """The player that plays on every board."""
        if self.other is None:
            self.other = Player("auto")
        return self.other

    def next_move(self, grid: List[List[int]], step: int) -> int:
        """The grader's code of the move on a grid; step 1 begins a game."""
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
            # Nothing can move: the game was over before it was our turn.
            return QUIT
        except PlayerFailed:
            # Tiles that no game has, or more than the network knows: the player for every board.
            direction = self.any_player().best(grid).direction
        pace.measured(depth, self.clock() - began)
        return QUIT if direction is None else CODES[direction]


_search = Search()


def NextMove(Grid: List[List[int]], Step: int) -> int:
    """The next move on a grid of tiles (0 is an empty cell): 0 up, 1 down, 2 left, 3 right, 4 quit."""
    return _search.next_move(Grid, Step)
