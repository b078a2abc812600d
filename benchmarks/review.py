#!/usr/bin/env python3
"""Measures the accuracy of players as `lab2048 review` reports it.

    benchmarks/review.py benchmarks/2026-11-19-review [BINARY]

Every player plays the games of the seeds 1 to 100, and `lab2048 review --json` judges them with the
default judge. The games go to games.csv; the means are printed as a table. Without BINARY, the
release binary of this checkout is built. Players that are in games.csv already are not measured again.
"""

import csv
import json
import math
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from release import begin, output_of

GAMES = 100
# Player, maximum number of moves. Only the first moves of long games are judged.
PLAYERS = [
    ("random", None),
    ("greedy", None),
    ("expectimax:depth=1", None),
    ("expectimax:depth=2", 1000),
    ("ntuple:depth=1", 1000),
    ("auto", 1000),
]
COLUMNS = ["player", "seed", "judge", "score", "moves", "graded", "best", "loss", "kept", "accuracy"]


def play(binary, player, moves, folder):
    """The replays of a player's games, by seed."""
    first = Path(folder) / "game.2048"
    limit = ["--max-moves", str(moves)] if moves else []
    command = [binary, "watch", player, "--seed", "1", "--games", str(GAMES), "--every", "0", *limit, "--save", str(first)]
    subprocess.run(command, check=True, capture_output=True)
    return [first, *(first.with_name(f"game-{number}.2048") for number in range(2, GAMES + 1))]


def reviews(binary, replays):
    """The reviews of replays, in their order."""
    command = [binary, "review", *map(str, replays), "--json", "--worst", "0", "--threads", "1"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    decoder, end = json.JSONDecoder(), 0
    while end < len(text):
        review, end = decoder.raw_decode(text, end)
        yield review
        end += 1  # The line break after each review.


def measure(binary, path):
    """Adds the players that are missing in the file."""
    rows = list(csv.DictReader(path.open())) if path.exists() else []
    known = {row["player"] for row in rows}
    for player, moves in PLAYERS:
        if player in known:
            continue
        with tempfile.TemporaryDirectory() as folder:
            for seed, review in enumerate(reviews(binary, play(binary, player, moves, folder)), 1):
                row = {"player": player, "seed": seed, "judge": review["judge"], "score": review["score"]}
                rows.append(row | {name: review["summary"][name] for name in COLUMNS if name in review["summary"]})
        with path.open("w") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        print(player, flush=True)


def mean(values, digits=1):
    """A mean with its 95% interval."""
    error = 1.96 * statistics.stdev(values) / math.sqrt(len(values))
    return f"{statistics.fmean(values):,.{digits}f} ± {error:,.{digits}f}"


def table(path):
    rows = list(csv.DictReader(path.open()))
    lines = ["| player | games | moves judged | accuracy % | best moves % | mean score |", "|---|--:|--:|--:|--:|--:|"]
    for player, moves in PLAYERS:
        games = [row for row in rows if row["player"] == player]
        graded = sum(int(row["graded"]) for row in games)
        accuracy = mean([100 * float(row["accuracy"]) for row in games])
        best = f"{100 * sum(int(row['best']) for row in games) / graded:.1f}"
        # The score of a game that was cut off says nothing.
        score = "" if moves else mean([int(row["score"]) for row in games], 0)
        lines.append(f"| `{player}` | {len(games)} | {graded:,} | {accuracy} | {best} | {score} |")
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) == 3:
        folder, binary = Path(sys.argv[1]), sys.argv[2]
        folder.mkdir(parents=True, exist_ok=True)
        commit = output_of("git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
    else:
        folder, binary, commit = begin(__doc__)
    measure(str(binary), folder / "games.csv")
    print(f"commit {commit}\n\n{table(folder / 'games.csv')}")


if __name__ == "__main__":
    main()
