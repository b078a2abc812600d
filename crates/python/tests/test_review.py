from __future__ import annotations

import json
import pickle
import subprocess
import zlib
from pathlib import Path

import pytest

import lab2048
from lab2048 import Direction, Game, InvalidInput, Player, PlayerFailed, Replay, ReplayFault, review

#: A judge whose values are points, on 2x3 exact ones.
JUDGE = "optimal"


def played(seed: int = 3, size: str = "2x3") -> Replay:
    game = Game(size, seed=seed)
    Player("random").play(game)
    return game.replay(player="random")


def test_a_review_is_that_of_the_command(lab2048_bin: str, tmp_path: Path) -> None:
    replay = played()
    replay.write(tmp_path / "game.2048")
    command = [lab2048_bin, "review", str(tmp_path / "game.2048"), "--judge", JUDGE, "--json"]
    said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    calls: list[tuple[int, int]] = []
    ours = review(tmp_path / "game.2048", JUDGE, threads=2, progress=lambda done, total: calls.append((done, total)))
    assert ours == review(replay, JUDGE, threads=1) == review(str(tmp_path / "game.2048"), JUDGE)
    assert calls[-1] == (len(replay), len(replay)) and calls == sorted(calls)
    summary = said["summary"]
    for name in ("accuracy", "agreement", "kept", "loss", "mean_loss", "graded", "best", "forced", "unjudged"):
        assert getattr(ours, name) == pytest.approx(summary[name]), name
    assert (ours.judge, ours.network) == (said["judge"], said["network"]) and ours.judge == JUDGE
    assert len(ours) == len(ours.moves) == len(said["moves"]) == len(replay)
    for grade, tally in ours.grades.items():
        assert tally == {name: summary["grades"][grade][name] for name in ("moves", "loss")}
    assert sum(tally["moves"] for tally in ours.grades.values()) == ours.graded > 10
    for one, theirs, (board, score, _) in zip(ours.moves, said["moves"], replay.positions()):
        assert (one.number, one.score, one.board) == (theirs["move"], score, board)
        assert isinstance(one.played, Direction) and isinstance(one.best, Direction)
        assert [one.played.name.lower(), one.best.name.lower()] == [theirs["played"], theirs["best"]]
        assert list(one.values) == [theirs["values"][name.lower()] for name in Direction.__members__]
        for name in ("played_value", "best_value", "loss", "ratio", "cost", "random_cost", "verdict"):
            assert getattr(one, name) == theirs[name], name
        assert (one.grade or one.verdict) == one.verdict and one.is_best == (one.played == one.best)
    assert [one.number for one in ours.worst()] == said["worst"] and len(ours.worst(2)) == 2


def test_a_review_is_compared_and_kept() -> None:
    ours = review(played(), JUDGE)
    kept = pickle.loads(pickle.dumps(ours))
    assert kept == ours != review(played(seed=4), JUDGE) and kept.accuracy == ours.accuracy
    assert kept.grades == ours.grades and repr(kept) == repr(ours)
    one = pickle.loads(pickle.dumps(ours.moves[3]))
    assert one == ours.moves[3] != ours.moves[4] and repr(one) == repr(ours.moves[3])
    # The numbers of a forged pickle do not lead anywhere.
    restore, (judge, network, moves) = ours.__reduce__()
    forged = restore(judge, network, [(0, *state[1:]) for state in moves])
    assert [one.loss for one in forged.worst()] == [one.loss for one in ours.worst()] != []
    assert repr(ours).startswith(f"<Review of {len(ours)} moves by {JUDGE}: accuracy ")


def test_perfect_play_loses_nothing_and_a_quit_is_no_move() -> None:
    game = Game("2x3", seed=3)
    Player(JUDGE).play(game, max_moves=5)
    game.quit()
    ours = review(game.replay(), JUDGE)
    assert (ours.accuracy, ours.agreement, ours.loss, ours.worst()) == (1, 1, 0, [])
    last = ours.moves[-1]
    assert (last.played, last.verdict, last.grade, last.loss) == ("quit", "quit", None, None)
    assert "quit" in repr(last) and last.best_value > 0
    empty = review(Game("2x3", seed=3).replay(), JUDGE)
    assert (len(empty), empty.accuracy, empty.mean_loss, empty.loss) == (0, None, None, 0)
    # `auto` names the player that it stands for.
    assert review(game.replay()).judge == "optimal"


def test_mistakes(tmp_path: Path) -> None:
    replay = played()
    for judge, sentence in (
        ("greedy", "^greedy cannot be the judge: its values on this board are preferences, not points"),
        ("clairvoyant", "^clairvoyant cannot be the judge: it knows the coming tiles"),
        ("nobody", "^there is no player 'nobody'"),
    ):
        with pytest.raises(InvalidInput, match=sentence):
            review(replay, judge)
    with pytest.raises(PlayerFailed, match="nowhere.net"):
        review(replay, "ntuple:net=nowhere.net")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        review(tmp_path / "nowhere.2048")
    with pytest.raises(TypeError, match="a replay is a Replay or the path of its file"):
        review(7)  # type: ignore[arg-type]
    (tmp_path / "wrong.2048").write_text("hello")
    with pytest.raises(InvalidInput, match="wrong.2048: "):
        review(tmp_path / "wrong.2048")
    with pytest.raises(InvalidInput, match="^0 threads are not possible"):
        review(replay, JUDGE, threads=0)


def test_an_impossible_step_is_found_first(tmp_path: Path) -> None:
    head, _, _ = played().text().rpartition("crc32 ")
    # After the first move to the left, cell 0 is taken, so no tile can appear there.
    assert "\nL41 L41 " in head
    wrong = head.replace("\nL41 L41 ", "\nL01 L41 ")
    broken = Replay(f"{wrong}crc32 {zlib.crc32(wrong.encode()):08x}\n")
    for fails in (broken.positions, lambda: review(broken, JUDGE), lambda: lab2048.gif(broken, tmp_path / "a.gif")):
        with pytest.raises(ReplayFault, match="^step 1"):
            fails()
    assert list(tmp_path.iterdir()) == []


def test_an_exception_in_the_callback_ends_the_review() -> None:
    def stop(done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="^enough$"):
        review(played(), JUDGE, progress=stop)
    assert lab2048.review(played(), JUDGE).graded > 0
