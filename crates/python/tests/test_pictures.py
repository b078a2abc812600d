from __future__ import annotations

import copy
import json
import pickle
import subprocess
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import RecordVideo
from numpy.typing import NDArray

from lab2048 import Game, InvalidInput, Player, Replay, gif
from lab2048._native import Film
from lab2048.gym import GameEnv


def played(seed: int = 3, max_moves: int = 12) -> Replay:
    game = Game("3x4", seed=seed)
    Player("greedy").play(game, max_moves=max_moves)
    return game.replay(player="greedy")


def frame(env: GameEnv) -> NDArray[np.uint8]:
    picture = env.render()
    assert isinstance(picture, np.ndarray) and picture.dtype == np.uint8 and picture.shape[2:] == (3,)
    return picture


def colours(picture: NDArray[np.uint8]) -> set[tuple[int, ...]]:
    return {tuple(int(part) for part in colour) for colour in np.unique(picture.reshape(-1, 3), axis=0)}


def test_a_gif_is_that_of_the_command(lab2048_bin: str, tmp_path: Path) -> None:
    replay = played()
    replay.write(tmp_path / "game.2048")
    for ours, theirs in (
        ({}, []),
        ({"every": 5, "delay": 0.08}, ["--every", "5", "--delay", "80ms"]),
        ({"smooth": 2, "scale": 0.5, "repeat": False}, ["--smooth", "2", "--scale", "0.5", "--once"]),
        ({"max_moves": 4, "hold": 1.5}, ["--max-moves", "4", "--hold", "1.5s"]),
        ({"until": 16}, ["--until", "16"]),
    ):
        options: dict[str, Any] = ours
        command = [lab2048_bin, "gif", str(tmp_path / "game.2048"), "-o", str(tmp_path / "theirs.gif"), *theirs]
        subprocess.run(command, check=True, capture_output=True)
        summary = gif(replay, tmp_path / "ours.gif", **options)
        assert (tmp_path / "ours.gif").read_bytes() == (tmp_path / "theirs.gif").read_bytes(), ours
        assert summary["moves"] <= 12 and summary["pictures"] > 1
    calls: list[tuple[int, int]] = []
    summary = gif(str(tmp_path / "game.2048"), str(tmp_path / "again.gif"), progress=lambda done, total: calls.append((done, total)))
    assert (summary["moves"], summary["score"]) == (12, replay.score) and calls[-1] == (12, 12)
    gif(replay, tmp_path / "short.gif", max_moves=4, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (4, 4), "the total is what is shown"
    head = (tmp_path / "again.gif").read_bytes()[:10]
    assert head[:6] == b"GIF89a"
    assert [int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")] == [summary["width"], summary["height"]]


def test_mistakes_write_nothing(tmp_path: Path) -> None:
    path = tmp_path / "game.gif"
    options: tuple[tuple[dict[str, Any], str], ...] = (
        ({"every": 0}, "^every must be at least 1$"),
        ({"delay": 0.01}, "^the delay must be from 0.02 to 60 seconds, not 0.01$"),
        ({"hold": float("nan")}, "^hold must be from 0.02 to 60 seconds"),
        ({"scale": 9}, "^the scale must be from 0.125 to 8, not 9$"),
        ({"smooth": 61}, "^smooth must be from 0 to 60, not 61$"),
    )
    for wrong, sentence in options:
        with pytest.raises(InvalidInput, match=sentence):
            gif(played(), path, **wrong)

    def stop(done: int, total: int) -> None:
        raise RuntimeError("enough")

    game = Game(seed=1)
    Player("greedy").play(game)
    with pytest.raises(RuntimeError, match="^enough$"):
        gif(game.replay(), path, smooth=60, delay=5, progress=stop)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        gif(played(), tmp_path / "nowhere" / "game.gif")
    assert list(tmp_path.iterdir()) == []


def test_a_picture_shows_the_game(tmp_path: Path) -> None:
    env = GameEnv(size="3x4", render_mode="rgb_array")
    env.reset(seed=7)
    first = frame(env)
    assert np.array_equal(frame(env), first), "nothing has changed"
    env.step(int(env.game.legal_moves()[0]))
    second = frame(env)
    assert second.shape == first.shape and not np.array_equal(first, second)
    # The same board picture as in a GIF, whose head has the size.
    summary = gif(env.game.replay(), tmp_path / "game.gif")
    assert second.shape == (summary["height"], summary["width"], 3)
    # The colours of the original game: the board, an empty cell, the page.
    assert {(0xBB, 0xAD, 0xA0), (0xCD, 0xC1, 0xB4), (0xFA, 0xF8, 0xEF)} <= colours(second)
    # Tiles of 2 and 4 have theirs. The head has the first of them too, but not a tile's area.
    film = Film("2x3")
    both, other = (film.picture(Game(board=board)) for board in ("2 0 0/0 0 4", "8 0 0/0 0 16"))
    for colour in ((0xEE, 0xE4, 0xDA), (0xED, 0xE0, 0xC8)):
        with_tile, without = ((picture == colour).all(axis=2).sum() for picture in (both, other))
        assert with_tile > without + 2000, colour
    one = GameEnv(size=2, render_mode="rgb_array")
    one.reset(seed=1)
    twin = copy.deepcopy(one)
    again = pickle.loads(pickle.dumps(Film(2)))
    assert np.array_equal(frame(one), frame(twin)) and np.array_equal(again.picture(one.game), frame(one))
    with pytest.raises(InvalidInput, match="2x2"):
        Film(3).picture(one.game)
    with pytest.raises(ValueError, match="^'human' is not a render mode: use 'ansi', 'rgb_array' or None$"):
        GameEnv(render_mode="human")  # type: ignore[arg-type]


def test_gymnasium_records_videos(tmp_path: Path) -> None:
    env = RecordVideo(
        gymnasium.make("lab2048/Game-v0", size="3x3", render_mode="rgb_array"),
        str(tmp_path / "videos"),
        episode_trigger=lambda episode: True,
        disable_logger=True,
    )
    for seed in (1, 2):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            _, _, over, _, info = env.step(int(info["action_mask"].argmax()))
    assert isinstance(env.unwrapped, GameEnv)
    moves = env.unwrapped.game.moves
    env.close()  # type: ignore[no-untyped-call]
    videos = sorted((tmp_path / "videos").glob("*.mp4"))
    assert [video.stat().st_size > 1000 for video in videos] == [True, True]
    from moviepy import VideoFileClip  # type: ignore[import-untyped]

    clip = VideoFileClip(str(videos[1]))
    height, width, _ = frame(GameEnv(size="3x3", render_mode="rgb_array")).shape
    assert tuple(clip.size) == (width, height)
    # One frame for the first board, then one for each move.
    assert clip.duration == pytest.approx((moves + 1) / GameEnv.metadata["render_fps"], abs=0.3)
    clip.close()


def test_summaries_are_plain_dictionaries(tmp_path: Path) -> None:
    summary = gif(played(), tmp_path / "game.gif")
    assert json.loads(json.dumps(summary)) == summary
    assert set(summary) == {"pictures", "moves", "score", "width", "height"}
