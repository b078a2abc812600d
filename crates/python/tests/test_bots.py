"""Python functions, and programs, as players of the arena."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
import traceback
import warnings
from pathlib import Path
from typing import Any

import pytest

from lab2048 import Board, Bot, Direction, InvalidInput, Player, arena

ORDER = [Direction.LEFT, Direction.DOWN, Direction.RIGHT, Direction.UP]


def corner(board: Board) -> Direction:
    """The first legal move of left, down, right, up."""
    return min(board.legal_moves(), key=ORDER.index)


EXEC = """
import sys
WORDS = ["left", "down", "right", "up"]
STEPS = {"left": (0, -1), "down": (1, 0), "right": (0, 1), "up": (-1, 0)}

def slides(rows, step):
    inside = lambda row, col: 0 <= row < len(rows) and 0 <= col < len(rows[0])
    return any(
        rows[row][col] and inside(row + step[0], col + step[1])
        and rows[row + step[0]][col + step[1]] in (0, rows[row][col])
        for row in range(len(rows)) for col in range(len(rows[0]))
    )

for line in sys.stdin:
    if line.startswith("move"):
        rows = [[int(cell) for cell in row.split(",")] for row in line.split()[1].split("/")]
        print(next(word for word in WORDS if slides(rows, STEPS[word])), flush=True)
"""


def test_functions_play_beside_built_in_players_and_programs(tmp_path: Path) -> None:
    (tmp_path / "corner.py").write_text(EXEC)
    program = f"exec:cmd={sys.executable} {tmp_path}/corner.py,time=60s"
    calls: list[tuple[int, int]] = []
    result = arena(
        ["random", corner, program], 10, seed=5, size=3, progress=lambda done, total: calls.append((done, total))
    )
    assert result.players[:2] == ["random", "python:name=corner"] and len(result) == 30
    assert calls[-1] == (30, 30) and calls == sorted(calls)
    games: dict[str, list[tuple[int, int, int]]] = {player: [] for player in result.players}
    for record in result.records:
        games[record.player].append((record.seed, record.score, record.moves))
        assert record.end == "no-moves", record.error
    assert games["python:name=corner"] == games[result.players[2]], "both follow the same rule in the same games"
    random, ours, _ = result.summaries
    assert random["games"] == ours["games"] == 10 and ours["player"] == "python:name=corner"
    pairs = {(pair["first"], pair["second"]): pair["mean"] for pair in result.differences}
    assert pairs["random", "python:name=corner"] == pytest.approx(random["mean"] - ours["mean"])
    assert pairs["python:name=corner", result.players[2]] == 0


@pytest.mark.parametrize("threads", [None, 1, 2, 4])
def test_a_function_is_called_in_the_callers_thread_one_call_after_another(threads: int | None) -> None:
    expected = arena(["greedy", corner], 20, seed=7, size=3, threads=1)
    greedy = Player("greedy")
    here, running, seen = threading.get_ident(), 0, 0

    def ours(board: Board) -> Direction:
        nonlocal running, seen
        assert threading.get_ident() == here and running == 0
        running, seen = running + 1, seen + 1
        direction = greedy.best(board).direction
        running -= 1
        assert direction is not None
        return direction

    result = arena(["greedy", corner, Bot(ours, name="ours")], 20, seed=7, size=3, threads=threads)
    scores = {player: [record.score for record in result.records if record.player == player] for player in result.players}
    assert scores["python:name=ours"] == scores["greedy"] and seen > 1000
    assert scores["python:name=corner"] == [record.score for record in expected.records[1::2]]


def test_by_default_a_function_sees_one_game_after_another() -> None:
    sums: list[int] = []

    def watching(board: Board) -> Direction:
        sums.append(board.tile_sum)
        return corner(board)

    result = arena(["random", watching], 20, seed=1, size=3)
    starts = [index for index, tiles in enumerate(sums) if index == 0 or tiles < sums[index - 1]]
    lengths = [end - start for start, end in zip(starts, [*starts[1:], len(sums)])]
    assert lengths == [record.moves for record in result.records[1::2]]


@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_ends_the_contest_with_its_traceback(threads: int, tmp_path: Path) -> None:
    calls = 0

    def fragile(board: Board) -> Direction:
        nonlocal calls
        calls += 1
        if calls == 400:
            raise LookupError("no idea")
        return corner(board)

    path = tmp_path / "runs.jsonl"
    with pytest.raises(LookupError, match="^no idea$") as caught:
        arena(["random", Bot(fragile, name="f", version="1")], 1_000_000, size=3, threads=threads, output=path)
    assert calls == 400, "no call follows the exception"
    assert "fragile" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    # The games before it are kept, and none of them has failed.
    kept = path.read_text().splitlines()[1:]
    assert 2 <= len(kept) < 400 and not any("failed" in line for line in kept)
    result = arena(["random", Bot(corner, name="f", version="1")], 100, size=3, output=path)
    assert result == arena(["random", Bot(corner, name="f", version="1")], 100, size=3)


def test_wrong_answers_end_the_game_as_those_of_programs_do() -> None:
    class Odd:
        def __repr__(self) -> str:
            return "two\nlines"

    wrong: tuple[tuple[Any, str], ...] = (
        (None, "it returned None, which is not a direction, 'pass' or 'quit'"),
        ("sideways", "it returned 'sideways', which is not a direction, 'pass' or 'quit'"),
        (1.0, "it returned 1.0, which is not"),
        (4, "it returned 4, which is not"),
        (10**30, "it returned 1000000000000000000000000000000, which is not"),
        (Odd(), "it returned two?lines, which is not"),
        ("left", "it returned left, which does not change the board"),
        ("pass", "it returned 'pass', but these rules do not allow a pass"),
    )
    for answer, sentence in wrong:
        result = arena([Bot(lambda board: answer, name="wrong"), "greedy"], 2, board="2 4/2 4", threads=2)
        failed, fine = result.records[:2]
        assert (failed.end, failed.moves, fine.end) == ("failed", 0, "no-moves")
        assert failed.error is not None and failed.error.startswith(f"python (wrong): {sentence}"), failed.error
    assert result.summaries[0]["ends"] == {"failed": 2}


def test_right_answers_have_many_forms() -> None:
    import numpy as np

    board = "2 4/2 4"
    answers: tuple[Any, ...] = (Direction.UP, 0, "up", "U", np.int64(0), False)
    for answer in answers:
        record = arena(Bot(lambda board: answer, name="up"), 1, board=board, max_moves=1).records[0]
        assert (record.end, record.moves, record.score) == ("max-moves", 1, 12)
    assert arena(Bot(lambda board: "quit", name="quitter"), 1, board=board).records[0].end == "quit"
    # The rules of the course allow a pass, and a move that changes nothing.
    idle = arena([Bot(lambda board: "pass", name="passing"), Bot(lambda board: "left", name="idle")], 1, board="2 4 0/2 4 0/0 0 0", rules="course", max_moves=2)
    assert [(record.end, record.moves, record.score) for record in idle.records] == [("max-moves", 2, 0)] * 2


def test_an_exception_in_the_answer_is_that_of_the_function() -> None:
    class Broken:
        def __index__(self) -> int:
            raise ZeroDivisionError("broken number")

    with pytest.raises(ZeroDivisionError, match="broken number"):
        arena(Bot(lambda board: Broken(), name="broken"), 3)  # type: ignore[arg-type,return-value]


def test_names_and_versions() -> None:
    class Corner:
        def __call__(self, board: Board) -> Direction:
            return corner(board)

    def inner(board: Board) -> Direction:
        return corner(board)

    ours = Bot(corner, version="2")
    assert (ours.name, ours.version, ours.spec, ours.function) == ("corner", "2", "python:name=corner,version=2", corner)
    assert repr(ours) == "<Bot python:name=corner,version=2>" and ours(Board("2 0/0 0")) == Direction.DOWN
    kept = pickle.loads(pickle.dumps(ours))
    assert (kept.spec, kept.function) == (ours.spec, corner)
    assert Bot(inner).name == "test_names_and_versions.<locals>.inner"
    assert Bot(Corner()).name == "test_names_and_versions.<locals>.Corner"
    assert Bot(corner, name='a, "b"').spec == 'python:name="a, \\"b\\""'
    result = arena([Bot(corner, 'a, "b"'), ours, "random"], 1, size=3)
    assert result.players == ['python:name="a, \\"b\\""', "python:name=corner,version=2", "random"]
    assert result.unverified == ['python:name="a, \\"b\\""']
    with pytest.raises(InvalidInput, match="^the player python:name=corner is given twice$"):
        arena([corner, Bot(corner)], 1)
    for wrong in ({"name": " "}, {"version": ""}):
        with pytest.raises(InvalidInput, match="of a bot must not be empty$"):
            Bot(corner, **wrong)
    with pytest.raises(TypeError, match="a bot needs a function"):
        Bot("greedy")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a player is a spec, a Player, a Bot or a Python function"):
        arena(["random", 3], 1)  # type: ignore[list-item]
    # The name alone builds nothing: a record does not hold the function.
    with pytest.raises(InvalidInput, match="there is no player 'python'"):
        Player("python:name=corner")


def test_a_file_cannot_tell_whether_a_function_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    sentence = "the file of records cannot tell whether python:name=corner has changed: give each Bot a version"
    with pytest.warns(UserWarning, match=sentence) as caught:
        first = arena(["random", corner], 5, size=3, output=path)
    assert len(caught) == 1 and first.unverified == ["python:name=corner"]
    assert pickle.loads(pickle.dumps(first)).unverified == first.unverified
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert arena(["random", corner], 5, size=3).digest == first.digest, "no file, no warning"
        versioned = arena([Bot(corner, version="1")], 5, size=3, output=tmp_path / "versioned.jsonl")
        assert versioned.unverified == []
        with pytest.raises(InvalidInput, match="was made by another command"):
            arena([Bot(corner, version="2")], 5, size=3, output=tmp_path / "versioned.jsonl")


def test_a_program_is_verified_by_the_hashes_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "corner.py").write_text(EXEC)
    program = f"exec:cmd={sys.executable} {tmp_path}/corner.py,time=60s"
    assert arena(program, 1, size=2).unverified == [Player(program).spec]
    assert arena(program, 1, size=2, output=tmp_path / "runs.jsonl").unverified == []
    (tmp_path / "corner.py").write_text(EXEC + "\n# changed\n")
    with pytest.raises(InvalidInput, match="has games of another version"):
        arena(program, 2, size=2, output=tmp_path / "runs.jsonl")


def test_a_function_can_hold_an_arena() -> None:
    def thorough(board: Board) -> Direction:
        best = max(board.legal_moves(), key=lambda direction: arena("random", 2, board=board.slide(direction)[0].spawns()[0].board).summaries[0]["mean"])
        return best

    record = arena([thorough], 1, size=2, threads=2).records[0]
    assert record.end == "no-moves" and record.moves > 3


INTERRUPTED = {
    "quick": "lambda board: board.legal_moves()[0]",
    "endless": "forever",
    "asleep": "lambda board: time.sleep(1000)",
}


@pytest.mark.skipif(sys.platform == "win32", reason="needs Unix signals")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("function", INTERRUPTED)
def test_ctrl_c_ends_a_contest_of_functions(function: str, threads: int) -> None:
    script = f"""
import lab2048, threading, os, signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # The parent may have ignored it.
def forever(board):
    while True:
        pass
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    lab2048.arena(["greedy", {INTERRUPTED[function]}], 1_000_000, threads={threads})
except KeyboardInterrupt:
    print("interrupted", lab2048.arena(lambda board: "quit", 1).records[0].end, flush=True)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted quit\n", "")
