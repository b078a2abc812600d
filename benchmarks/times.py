#!/usr/bin/env python3
"""Measures the time per move and the memory of players: one game each on an idle machine.

    benchmarks/times.py benchmarks/2026-11-16-times

Plays each player of PLAYERS by `lab2048 watch --json` with the release binary. The times go to
times.json and, as a table, to README.md. The overshoot of a player with a time limit is the mean
time beyond the limit, as a share of the limit; moves that end earlier count as 0.
"""

import json
import os
import re
import resource
import statistics
import subprocess

from release import begin

SECONDS = {"ms": 1e-3, "s": 1.0}
# Player, options, maximum number of moves.
PLAYERS = [
    ("sum:depth=3", [], None),
    ("sum:depth=4", [], None),
    ("expectimax:eval=rows,time=10ms", [], 1000),
    ("expectimax:eval=rows,time=100ms", [], 200),
    ("expectimax:eval=corner,time=10ms", [], 1000),
    ("expectimax:eval=rows,time=10ms", ["--size", "5x5"], 1000),
    ("ntuple:time=10ms", [], 1000),
    ("ntuple:time=100ms", [], 200),
]


def times_of(binary, player, options, moves):
    """The seconds of each move, and the peak memory in MiB."""
    command = [binary, "watch", player, "--json", "--seed", "1", *options] + (["--max-moves", str(moves)] if moves else [])
    readable, writable = os.pipe()
    # The peak memory of a child is known after waiting for it. A helper process excludes earlier
    # children.
    if os.fork() == 0:
        os.close(readable)
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        events = [json.loads(line) for line in lines]
        seconds = [event["decision"]["seconds"] for event in events if event["event"] == "move"]
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        with os.fdopen(writable, "w") as result:
            json.dump([seconds, peak], result)
        os._exit(0)
    os.close(writable)
    with os.fdopen(readable) as result:
        answer = json.load(result)
    os.wait()
    return answer


def limit_of(player):
    found = re.search(r"time=(\d+)(ms|s)", player)
    return int(found[1]) * SECONDS[found[2]] if found else None


def main():
    folder, binary, commit = begin(__doc__)
    rows = []
    for player, options, moves in PLAYERS:
        seconds, peak = times_of(str(binary), player, options, moves)
        # Without the first move, which includes loading.
        later, limit = seconds[1:], limit_of(player)
        mean = statistics.fmean(later)
        overshoot = statistics.fmean(max(0, took - limit) for took in later) / limit if limit else None
        row = {"player": player, "options": options, "moves": len(later), "mean_ms": mean * 1e3, "longest_ms": max(later) * 1e3}
        rows.append({**row, "overshoot": overshoot, "peak_memory_mib": peak})
        print(rows[-1], flush=True)
    (folder / "times.json").write_text(json.dumps({"commit": commit, "players": rows}, indent=1) + "\n")
    lines = ["| player | moves | mean | longest | mean overshoot | memory |", "|---|--:|--:|--:|--:|--:|"]
    for row in rows:
        name = " ".join([f"`{row['player']}`", *(word for word in row["options"] if word != "--size")])
        above = "" if row["overshoot"] is None else f"{100 * row['overshoot']:.2f}%"
        figures = f"{row['moves']:,} | {row['mean_ms']:.2f} ms | {row['longest_ms']:.1f} ms | {above} | {row['peak_memory_mib']} MiB"
        lines.append(f"| {name} | {figures} |")
    text = f"# Times of moves\n\nOne game of seed 1, without its first move. `benchmarks/times.py benchmarks/{folder.name}`,\ncommit {commit}, two cores, nothing else running.\n\n"
    (folder / "README.md").write_text(text + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
