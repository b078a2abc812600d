"""The player of the assignment, tested with a simulated clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

import search
from lab2048 import Direction, Game, Player
from search import CODES, GAMES, QUIT, NextMove, Search

LIMIT = 40 * 60.0


class Machine:
    """A simulated machine: a clock, players that take time, and a grader."""

    def __init__(self, move: float, growth: float, grader: float = 0.0) -> None:
        self.now = 1000.0
        self.move, self.growth, self.grader = move, growth, grader
        self.depths: list[int] = []
        #: Extra seconds between two moves or inside a search, by game and step, both from 1.
        self.pauses: dict[tuple[int, int], float] = {}
        self.stalls: dict[tuple[int, int], float] = {}
        self.stall = 0.0
        self.search = Search(self.clock, cast(Callable[[int], Player], self.player))

    def clock(self) -> float:
        return self.now

    def player(self, depth: int) -> Any:
        machine = self

        class Answer:
            direction = Direction.LEFT

        class Thinker:
            def best(self, grid: list[list[int]]) -> Answer:
                machine.now += machine.move * machine.growth ** (depth - 1) + machine.stall
                machine.depths.append(depth)
                return Answer()

        return Thinker()

    def games(self, lengths: list[int]) -> tuple[float, list[int]]:
        """Plays games of these lengths. Returns the time and the moves played in each."""
        started, played = self.now, []
        for game, length in enumerate(lengths, 1):
            for step in range(1, length + 1):
                self.now += self.grader + self.pauses.get((game, step), 0.0)
                self.stall = self.stalls.get((game, step), 0.0)
                if self.search.next_move([[2, 2], [0, 0]], step) == QUIT:
                    step -= 1
                    break
            played.append(step)
        return self.now - started, played


LENGTHS = [9000, 16000, 3000, 12000, 20000, 8000, 15000, 30000, 1000, 11000]


@pytest.mark.parametrize(("move", "growth"), [(2e-5, 9.0), (2e-4, 8.0), (1e-3, 12.0), (5e-3, 10.0)])
def test_ten_games_end_well_within_the_limit(move: float, growth: float) -> None:
    machine = Machine(move, growth)
    seconds, played = machine.games(LENGTHS)
    assert played == LENGTHS, "no game is quit"
    assert seconds < 0.85 * LIMIT
    # The time is used: searching one move deeper would not have fitted the plan.
    assert seconds > 0.2 * LIMIT or max(machine.depths) == search.DEEPEST or growth * seconds > 0.6 * LIMIT


def test_a_fast_machine_looks_deeper_than_a_slow_one() -> None:
    fast, slow = Machine(1e-5, 8.0), Machine(2e-3, 8.0)
    fast.games(LENGTHS[:2])
    slow.games(LENGTHS[:2])
    assert sum(fast.depths) / len(fast.depths) > 1.5 + sum(slow.depths) / len(slow.depths)


def test_it_searches_less_deep_when_it_is_late() -> None:
    machine = Machine(5e-5, 10.0)
    machine.games([2000])
    before = machine.depths[-1]
    machine.now += 1200.0
    machine.depths.clear()
    seconds, played = machine.games([12000] * 9)
    assert min(machine.depths) < before and played == [12000] * 9
    assert seconds + 1200.0 < LIMIT


def test_one_slow_search_does_not_rule_its_depth_out_for_ever() -> None:
    machine = Machine(1e-5, 10.0)
    machine.games([500])
    usual = machine.depths[-1]
    machine.search.pace.times[usual] = 60.0
    machine.depths.clear()
    machine.games([15000])
    assert machine.depths[0] < usual and machine.depths[-1] >= usual


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("pause", [60.0, 300.0, 600.0])
def test_a_single_pause_hardly_changes_the_depth(pause: float, inside: bool) -> None:
    # The machine sleeps once, between two moves or during a search.
    machine = Machine(2e-6, 12.0, 2e-5)
    lengths = [13000] * 4
    (machine.stalls if inside else machine.pauses)[3, 7000] = pause
    seconds, played = machine.games(lengths)
    assert played == lengths and seconds < 0.85 * LIMIT, "no game is quit"
    moment = 2 * 13000 + 7000
    before, after = machine.depths[moment - 200 : moment - 1], machine.depths[moment : moment + 200]
    assert min(after) >= min(before) - 1 > 1, "it searches about as deep as before"
    assert max(after) == max(before)


@pytest.mark.parametrize(
    "pauses",
    [
        # At the start; in every game; during a busy period; often.
        {(1, 2): 300.0},
        {(game, 4000): 60.0 for game in range(1, GAMES + 1)},
        {(3, step): 5.0 for step in range(7000, 7060)},
        {(game, step): 0.05 for game in range(1, GAMES + 1) for step in range(10, 13000, 10)},
    ],
)
@pytest.mark.parametrize("inside", [False, True])
def test_pauses_do_not_cost_a_game_that_fits(pauses: dict[tuple[int, int], float], inside: bool) -> None:
    machine = Machine(2e-5, 9.0, 2e-5)
    if inside:
        machine.stalls = pauses
    else:
        machine.pauses = pauses
    seconds, played = machine.games([13000] * GAMES)
    assert played == [13000] * GAMES, "no game is quit"
    assert seconds < 0.85 * LIMIT


def test_endless_pauses_still_keep_the_games_within_the_limit() -> None:
    machine = Machine(1e-4, 10.0)
    machine.pauses = {(game, step): 30.0 for game in range(1, GAMES + 1) for step in range(100, 13000, 100)}
    seconds, played = machine.games([13000] * GAMES)
    assert seconds < LIMIT - 60.0 and max(played) < 13000


@pytest.mark.parametrize(("move", "grader"), [(0.5, 0.0), (1e-4, 0.3), (30.0, 0.0)])
def test_a_machine_that_is_too_slow_shares_the_time_among_the_games(move: float, grader: float) -> None:
    machine = Machine(move, 10.0, grader)
    seconds, played = machine.games([16000] * GAMES)
    assert seconds < LIMIT
    assert min(played) > 0 and max(played) < 16000, "every game gets a share of the time and is quit"
    assert min(played) * 2 >= max(played)
    assert set(machine.depths) == {1}


def test_short_games_leave_their_time_to_the_others() -> None:
    machine = Machine(0.1, 10.0)
    # At 0.1 seconds per move there is time for 24,000 moves.
    seconds, played = machine.games([500] * 5 + [3000] * 5)
    assert played == [500] * 5 + [3000] * 5 and seconds < LIMIT


def test_after_ten_games_another_ten_begin() -> None:
    machine = Machine(1e-4, 10.0)
    machine.games([100] * GAMES)
    machine.now += 10 * LIMIT
    assert machine.games([100] * GAMES)[1] == [100] * GAMES


def test_the_real_player_answers_with_the_graders_codes() -> None:
    code_of = {code: direction for direction, code in CODES.items()}
    assert [CODES[direction] for direction in (Direction.UP, Direction.DOWN, Direction.LEFT, Direction.RIGHT)] == [0, 1, 2, 3]
    game = Game(seed=1, rules="course")
    for step in range(1, 60):
        grid = game.board.tolist()
        answer = NextMove(grid, step)
        assert type(answer) is int and grid == game.board.tolist(), "the grid is not changed"
        assert code_of[answer] in game.legal_moves()
        game.play(code_of[answer])
    assert game.score > 300


def test_impossible_tiles_are_played_too() -> None:
    grid = [[3, 3, 0, 0], [0, 0, 0, 0], [0, 0, 5, 0], [0, 0, 0, 0]]
    assert NextMove(grid, 1) in CODES.values()


def test_a_grid_on_which_nothing_moves_is_quit() -> None:
    full = [[2, 4, 2, 4], [4, 2, 4, 2], [2, 4, 2, 4], [4, 2, 4, 2]]
    assert Search(player=lambda depth: Player("greedy")).next_move(full, 1) == QUIT
