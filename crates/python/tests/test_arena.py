from __future__ import annotations

import json
import pickle
import subprocess
from pathlib import Path
from typing import Any

import pytest

from lab2048 import InvalidInput, Player, PlayerFailed, arena


def test_records_summaries_and_differences() -> None:
    calls: list[tuple[int, int]] = []
    result = arena(["random", "greedy"], 50, seed=5, progress=lambda done, total: calls.append((done, total)))
    assert len(result) == 100 and result.players == ["random", "greedy"]
    assert [(record.seed, record.player) for record in result.records[:3]] == [(5, "random"), (5, "greedy"), (6, "random")]
    assert calls[-1] == (100, 100) and calls == sorted(calls)
    random, greedy = result.summaries
    assert random["games"] == 50 and random["mean"] < greedy["mean"]
    scores = [record.score for record in result.records if record.player == "greedy"]
    assert greedy["mean"] == pytest.approx(sum(scores) / 50) and greedy["best"] == max(scores)
    assert result.differences[0]["better"] == "greedy"
    assert {record.end for record in result.records} == {"no-moves"} and result.records[0].error is None
    assert all(record.tile_sum > record.largest > 0 and record.seconds > 0 for record in result.records)


def test_the_digest_is_that_of_the_command(lab2048_bin: str, tmp_path: Path) -> None:
    options = ["--games", "20", "--seed", "9", "--size", "3x3", "--max-moves", "30"]
    command = [lab2048_bin, "arena", "random", *options, "--json", "-o", str(tmp_path / "theirs.jsonl")]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    ours = arena(["random"], 20, seed=9, size="3x3", max_moves=30, threads=2, output=tmp_path / "ours.jsonl")
    assert ours.digest in json.dumps(json.loads(said))
    # Games that are already in the file are not played again.
    again = arena(["random"], 20, seed=9, size=3, max_moves=30, output=str(tmp_path / "theirs.jsonl"))
    assert again.digest == ours.digest and len(again) == 20


def test_mistakes() -> None:
    wrongs: tuple[dict[str, Any], ...] = ({"players": []}, {"players": ["random", "random"]}, {"players": ["rndom"]}, {"games": 2, "seed": 2**64 - 1}, {"size": 3, "board": "2 0/0 2"})
    for wrong in wrongs:
        options: dict[str, Any] = {"players": ["random"], **wrong}
        with pytest.raises(InvalidInput):
            arena(**options)
    with pytest.raises(PlayerFailed, match="network"):
        arena(["ntuple:net=/nowhere/at/all.net"], 1)


def test_results_are_compared_and_kept() -> None:
    result = arena(["random", "greedy"], 20, seed=3)
    assert result == arena(["random", "greedy"], 20, seed=3, threads=1) != arena(["random", "greedy"], 20, seed=4)
    kept = pickle.loads(pickle.dumps(result))
    assert (kept, kept.summaries, kept.digest) == (result, result.summaries, result.digest)
    record = kept.records[7]
    assert record == result.records[7] == pickle.loads(pickle.dumps(record)) != result.records[8]
    assert pickle.loads(pickle.dumps(record)).seconds == record.seconds
    # A single player needs no list, and a Player works like a spec.
    assert arena("greedy", 5).players == arena(Player("greedy"), 5).players == ["greedy"]
    assert arena([Player("greedy"), "random"], 5).players == ["greedy", "random"]


def test_errors_have_the_messages_of_the_engine(tmp_path: Path) -> None:
    wrongs: tuple[tuple[dict[str, Any], str], ...] = (
        ({"seed": -1}, "-1 is not a whole number from 0 to"),
        ({"games": -1}, "-1 is not a whole number from 0 to"),
        ({"until": -2}, "-2 is not a whole number from 0 to"),
        ({"threads": 0}, "0 threads are not possible: it must be a whole number from 1 to 1024"),
        ({"size": (4, 9)}, "a board of 4x9 is not possible"),
    )
    for wrong, sentence in wrongs:
        with pytest.raises(InvalidInput, match=f"^{sentence}"):
            arena(["random"], **{"games": 1, **wrong})
    with pytest.raises(FileNotFoundError, match="nowhere"):
        arena(["random"], 1, output=tmp_path / "nowhere" / "runs.jsonl")


def test_an_exception_in_the_callback_ends_the_contest() -> None:
    def stop(done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        arena(["random"], 1_000_000, progress=stop)
