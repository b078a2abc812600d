"""Measures the steps per second of the environments: ``python -m lab2048.bench``.

Every step is a random legal move. Only the steps are timed, not the choice of the moves.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._native import Batch


def random_legal(mask: NDArray[Any], random: np.random.Generator) -> NDArray[np.int64]:
    """A random legal move for each row of a mask; any move if none is legal."""
    luck = random.random(mask.shape, dtype=np.float32) + mask
    return np.asarray(luck.argmax(axis=-1), dtype=np.int64)


def stepping(
    step: Callable[[NDArray[np.int64]], NDArray[Any]], mask: NDArray[Any], seconds: float
) -> float:
    """The steps per second of ``step``, which takes actions and returns the next mask."""
    random = np.random.default_rng(1)
    spent, steps = 0.0, 0
    while spent < seconds:
        actions = random_legal(mask, random)
        started = perf_counter()
        mask = step(actions)
        spent += perf_counter() - started
        steps += len(mask)
    return steps / spent


def bench(count: int, threads: int | None, seconds: float) -> dict[str, float]:
    """Steps per second of the batch and, if Gymnasium is installed, of both environments."""
    batch = Batch(range(count), threads=threads)
    rates = {"batch": stepping(lambda actions: batch.step(actions)[4], batch.see()[4], seconds)}
    try:
        from .gym import GameEnv, GameVectorEnv
    except ImportError:
        return rates
    vector = GameVectorEnv(count, threads=threads)
    mask = vector.reset(seed=0)[1]["action_mask"]
    rates["vector_env"] = stepping(lambda actions: vector.step(actions)[4]["action_mask"], mask, seconds)
    single = GameEnv()

    def step(actions: NDArray[np.int64]) -> NDArray[Any]:
        *_, over, _, info = single.step(actions[0])
        mask: NDArray[Any] = (single.reset()[1] if over else info)["action_mask"]
        return mask[None]

    rates["single_env"] = stepping(step, single.reset(seed=0)[1]["action_mask"][None], seconds)
    return rates


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(prog="python -m lab2048.bench", description=__doc__)
    parser.add_argument("--games", type=int, default=4096, help="games in the batch (4096)")
    parser.add_argument("--threads", type=int, default=None, help="threads of the batch (all cores)")
    parser.add_argument("--seconds", type=float, default=2.0, help="time for each measurement (2)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    rates = bench(arguments.games, arguments.threads, arguments.seconds)
    if arguments.json:
        print(json.dumps({"games": arguments.games, "steps_per_second": rates}))
        return
    names = {
        "batch": f"lab2048.Batch, {arguments.games} games",
        "vector_env": f"GameVectorEnv, {arguments.games} games",
        "single_env": "GameEnv, one game",
    }
    print(f"steps per second (at most {arguments.threads or os.cpu_count()} threads)")
    for key, rate in rates.items():
        print(f"  {names[key]:<32} {rate:>14,.0f}")


if __name__ == "__main__":
    main()
