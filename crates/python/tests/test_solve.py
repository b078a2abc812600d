from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lab2048 import Afterstate, Board, Direction, Exact, InvalidInput, Table, solve


def run(script: str, home: Path) -> list[str]:
    """What a script prints, with a data folder of its own."""
    environment = {**os.environ, "LAB2048_HOME": str(home)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_value_of_the_start_and_the_counts_are_those_of_the_command(lab2048_bin: str) -> None:
    for name in ("2x2", "2x3", "2x3-64", "2x3-four0.25"):
        said = json.loads(subprocess.run([lab2048_bin, "solve", name, "--json"], check=True, capture_output=True, text=True).stdout)
        table = solve(name, threads=2)
        assert (table.name, table.start, table.unit, table.tile, table.four) == tuple(said[key] for key in ("name", "start", "unit", "tile", "four"))
        assert [table.boards, table.afterstates, table.terminal] == [said[key] for key in ("boards", "afterstates", "terminal")]
        assert (table.stored, table.keep, table.hash, table.goal) == tuple(said[key] for key in ("stored", "keep", "sha256", "goal"))
        assert table.path is said["file"] is None and table.walls == []
    assert solve("3x2").size == (2, 3), "a board on its side is the upright one"
    # The value of 2x2 can be worked out by hand in a page; see the tests of the solver.
    assert solve("2x2").start == pytest.approx(66.9641494571, abs=1e-9)


def best_value(table: Table, board: Board, depth: int) -> float:
    """The value of a board by the definition, a few moves deep, then from the table."""
    values = [reward + after_value(table, after, depth) for after, reward in map(board.slide, board.legal_moves())]
    return max(values, default=0.0)


def after_value(table: Table, after: Afterstate, depth: int) -> float:
    if depth == 0:
        value = table.value(after)
        assert value is not None
        return value
    return sum(outcome.probability * best_value(table, outcome.board, depth - 1) for outcome in after.spawns())


def test_the_values_of_a_board_follow_the_definition() -> None:
    table = solve("2x3")
    for text in ("0 2 2/0 4 8", "2 8 16/0 4 2", "0 0 0/0 2 2"):
        board = Board(text)
        exact = table.judge(board)
        assert exact is not None and exact.unit == "points" and exact.tile is None and exact.makes == []
        assert [value is not None for value in exact.values] == [index in board.legal_moves() for index in range(4)]
        for direction in board.legal_moves():
            after, reward = board.slide(direction)
            assert exact.values[direction] == pytest.approx(reward + after_value(table, after, 2), rel=1e-6)
        assert exact.best is not None and exact.value == exact.values[exact.best] == max(value for value in exact.values if value is not None)
        kept = pickle.loads(pickle.dumps(exact))
        assert isinstance(kept, Exact) and kept == exact and repr(kept) == repr(exact)


def test_chances_to_make_a_tile() -> None:
    table = solve("2x3-16")
    exact = table.judge("8 8 2/0 4 0")
    assert exact is not None and (exact.unit, exact.tile, exact.value) == ("chance", 16, 1.0)
    assert exact.makes == [Direction.RIGHT, Direction.LEFT] and exact.best == Direction.RIGHT
    kept = pickle.loads(pickle.dumps(exact))
    assert kept == exact and kept.makes == exact.makes
    assert table.judge("2 4/8 2") is None, "another board"
    assert 0.9 < solve("2x3-64").start < solve("2x3-32").start < 1


def test_mistakes(tmp_path: Path) -> None:
    for name, sentence in (
        ("tower", "^'tower' is not the name of a table: use one like block-512 or 3x3$"),
        ("4x4", "^the whole game on 4x4 has too many positions: solve for a tile instead, like 4x4-16$"),
        ("5x5-64", "both sides must be from 2 to 4"),
        ("2x3-20", "must be a power of two from 8 to 8192, not 20"),
    ):
        with pytest.raises(InvalidInput, match=sentence):
            solve(name)
    options: tuple[tuple[dict[str, Any], str], ...] = (
        ({"keep": 1.0}, "^keep must be from 0 to 0.999, not 1$"),
        ({"keep": float("nan")}, "^keep must be"),
        ({"threads": 0}, "^0 threads are not possible"),
    )
    for wrong, sentence in options:
        with pytest.raises(InvalidInput, match=sentence):
            solve("2x3-64", **wrong)
    with pytest.raises(InvalidInput, match="^keep is for chances"):
        solve("2x3", keep=0.1)
    with pytest.raises(FileNotFoundError, match="cannot use the table .*none.table"):
        Table.open(tmp_path / "none.table")
    (tmp_path / "wrong.table").write_text("hello")
    with pytest.raises(InvalidInput, match="it is not a table of lab2048"):
        Table.open(tmp_path / "wrong.table")
    with pytest.raises(TypeError):
        pickle.dumps(solve("2x2"))


def test_progress_and_an_exception_in_it() -> None:
    shares: list[float] = []
    solve("2x3", progress=shares.append)
    assert len(shares) > 10 and shares == sorted(shares) and shares[-1] == pytest.approx(1, abs=0.05)

    def stop(share: float) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="^enough$"):
        solve("2x3", progress=stop)


def test_tables_are_written_to_the_data_folder_and_taken_from_it(lab2048_bin: str, tmp_path: Path) -> None:
    script = """
import lab2048
from lab2048 import Table, solve, tables
name = "3x3-64"
memory = solve(name)
print(tables(), memory.path)
def stop(share):
    if share > 0.5:
        raise RuntimeError("enough")
try:
    solve(name, save=True, progress=stop)
except RuntimeError as error:
    print(error, tables())
saved = solve(name, save=True)  # The interrupted work may still be ending.
print(tables(), saved.path.name, saved.hash == memory.hash, saved.start == memory.start)
shares = []
again = solve(name, progress=shares.append)
print(shares, again.path == saved.path, Table.open(saved.path).hash == saved.hash)
saved.verify()
smaller = solve(name, save=True, keep=0.5)
print(smaller.stored < saved.stored, smaller.keep, solve(name).keep)
"""
    lines = run(script, tmp_path)
    assert lines == [
        "[] None",
        "enough []",
        "['3x3-64'] 3x3-64.table True True",
        "[] True True",
        "True 0.5 0.5",
    ]
    environment = {**os.environ, "LAB2048_HOME": str(tmp_path)}
    command = [lab2048_bin, "solve", "--info", "3x3-64", "--json"]
    said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)
    assert said["verified"] and said["keep"] == 0.5
    (tmp_path / "tables" / "3x3-64.table").write_bytes(b"damaged")
    damaged = "import lab2048, warnings\nwarnings.simplefilter('ignore')\nprint(lab2048.solve('3x3-64').keep)"
    assert run(damaged, tmp_path) == ["0.0"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs Unix signals")
@pytest.mark.parametrize("call", ["solve('3x3')", "solve('3x3', save=True)", "review(replay, 'expectimax:depth=9,eval=product')", "gif(replay, 'long.gif', smooth=60, delay=5)"])
def test_long_calls_answer_ctrl_c(call: str, tmp_path: Path) -> None:
    script = f"""
import lab2048, threading, os, signal
from lab2048 import gif, review, solve
os.chdir({str(tmp_path)!r})
signal.signal(signal.SIGINT, signal.default_int_handler)  # The parent may have ignored it.
game = lab2048.Game(seed=1)
lab2048.Player("expectimax:depth=1").play(game, max_moves=3000)
replay = game.replay()
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", os.path.exists("long.gif"), lab2048.tables(), flush=True)
os._exit(0)
"""
    assert run(script, tmp_path) == ["interrupted False []"]
