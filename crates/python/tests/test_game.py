from __future__ import annotations

import copy
import doctest
import importlib.metadata
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import lab2048
from lab2048 import Board, Direction, Game, IllegalMove, InvalidInput, Replay, ReplayFault


def play_first_moves(game: Game, moves: int) -> None:
    for _ in range(moves):
        game.play(game.legal_moves()[0])


def test_the_example_of_the_package_works() -> None:
    assert doctest.testmod(lab2048).failed == 0


def test_the_package_has_a_version_and_documented_attributes() -> None:
    assert lab2048.__version__ == importlib.metadata.version("lab2048")
    for kind in (lab2048.Record, lab2048.Outcome, lab2048.Motion, lab2048.Bot, lab2048.Review, lab2048.JudgedMove, lab2048.Table, lab2048.Exact):
        attributes = [name for name in vars(kind) if not name.startswith("_")]
        assert attributes and all(getattr(kind, name).__doc__ for name in attributes), kind


def test_the_examples_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    readme = (Path(__file__).parent.parent / "README.md").read_text()
    examples = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    assert len(examples) == 5
    # One after another in one process, as a reader types them, with a data folder of their own.
    environment = {**os.environ, "LAB2048_HOME": str(tmp_path)}
    command = [sys.executable, "-c", "\n".join(examples)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
    assert done.returncode == 0, done.stderr
    made = {path.name for path in tmp_path.iterdir()}
    assert made == {"game.2048", "game.gif", "runs.jsonl", "tables", "videos"}
    table = lab2048.solve("2x3")
    assert f"# {table.start:.2f} points, {table.boards:,} boards" in readme


def test_a_seed_is_a_game() -> None:
    one, other = Game(seed=7), Game(seed=7)
    play_first_moves(one, 50)
    play_first_moves(other, 50)
    assert one.board == other.board and one.score == other.score and one.moves == 50
    assert Game(seed=8).board != Game(seed=7).board
    assert Game().seed != Game().seed
    assert Game((3, 5), seed=1).size == Game("3x5", seed=1).board.size == (3, 5)


def test_turns_say_what_happened() -> None:
    game = Game(seed=1, board=[[2, 2], [0, 0]])
    turn = game.play("left")
    assert (turn.action, turn.direction, turn.reward) == ("move", Direction.LEFT, 4)
    assert turn.spawn is not None
    row, col, tile = turn.spawn
    assert game.board[row, col] == tile and game.score == 4
    assert game.undo() is not None and game.board == Board([[2, 2], [0, 0]])
    assert game.undo() is None
    again = game.redo()
    assert again is not None and again.spawn == turn.spawn
    copied = copy.deepcopy(game)
    copied.quit()
    assert copied.ending == "quit" and not game.is_over and game.ending is None


def test_illegal_moves_and_invalid_arguments() -> None:
    game = Game(board="2 4/0 0", seed=1)
    with pytest.raises(IllegalMove, match="^up does not change the board$"):
        game.play(Direction.UP)
    with pytest.raises(IllegalMove, match="^these rules do not allow a pass$"):
        game.pass_turn()
    assert game.moves == 0
    game.quit()
    with pytest.raises(IllegalMove, match="^the game is over: quit$"):
        game.play("down")
    course = Game(board="2 4/0 0", seed=1, rules="course")
    assert course.play("up").action == "pass" and course.rules == "course"
    mistakes: tuple[dict[str, Any], ...] = ({"rules": "chess"}, {"four": 1.5}, {"size": 9}, {"size": "4y4"}, {"size": 3, "board": "2 4/0 0"})
    for wrong in mistakes:
        with pytest.raises(InvalidInput):
            Game(**wrong)


def test_errors_have_the_messages_of_the_engine(tmp_path: Path) -> None:
    mistakes: tuple[tuple[dict[str, Any], str], ...] = (
        ({"seed": -1}, "-1 is not a whole number from 0 to 2^64-1"),
        ({"seed": 2**64}, "18446744073709551616 is not a whole number from 0 to 2^64-1"),
        ({"size": -4}, "a board of -4x-4 is not possible: both sides must be from 2 to 8"),
        ({"size": (4, 0)}, "a board of 4x0 is not possible: both sides must be from 2 to 8"),
        ({"size": (2**70, 4)}, "a board of 1180591620717411303424x4 is not possible: both sides must be from 2 to 8"),
    )
    for wrong, sentence in mistakes:
        with pytest.raises(InvalidInput, match=f"^{re.escape(sentence)}"):
            Game(**wrong)
    with pytest.raises(FileNotFoundError, match="^cannot read .*missing.2048: "):
        Replay.read(tmp_path / "missing.2048")


def test_games_and_turns_are_compared_and_kept() -> None:
    game = Game("3x4", seed=5, rules="course")
    play_first_moves(game, 20)
    game.undo()
    kept = pickle.loads(pickle.dumps(game))
    assert kept == game and kept.rules == "course" and kept.replay() == game.replay()
    turn, again = game.play(game.legal_moves()[0]), kept.play(kept.legal_moves()[0])
    assert turn == again and kept == game
    assert kept.undo() is not None and kept != game
    assert pickle.loads(pickle.dumps(Game(seed=1))) == Game(seed=1) != Game(seed=2)
    started = Game(board="2 2/0 0", seed=1)
    started.quit()
    assert pickle.loads(pickle.dumps(started)) == started and started.ending == "quit"


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_everything_that_is_a_value_can_be_kept_and_copied(protocol: int) -> None:
    game = Game(seed=3)
    turn = game.play(game.legal_moves()[0])
    after, _ = game.board.slide(game.legal_moves()[0])
    values = (game.board, game, turn, after, after.spawns()[0], game.board.motions("left")[0], game.replay())
    for value in values:
        assert pickle.loads(pickle.dumps(value, protocol)) == copy.copy(value) == copy.deepcopy(value) == value
    assert pickle.loads(pickle.dumps(turn, protocol)).spawn == turn.spawn
    quitted = Game(seed=3).quit()
    assert pickle.loads(pickle.dumps(quitted, protocol)) == quitted != turn
    player = lab2048.Player("greedy")
    decision = player.best(game)
    kept = pickle.loads(pickle.dumps(decision, protocol))
    assert (kept, kept.seconds) == (decision, decision.seconds)
    assert pickle.loads(pickle.dumps(player, protocol)).spec == player.spec


def test_undone_turns_are_pickled_and_copied_too() -> None:
    game = Game("3x4", seed=5, rules="course")
    play_first_moves(game, 20)
    turns = [game.undo() for _ in range(7)]
    for other in (pickle.loads(pickle.dumps(game)), game.copy()):
        assert other == game and other.moves == 13
        assert [other.redo() for _ in range(8)] == [*reversed(turns), None]


def test_replays_are_valid_and_can_be_read_again(tmp_path: Path) -> None:
    game = Game("3x4", seed=5)
    play_first_moves(game, 20)
    replay = game.replay(player="me", note="first moves")
    assert (replay.seed, replay.player, replay.note, replay.score) == (5, "me", "first moves", game.score)
    assert (replay.size, replay.rules, replay.ending, len(replay)) == ((3, 4), "original", None, 20)
    replay.verify()
    positions = replay.positions()
    assert len(positions) == 21 and positions[0][0] == replay.start and positions[0][2] is None
    assert positions[-1][0] == game.board and positions[-1][1] == game.score
    path = tmp_path / "game.2048"
    replay.write(path)
    assert Replay.read(path) == replay == Replay(replay.text()) == pickle.loads(pickle.dumps(replay))
    verse = "4x4-1_00000g005¾ôj"
    path.write_text(verse, encoding="utf-8")
    imported = Replay(verse)
    assert Replay.read(path) == imported and len(imported) == 2 and imported.note == "imported from 2048verse (4x4-1)"
    with pytest.raises(InvalidInput, match="^step 1: '!' is not one of the 128 characters"):
        Replay("4x4-1_!00")
    with pytest.raises(InvalidInput, match="does not start with"):
        Replay("something else")
    with pytest.raises(InvalidInput, match="checksum"):
        Replay(replay.text().replace("first moves", "First moves"))
    with pytest.raises(OSError, match="missing.2048"):
        Replay.read(tmp_path / "missing.2048")


def test_an_invalid_replay_says_what_is_wrong() -> None:
    import zlib

    game = Game(seed=5)
    play_first_moves(game, 3)
    head, _, _ = game.replay().text().rpartition("crc32 ")
    lied = head.replace(f'"score":{game.score}', f'"score":{game.score + 4}')
    with pytest.raises(ReplayFault, match=f"states a score of {game.score + 4}"):
        Replay(f"{lied}crc32 {zlib.crc32(lied.encode()):08x}\n").verify()
