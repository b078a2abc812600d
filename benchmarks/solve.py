#!/usr/bin/env python3
"""Solves small boards and endgames, compares players with perfect play, and writes the README of a folder.

    LAB2048_NET_3X3=3x3.net benchmarks/solve.py benchmarks/2026-11-19-solve

Every table is computed anew and stays in the data folder (LAB2048_HOME). What the folder of results
has already is not measured again. LAB2048_NET_3X3 is the file of a network for 3x3. Run it with
nothing else running.
"""

import json
import os
import subprocess
import time

from release import begin
from run import processor

# What is solved, with the figures that others published.
TABLES = [
    ("3x3", [], "about 5,470"),
    ("3x3-256", [], ""),
    ("3x3-512", [], "about 0.74"),
    ("3x3-1024", [], "about 0.01"),
    ("block-512", ["--keep", "0.1"], ""),
    ("block-512", ["--keep", "0"], ""),
    ("block-512-anywhere", [], "0.827"),
    ("block-256", [], ""),
    ("block-256-anywhere", [], "0.994"),
    ("snake-512", [], ""),
    ("snake-512-anywhere", [], "0.724"),
    ("snake-256", [], ""),
    ("snake-256-anywhere", [], "0.988"),
    ("t-256", [], ""),
    ("t-256-anywhere", [], "0.9945"),
]
# Players on 3x3, with the number of sampled games; without one the value is exact.
PLAYERS = [
    ("random", None),
    ("greedy", None),
    ("sum:depth=2", 100_000),
    ("expectimax:depth=1", None),
    ("expectimax:depth=2", 100_000),
    ("ntuple:net=NETWORK", None),
    ("minimax:depth=2", 10_000),
    ("clairvoyant:depth=3", 10_000),
]
NETWORK = os.environ.get("LAB2048_NET_3X3", "3x3.net")


def measured(command):
    """The JSON that a command prints, with its time and memory."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command} failed")
    answer = json.loads(output)
    answer.pop("file", None)
    cpu = usage.ru_utime + usage.ru_stime
    return {**answer, "wall_seconds": time.monotonic() - began, "cpu_seconds": cpu, "peak_memory_mib": usage.ru_maxrss // 1024}


def known(path, measure):
    """What a file says, or else a new measurement, which it then says."""
    if not path.exists():
        part = path.with_suffix(".part")
        part.write_text(json.dumps(measure(), indent=1) + "\n")
        part.rename(path)
    answer = json.loads(path.read_text())
    print(path.name, flush=True)
    return answer


def table_row(what, published, answer):
    start = f"{answer['start']:.10f}" if answer["unit"] == "points" else f"{answer['start']:.12f}"
    positions = " | ".join(f"{answer[count]:,}" for count in ("boards", "afterstates", "terminal"))
    room = f"{answer['bytes'] / 1e6:.1f} | {8 * answer['bytes'] / answer['stored']:.1f}"
    times = f"{answer['wall_seconds']:.1f} | {answer['cpu_seconds']:.1f} | {answer['peak_memory_mib']}"
    return f"| `{what}` | {start} | {published} | {positions} | {times} | {room} |"


def player_row(name, answer):
    optimal, value = answer["optimal"], answer["value"]
    if answer["method"] == "exact":
        figures = f"{value:,.4f} | {optimal - value:,.4f} | {100 * (1 - value / optimal):.2f}% | exact, {answer['boards']:,} boards"
    else:
        half = lambda interval: (interval[1] - interval[0]) / 2
        lost, error = answer["lost"], half(answer["lost_interval"])
        losses = f"{lost:,.1f} ± {error:.1f} | {100 * lost / optimal:.2f}%"
        if answer["knows_future"]:
            losses = " | "
        figures = f"{value:,.1f} ± {half(answer['interval']):.1f} | {losses} | {answer['games']:,} games"
    return f"| `{name}` | {figures} |"


def main():
    folder, binary, commit = begin(__doc__)
    rows, commits = [], set()
    for name, options, published in TABLES:
        solve = [str(binary), "solve", name, *options, "--again", "--json"]
        measure = lambda: {"commit": commit, **measured(solve)}
        words = [name, *(word.removeprefix("--") for word in options)]
        answer = known(folder / f"{'-'.join(words)}.json", measure)
        commits.add(answer["commit"])
        rows.append(table_row(" ".join([name, *options]), published, answer))
    players = []
    for spec, games in PLAYERS:
        how = ["--games", str(games)] if games else ["--exact"]
        compare = [str(binary), "solve", "3x3", "--compare", spec.replace("NETWORK", NETWORK), *how, "--json"]
        name = spec.replace("NETWORK", "3x3.net")
        measure = lambda: {"commit": commit, **measured(compare), "player": name}
        file = name.replace(":", "-").replace("=", "").replace(".net", "")
        answer = known(folder / f"compare-{file}.json", measure)
        commits.add(answer["commit"])
        players.append(player_row(name, answer))
    player = json.loads((folder / "endgame.json").read_text())["players"][0]
    tile = player["tiles"][-1]
    low, high = tile["interval"]["low"], tile["interval"]["high"]
    share = f"{100 * tile['rate']:.1f}% ({100 * low:.1f} to {100 * high:.1f})"
    endgame = f"{tile['games']} of {player['games']} games: {share}"
    text = f"""# Exact play

`benchmarks/solve.py benchmarks/{folder.name}`, {processor()}.
Commit: {', '.join(sorted(commits))}. Each line of the tables has a file with all figures.
Nothing else ran while the tables were computed.

## Tables

Positions count once up to symmetry. The start of a small board is the mean over two start tiles.
That of an endgame is its best clean start. Published values begin with a 2 and a 4 in the free
cells beside the walls, which is a little worse for the block (0.8274).

| `solve` | start | published | boards | afterstates | terminal | seconds | CPU seconds | MiB | MB of the table | bits a position |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
""" + "\n".join(rows) + f"""

## The last 512 from the block

`endgame:table=block-512,else=ntuple:depth=3` made 32768 in {endgame}.
The interval is one of 95%, the records are in `endgame.jsonl`. `lab2048 arena` with
`--board "16384 2048 1024 4/8192 4096 512 2/0 0 0 0/0 0 0 2" --until 32768 --seed 100001` plays
these games.

## Players on 3x3

What a player loses against perfect play, in points a game. Sampled: the mean score, and what the
moves lost by the exact values, with 95% intervals (`--games N`, from seed 1). `clairvoyant` knows
the coming tiles, so it can exceed perfect play. `3x3.net` was trained for twelve minutes,
beside other work: `lab2048 train net3x3 --size 3x3 --largest 1024 --threads 1 --minutes 12`.

| player | value | lost | share | |
|---|--:|--:|--:|---|
""" + "\n".join(players) + "\n"
    (folder / "README.md").write_text(text)


if __name__ == "__main__":
    main()
