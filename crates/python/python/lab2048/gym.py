"""2048 for reinforcement learning: ``gymnasium.make("lab2048/Game-v0")`` and its vectorised form.

- **Observation**: the ranks of the board (0 empty, 1 for a 2, 2 for a 4, ...) as ``uint8``,
  rows x columns.
- **Action**: 0 up, 1 right, 2 down, 3 left, as in :class:`lab2048.Direction`.
- **Reward**: the sum of the merged tiles. A move that changes nothing gives ``illegal_reward`` (0).
  It leaves the board as it is; with the rules of the course it still spawns a tile.
- **Info**: ``action_mask`` (1 for each legal move, as Gymnasium's spaces take it), ``score``, and
  for a single game its ``seed``.
- **End**: terminated when no move is left. Never truncated; use ``max_episode_steps`` of
  ``gymnasium.make`` for that.
- **Render modes** of a single game: ``ansi`` gives the board as text, ``rgb_array`` as a picture of
  the kind that ``lab2048 gif`` makes, so ``gymnasium.wrappers.RecordVideo`` works.

``reset(seed=n)`` starts the game of ``lab2048 play --seed n``. Without a seed, each reset starts
another game.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, Literal, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ._direction import Direction
from ._native import Batch, Film, Game, parse_direction
from ._register import ENV_ID

__all__ = ["ENV_ID", "GameEnv", "GameVectorEnv"]

Size = int | str | tuple[int, int]
Rules = Literal["original", "course"]
Ranks = NDArray[np.uint8]

#: The largest rank of a 64-bit tile.
TOP_RANK = 63


def _spaces(size: tuple[int, int]) -> tuple[spaces.Space[Ranks], spaces.Space[np.int64]]:
    # The type stubs of Box ignore its dtype.
    ranks = cast("spaces.Space[Ranks]", spaces.Box(0, TOP_RANK, shape=size, dtype=np.uint8))
    return ranks, spaces.Discrete(4)


def _check_started(is_started: bool) -> None:
    # The game before the first reset is the same in every environment, so it must not be played.
    if not is_started:
        raise ResetNeeded("no game has started: call reset() before step()")


class GameEnv(gymnasium.Env[Ranks, np.int64]):
    """One game of 2048 on a board of any size from 2x2 to 8x8."""

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}

    def __init__(
        self,
        size: Size = 4,
        *,
        rules: Rules = "original",
        four: float = 0.1,
        illegal_reward: float = 0.0,
        render_mode: Literal["ansi", "rgb_array"] | None = None,
    ) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"{render_mode!r} is not a render mode: use 'ansi', 'rgb_array' or None")
        self.render_mode = render_mode
        self.illegal_reward = illegal_reward
        self._size: Size = size
        self._rules: Rules = rules
        self._four = four
        self._idle_moves_spawn = rules == "course"
        self._is_started = False
        self._film: Film | None = None
        self.game: Game = self._new(0)
        self._legal = self.game.legal_moves()
        self.observation_space, self.action_space = _spaces(self.game.size)

    def _new(self, seed: int) -> Game:
        return Game(self._size, seed=seed, rules=self._rules, four=self._four)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Ranks, dict[str, Any]]:
        """Starts a game. The same seed gives the same game."""
        super().reset(seed=seed)
        self.game = self._new(int(self.np_random.integers(2**63)) if seed is None else seed)
        self._is_started = True
        return self._observe()

    def step(self, action: np.int64 | int | str) -> tuple[Ranks, float, bool, bool, dict[str, Any]]:
        """Plays one move."""
        _check_started(self._is_started)
        # Words are accepted as in other functions. A number must be an integer.
        direction = Direction(parse_direction(action) if isinstance(action, str) else index(action))
        reward = self.illegal_reward
        # A game that is over raises an error for every move.
        if direction in self._legal or self._idle_moves_spawn or self.game.is_over:
            turn = self.game.play(direction)
            if turn.action == "move":
                reward = float(turn.reward)
        ranks, info = self._observe()
        return ranks, reward, self.game.is_over, False, info

    def _observe(self) -> tuple[Ranks, dict[str, Any]]:
        self._legal = self.game.legal_moves()
        mask = np.zeros(4, dtype=np.int8)
        mask[self._legal] = 1
        info = {"action_mask": mask, "score": self.game.score, "seed": self.game.seed}
        return self.game.board.ranks(), info

    def render(self) -> str | NDArray[np.uint8] | None:
        """The board as text or as a picture (height x width x 3), depending on the render mode."""
        if self.render_mode == "ansi":
            return str(self.game)
        if self.render_mode == "rgb_array":
            if self._film is None:
                self._film = Film(self.game.size)
            return self._film.picture(self.game)
        return None


class GameVectorEnv(VectorEnv[Ranks, NDArray[np.int64], NDArray[Any]]):
    """Many games of 2048, stepped together by the engine. From 4,097 games on it uses threads.

    When a game has ended, the next step ignores its action and starts a new game (Gymnasium's mode
    NEXT_STEP).
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int = 1,
        size: Size = 4,
        *,
        rules: Rules = "original",
        four: float = 0.1,
        illegal_reward: float = 0.0,
        threads: int | None = None,
    ) -> None:
        self.num_envs = num_envs
        self.illegal_reward = illegal_reward
        self._size: Size = size
        self._rules: Rules = rules
        self._four, self._threads = four, threads
        self._is_started = False
        self.batch: Batch = self._new([0] * num_envs)
        self._over = np.zeros(num_envs, dtype=np.bool_)
        self.single_observation_space, self.single_action_space = _spaces(self.batch.size)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def _new(self, seeds: Sequence[int]) -> Batch:
        return Batch(seeds, self._size, rules=self._rules, four=self._four, threads=self._threads)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Ranks, dict[str, Any]]:
        """Starts all games. One seed is for the first game and counts up; a list has one per game."""
        if options and options.get("reset_mask") is not None:
            raise ValueError("games cannot be reset one by one: each restarts by itself after its end")
        if isinstance(seed, (int, np.integer)):
            seed = int(seed)
            self._np_random, self._np_random_seed = seeding.np_random(seed)
            given: Sequence[int | None] = range(seed, seed + self.num_envs)
        else:
            given = seed if seed is not None else [None] * self.num_envs
        if len(given) != self.num_envs:
            raise ValueError(f"there are {self.num_envs} games, but {len(given)} seeds")
        fresh = self.np_random.integers(2**63, size=self.num_envs).tolist() if None in given else given
        self.batch = self._new([new if old is None else old for old, new in zip(given, fresh)])
        self._is_started = True
        ranks, _, _, self._over, legal, scores = self.batch.see()
        return ranks, {"action_mask": legal.view(np.int8), "score": scores}

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Ranks, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Plays one move in every game."""
        _check_started(self._is_started)
        was_over = self._over
        ranks, rewards, moved, self._over, legal, scores = self.batch.step(actions)
        if self.illegal_reward != 0.0:
            rewards[~moved & ~was_over] = self.illegal_reward
        truncated = np.zeros(self.num_envs, dtype=np.bool_)
        info = {"action_mask": legal.view(np.int8), "score": scores}
        return ranks, rewards, self._over.copy(), truncated, info
