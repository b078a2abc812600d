from __future__ import annotations

import copy
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

import lab2048
from lab2048 import Batch, Direction, Game, IllegalMove, InvalidInput
from lab2048.bench import bench, random_legal
from lab2048.gym import GameEnv, GameVectorEnv, Ranks


@pytest.mark.parametrize("options", [{}, {"size": "3x5"}, {"size": 8}, {"rules": "course", "illegal_reward": -1.0}])
def test_gymnasiums_own_checker_passes(options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make("lab2048/Game-v0", **options)
        check_env(env.unwrapped, skip_render_check=False)


@pytest.mark.parametrize(
    "imports", ["import gymnasium, lab2048", "import lab2048, gymnasium", "from lab2048.gym import GameEnv; import gymnasium"]
)
def test_it_is_registered_in_any_order_of_imports(imports: str) -> None:
    script = f"""
{imports}
import sys
env = gymnasium.make("lab2048/Game-v0")
registration = sys.modules["gymnasium.envs.registration"]
print(env.spec.id, registration.__loader__ is registration.__spec__.loader, type(registration.__loader__).__module__)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    words = done.stdout.split()
    assert words[:2] == ["lab2048/Game-v0", "True"] and not words[2].startswith("lab2048"), done.stderr


def test_an_unsuitable_gymnasium_is_only_a_warning(tmp_path: Path) -> None:
    registration = tmp_path / "gymnasium" / "envs" / "registration.py"
    registration.parent.mkdir(parents=True)
    registration.write_text("registry = {}\n\n\ndef register(id, entry_point):\n    registry[id] = entry_point\n")
    (tmp_path / "gymnasium" / "__init__.py").write_text("from gymnasium.envs import registration\n")
    script = "import lab2048, sys; print('gymnasium' in sys.modules); import gymnasium; print('fine')"
    command = [sys.executable, "-c", script]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, env={**os.environ, "PYTHONPATH": str(tmp_path)}
    )
    assert done.stdout.split() == ["False", "fine"], done.stderr
    assert "lab2048/Game-v0 cannot be registered with this Gymnasium" in done.stderr


def test_the_environment_is_the_game() -> None:
    env = gymnasium.make("lab2048/Game-v0", size="3x4")
    ranks, info = env.reset(seed=11)
    game = Game("3x4", seed=11)
    assert isinstance(env.unwrapped, GameEnv) and env.spec is not None and env.spec.id == "lab2048/Game-v0"
    random = np.random.default_rng(1)
    over = False
    while not over:
        assert np.array_equal(ranks, game.board.ranks()) and info["score"] == game.score
        assert np.flatnonzero(info["action_mask"]).tolist() == game.legal_moves()
        action = random_legal(info["action_mask"][None], random)[0]
        ranks, reward, over, truncated, info = env.step(action)
        assert reward == game.play(int(action)).reward and not truncated
    assert game.is_over and not info["action_mask"].any()
    assert not np.array_equal(env.reset()[0], env.reset()[0])


def with_an_illegal_move(env: GameEnv) -> tuple[Ranks, int]:
    """Plays until some move changes nothing. Returns the board and that move."""
    ranks, info = env.reset(seed=1)
    while info["action_mask"].all():
        ranks, _, _, _, info = env.step(Direction.LEFT)
    return ranks, int(info["action_mask"].argmin())


def test_moves_that_change_nothing() -> None:
    env = GameEnv(illegal_reward=-2.0)
    before, illegal = with_an_illegal_move(env)
    ranks, reward, over, _, _ = env.step(illegal)
    assert np.array_equal(ranks, before) and reward == -2.0 and not over
    with pytest.raises(InvalidInput, match="^4 is not a direction"):
        env.step(4)
    wrong: tuple[Any, ...] = (1.7, "sideways", None)
    for action in wrong:
        with pytest.raises((TypeError, ValueError)):
            env.step(action)
    assert np.array_equal(env.game.board.ranks(), before), "nothing has moved"
    env.game.quit()
    with pytest.raises(IllegalMove, match="the game is over"):
        env.step(0)
    course = GameEnv(rules="course", illegal_reward=-2.0)
    before, illegal = with_an_illegal_move(course)
    ranks, reward, *_ = course.step(illegal)
    assert reward == -2.0 and np.count_nonzero(ranks) == np.count_nonzero(before) + 1
    assert GameEnv(render_mode="ansi").render() is not None


def test_a_word_is_an_action_too() -> None:
    one, other = GameEnv(), GameEnv()
    one.reset(seed=3)
    other.reset(seed=3)
    action = Direction(one.game.legal_moves()[0])
    assert np.array_equal(one.step(action.name.lower())[0], other.step(np.int64(action))[0])


def test_the_vectorised_form_is_many_games() -> None:
    envs = gymnasium.make_vec("lab2048/Game-v0", num_envs=20, size=3)
    assert isinstance(envs.unwrapped, GameVectorEnv)
    ranks, info = envs.reset(seed=100)
    games: list[Game] = [Game(3, seed=100 + number) for number in range(20)]
    random = np.random.default_rng(1)
    finished = 0
    over = np.zeros(20, dtype=bool)
    for _ in range(120):
        assert envs.observation_space.contains(ranks)
        actions = random_legal(info["action_mask"], random)
        was_over = over
        ranks, rewards, over, truncated, info = envs.step(actions)
        assert not truncated.any()
        seeds = envs.unwrapped.batch.seeds
        for number, game in enumerate(games):
            if was_over[number]:
                games[number] = game = Game(3, seed=int(seeds[number]))
                assert rewards[number] == 0
            else:
                assert game.play(int(actions[number])).reward == rewards[number]
            assert np.array_equal(game.board.ranks(), ranks[number]) and game.is_over == over[number]
            assert np.flatnonzero(info["action_mask"][number]).tolist() == game.legal_moves()
            assert info["score"][number] == game.score
        finished += int(over.sum())
    assert finished > 20


def test_seeds_and_penalties_of_the_vectorised_form() -> None:
    envs = GameVectorEnv(3, illegal_reward=-1.0)
    first = envs.reset(seed=[5, 6, None])[0]
    assert np.array_equal(first[0], Game(seed=5).board.ranks()) and np.array_equal(first[1], Game(seed=6).board.ranks())
    assert not np.array_equal(envs.reset()[0], envs.reset()[0])
    _, info = envs.reset(seed=1)
    while info["action_mask"].all():
        info = envs.step(np.full(3, Direction.LEFT))[4]
    actions = info["action_mask"].argmin(axis=1)
    is_legal = info["action_mask"].min(axis=1) == 1
    rewards = envs.step(actions)[1]
    assert not is_legal.all() and ((rewards == -1.0) == ~is_legal).all()
    with pytest.raises(ValueError, match="3 games, but 2 seeds"):
        envs.reset(seed=[1, 2])
    with pytest.raises(ValueError, match="one by one"):
        envs.reset(options={"reset_mask": np.ones(3, dtype=bool)})


def test_many_games_can_be_copied() -> None:
    envs = GameVectorEnv(3)
    envs.reset(seed=4)
    other = copy.deepcopy(envs)
    actions = np.full(3, Direction.LEFT)
    before = envs.batch.see()[0]
    moved = other.step(actions)[0]
    assert np.array_equal(envs.batch.see()[0], before) and np.array_equal(envs.step(actions)[0], moved)


def test_nothing_is_played_before_the_first_reset() -> None:
    # Otherwise all lanes would play the same game, and a learner would not notice.
    envs = gymnasium.make_vec("lab2048/Game-v0", num_envs=5)
    with pytest.raises(ResetNeeded, match="call reset"):
        envs.step(np.zeros(5, dtype=np.int64))
    env = gymnasium.make("lab2048/Game-v0").unwrapped
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(np.int64(0))
    envs.reset(seed=1)
    envs.step(np.zeros(5, dtype=np.int64))
    env.reset(seed=1)
    env.step(np.int64(0))


def test_batches_refuse_invalid_actions() -> None:
    batch = Batch([1, 2, 3], threads=2)
    assert len(batch) == 3 and batch.seeds.tolist() == [1, 2, 3] and batch.size == (4, 4) and batch.rules == "original"
    assert repr(batch) == "<Batch of 3 games of 4x4, rules original>"
    before = batch.see()[0]
    with pytest.raises(InvalidInput, match="^action 1: 4 is not a direction"):
        batch.step(np.array([0, 4, 0]))
    with pytest.raises(InvalidInput, match="^there are 3 games, but 2 actions$"):
        batch.step([0, 1])
    with pytest.raises(TypeError):
        batch.step(np.array([0.0, 1.0, 2.0]))
    rows: tuple[Any, ...] = (5, [[0, 1, 2]])
    for actions in rows:
        with pytest.raises(InvalidInput, match="^the actions must be a one-dimensional array with one number per game$"):
            batch.step(actions)
    for threads in (0, -1, 10_000):
        with pytest.raises(InvalidInput, match=f"^{threads} threads are not possible: it must be a whole number from 1 to 1024"):
            Batch([1], threads=threads)
    with pytest.raises(InvalidInput, match="^-1 is not a whole number"):
        Batch([1, -1])
    assert np.array_equal(before, batch.see()[0])
    some = [int(lab2048.Direction.LEFT)] * 3
    other = Batch([1, 2, 3])
    assert np.array_equal(batch.step(some)[0], other.step(np.array(some, dtype=np.uint8)[::1])[0])
    assert np.array_equal(batch.step(np.array([0, 9, 1, 9, 2, 9])[::2])[0], other.step([0, 1, 2])[0])


def test_the_benchmark_measures_all_three() -> None:
    rates = bench(64, threads=1, seconds=0.05)
    assert set(rates) == {"batch", "vector_env", "single_env"} and min(rates.values()) > 0
    assert Direction.LEFT in random_legal(np.array([[0, 0, 0, 1]]), np.random.default_rng(1))
