#!/usr/bin/env python3
"""Times how long `best` takes from its start to its end, and writes the README of a folder.

    benchmarks/starts.py benchmarks/2026-11-20-starts

Twenty runs each: first starts, without a decoded network in the cache, and later ones, with it. Run
it with nothing else running.
"""

import json
import os
import statistics
import subprocess
import tempfile
import time

from release import begin
from run import processor

RUNS = 20
PLAYERS = ["auto", "ntuple:net=full,depth=3"]
BOARD = "2 4 8 16/0 0 2 0/0 0 0 0/0 0 0 2"


def seconds(binary, player, home):
    """The time of one run. `home` holds the user's files, among them the decoded networks."""
    command = [str(binary), "best", BOARD, "--player", player]
    environment = {**os.environ, "LAB2048_HOME": home}
    environment.pop("LAB2048_CACHE", None)
    began = time.monotonic()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return round(time.monotonic() - began, 4)


def first_start(binary, player):
    with tempfile.TemporaryDirectory() as home:
        return seconds(binary, player, home)


def later_starts(binary, player):
    with tempfile.TemporaryDirectory() as home:
        seconds(binary, player, home)
        return [seconds(binary, player, home) for _ in range(RUNS)]


def row(player, start, times):
    return f"| `{player}` | {start} | {statistics.median(times):.2f} | {min(times):.2f} | {max(times):.2f} |"


def main():
    folder, binary, commit = begin(__doc__)
    starts = {}
    for player in PLAYERS:
        starts[player] = {
            "first": [first_start(binary, player) for _ in range(RUNS)],
            "later": later_starts(binary, player),
        }
    (folder / "starts.json").write_text(json.dumps({"commit": commit, "seconds": starts}, indent=1) + "\n")
    rows = [row(player, start, times) for player, kinds in starts.items() for start, times in kinds.items()]
    text = f"""# Starting

    benchmarks/starts.py benchmarks/{folder.name}

How many seconds `lab2048 best` takes, {RUNS} runs each. Nothing else ran.

    lab2048 best "{BOARD}" --player PLAYER

A first start decodes the network and writes it to the cache folder. Later starts find it there
([guide](../../docs/guide/terminal.md#decoded-networks)). `starts.json` has every run.

Commit {commit}, {processor()}.

| player | start | median | shortest | longest |
|---|---|--:|--:|--:|
""" + "\n".join(rows) + "\n"
    (folder / "README.md").write_text(text)


if __name__ == "__main__":
    main()
