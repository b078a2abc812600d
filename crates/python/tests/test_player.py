from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from lab2048 import Board, Game, IllegalMove, InvalidInput, Player, PlayerFailed, arena, players

BOARD = "2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2"


def test_the_best_move_with_its_values() -> None:
    decision = Player("expectimax:depth=2").best(BOARD)
    assert decision.direction in Board(BOARD).legal_moves()
    legal = Board(BOARD).legal_moves()
    assert [value is not None for value in decision.values] == [index in legal for index in range(4)]
    values = [value for value in decision.values if value is not None]
    assert decision.direction is not None and decision.values[decision.direction] == max(values)
    assert (decision.unit, decision.depth) == ("preference", 2) and decision.nodes > 0 and decision.seconds > 0
    assert decision.direction.name.lower() in repr(decision)


def test_a_lost_move_is_below_every_other() -> None:
    # Left leaves an empty cell in the last column, where a 4 ends the game.
    decision = Player("minimax:depth=1").best("8 16 8/0 4 2/8 32 64")
    up, right, down, left = decision.values
    assert left == -1e120 and up is not None and up > -1e100 and right is None
    assert "left lost" in repr(decision)
    kept = pickle.loads(pickle.dumps(decision))
    assert kept == decision and kept.values == decision.values


def test_decisions_are_those_of_the_command(lab2048_bin: str) -> None:
    import json

    command = [lab2048_bin, "best", BOARD, "--player", "expectimax:depth=3", "--json"]
    said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    decision = Player("expectimax:depth=3").best(Board(BOARD))
    assert decision.direction is not None and said["nodes"] == decision.nodes
    assert said["action"] == decision.direction.name.lower()


def test_specs() -> None:
    assert "expectimax" in players() and "greedy" in players()
    assert Player().spec == "auto"
    player = Player("expectimax:depth=3,eval=rows")
    assert player.spec == "expectimax:eval=rows,depth=3" and player.is_repeatable and not player.knows_future
    assert pickle.loads(pickle.dumps(player)).spec == player.spec
    assert not Player("expectimax:time=1ms").is_repeatable and Player("clairvoyant").knows_future
    with pytest.raises(InvalidInput, match="^there is no player 'gredy'; did you mean 'greedy'[?]$"):
        Player("gredy")
    with pytest.raises(PlayerFailed, match="nowhere.net"):
        Player("ntuple:net=nowhere.net")


def test_players_play_games() -> None:
    game = Game(seed=3)
    assert Player("greedy").play(game) == "no-moves" and game.is_over
    assert [record.score for record in arena(["greedy"], 1, seed=3).records] == [game.score]
    game = Game(seed=3)
    player = Player("clairvoyant")
    assert player.play(game, max_moves=10) == "max-moves" and game.moves == 10
    assert player.play(game, max_moves=5) == "max-moves" and game.moves == 15
    assert player.play(game, until=8) == "until" and game.board.largest >= 8
    assert player.best(game).direction in game.legal_moves()
    game.replay().verify()


def test_what_cannot_be_asked() -> None:
    with pytest.raises(IllegalMove, match="^the game is over: no moves left$"):
        Player("greedy").best("2 4/4 2")
    with pytest.raises(PlayerFailed):
        Player("clairvoyant").best(BOARD)
    with pytest.raises(InvalidInput):
        Player("greedy").best(BOARD, four=2.0)
    known: tuple[dict[str, Any], ...] = ({"four": 0.1}, {"score": 5})
    for wrong in known:
        with pytest.raises(TypeError, match="^four and score cannot be given with a running game, which has its own$"):
            Player("greedy").best(Game(), **wrong)
    with pytest.raises(InvalidInput, match="^-1 is not a whole number from 0 to 2\\^64-1"):
        Player("greedy").best(BOARD, score=-1)


def test_decisions_are_compared_and_kept() -> None:
    decision = Player("expectimax:depth=2").best(BOARD)
    assert decision == Player("expectimax:depth=2").best(BOARD) != Player("expectimax:depth=1").best(BOARD)
    kept = pickle.loads(pickle.dumps(decision))
    assert kept == decision and (kept.seconds, repr(kept)) == (pytest.approx(decision.seconds, abs=1e-5), repr(decision))


def test_a_game_that_changes_meanwhile_keeps_its_own_moves() -> None:
    game = Game(seed=1)
    failures: list[Exception] = []

    def play() -> None:
        try:
            Player("expectimax:time=300ms").play(game, max_moves=3)
        except PlayerFailed as failure:
            failures.append(failure)

    thread = threading.Thread(target=play)
    thread.start()
    game.play(game.legal_moves()[0])
    thread.join()
    # Either the player had not started yet, or it notices the change.
    assert (game.moves, [str(failure)[:20] for failure in failures]) in [
        (1, ["the game was changed"]),
        (4, []),
    ]


def test_one_player_serves_several_threads() -> None:
    player = Player("expectimax:depth=3")
    expected = player.best(BOARD).values
    answers: list[object] = []
    threads = [threading.Thread(target=lambda: answers.append(player.best(BOARD).values)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 4


def test_other_threads_run_while_a_player_thinks() -> None:
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.wait(0.001):
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = counted
    Player("expectimax:time=300ms").best(BOARD)
    during = counted - before
    done.set()
    thread.join()
    assert during > 5


BOT = """
import sys
for line in sys.stdin:
    if line.startswith("move"):
        print("left" if "0,2" in line else "right", flush=True)
"""


def test_a_bot_in_any_language(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    player = Player(f"exec:cmd={sys.executable} {tmp_path}/bot.py,time=60s")
    assert not player.is_repeatable
    decision = player.best("0 2/0 0")
    assert decision.direction is not None and decision.direction.name == "LEFT"
    with pytest.raises(PlayerFailed, match="does not change the board"):
        player.best("0 4/0 0")
    # The bot is started again after a failure.
    assert player.best("0 2/0 0") == decision


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.parametrize("has_bot", [False, True])
def test_a_bot_works_after_a_fork(has_bot: bool, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    script = f"""
import os, sys, lab2048
player = lab2048.Player("exec:cmd={sys.executable} {tmp_path}/bot.py,time=60s")
if {has_bot}:
    player.best("0 2/0 0")
child = os.fork()
if child == 0:
    print("child", player.best("0 2/0 0").direction.name, flush=True)
    os._exit(0)
os.waitpid(child, 0)
print("parent", player.best("0 2/0 0").direction.name)
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.stdout.split(), done.stderr) == (["child", "LEFT", "parent", "LEFT"], "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_player_works_after_a_fork() -> None:
    # In a separate process with a timeout, because a failure would be an endless wait.
    script = f"""
import os, sys, lab2048
player = lab2048.Player("expectimax:depth=2")
before = player.best("{BOARD}")
child = os.fork()
if child == 0:
    print("child", player.best("{BOARD}") == before, flush=True)
    os._exit(0)
os.waitpid(child, 0)
print("parent", player.best("{BOARD}") == before)
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.stdout.split(), done.stderr) == (["child", "True", "parent", "True"], "")


LONG_CALLS = {
    "best": "lab2048.Player('expectimax:depth=40').best('2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2')",
    "play": "lab2048.Player('expectimax:depth=4').play(game)",
    "arena": "lab2048.arena(['expectimax:depth=4'], 1000)",
    "arena in deep thought": "lab2048.arena(['expectimax:depth=40'], 2)",
}


@pytest.mark.skipif(sys.platform == "win32", reason="needs Unix signals")
@pytest.mark.parametrize("call", ["lab2048.Player(spec)", "lab2048.arena([spec], 1)"])
def test_loading_a_network_answers_ctrl_c(call: str, tmp_path: Path) -> None:
    # A pipe without a writer: reading it never ends.
    os.mkfifo(tmp_path / "slow.net")
    script = f"""
import lab2048, threading, os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # The parent may have ignored it.
spec = "ntuple:net={tmp_path}/slow.net"
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="needs Unix signals")
@pytest.mark.parametrize("name", LONG_CALLS)
def test_long_calls_answer_ctrl_c(name: str) -> None:
    script = f"""
import lab2048, threading, os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # The parent may have ignored it.
game = lab2048.Game(seed=1)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    {LONG_CALLS[name]}
except KeyboardInterrupt:
    # The game keeps the moves played, and the abandoned player is replaced.
    print("interrupted", lab2048.Player("greedy").best(game).direction is not None, flush=True)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.stdout.split(), done.stderr) == (["interrupted", "True"], "")
    assert done.returncode == 0
