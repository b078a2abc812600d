#!/usr/bin/env python3
"""Plays the contests of a plan and stores the results.

    benchmarks/run.py [--threads N] benchmarks/plans/searching.json benchmarks/2026-11-16-searching [NAME...]
    benchmarks/run.py --speed benchmarks/plans/searching.json benchmarks/2026-11-16-searching [NAME...]

The release binary plays a separate arena for every entry of the plan. The records go to NAME.jsonl
in the folder; above 10,000 games only their digest is kept. A summary with command, commit, machine,
memory and figures goes to NAME.json. An interrupted contest is resumed, and an entry with a summary
is skipped. table.py makes the tables of the README from the summaries.

Contests may run beside other work, which changes only the times in the records. So --speed measures
the moves per second separately, when nothing else runs: for entries with "speed", in that number of
games on one thread.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
from pathlib import Path

from release import build, output_of

MOST_RECORDS_KEPT = 10_000


def processor():
    names = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return f"{names[0] if names else platform.processor()}, {os.cpu_count()} cores"


def summary_of(player):
    """The figures of the arena for its player, with 95% intervals.

    Tiles below the first one of the list are always reached, those above the last one never.
    """
    figures = ("games", "mean", "median", "deviation", "best", "mean_largest", "mean_moves", "moves_per_second")
    bounds = lambda interval: [interval["low"], interval["high"]] if interval else None
    interval = bounds(player["interval"])
    return {
        **{figure: player[figure] for figure in figures},
        "failed": player["ends"].get("failed", 0),
        "interval": interval,
        "error": (interval[1] - interval[0]) / 2 if interval else None,
        "rates": {
            str(tile["tile"]): {"games": tile["games"], "rate": tile["rate"], "interval": bounds(tile["interval"])}
            for tile in player["tiles"]
        },
    }


def arena(entry, games, binary, threads=1):
    """The command that plays an entry."""
    command = [str(binary), "arena", entry["player"], "--games", str(games), "--seed", str(entry.get("seed", 1)), "--threads", str(threads)]
    for option in ("until", "max_moves", "size"):
        if option in entry:
            command += [f"--{option.replace('_', '-')}", str(entry[option])]
    return command


def measure_speed(entry, folder, binary, commit):
    path = folder / f"{entry['name']}.json"
    summary = json.loads(path.read_text())
    result = json.loads(output_of(*arena(entry, entry["speed"], binary), "--json"))
    summary["moves_per_second"] = result["players"][0]["moves_per_second"]
    summary["speed_commit"] = commit
    path.write_text(json.dumps(summary, indent=1) + "\n")
    print(f"{entry['name']}: {summary['moves_per_second']:.0f} moves/s", flush=True)


def play(entry, folder, binary, commit, threads):
    records_path = folder / f"{entry['name']}.jsonl"
    # A resumed contest may have been played by several binaries, so all their commits are named.
    commits_path = folder / f"{entry['name']}.commits"
    commits = commits_path.read_text().split() if commits_path.exists() else []
    if commit not in commits:
        commits.append(commit)
        commits_path.write_text("\n".join(commits) + "\n")
    command = arena(entry, entry["games"], binary, threads) + ["-o", str(records_path)]
    # The peak memory of a child is known after waiting for it. A helper process excludes earlier
    # children.
    if os.fork() == 0:
        code = subprocess.run(command + ["--json"], stdout=open(folder / "arena.json", "w")).returncode
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        (folder / "peak").write_text(str(peak))
        os._exit(code)
    if os.wait()[1] != 0:
        sys.exit(f"{entry['name']} failed; run the same command to resume")
    contest = json.loads((folder / "arena.json").read_text())
    shown = ["lab2048"] + [Path(word).name if word == str(records_path) else word for word in command[1:]]
    summary = {
        "name": entry["name"],
        "player": entry["player"],
        "command": " ".join(shown),
        "commit": ", ".join(commits),
        "machine": processor(),
        "peak_memory_mib": int((folder / "peak").read_text()) // 1024,
        "digest": contest["digest"],
        **{key: entry[key] for key in ("label", "document", "until") if key in entry},
        **summary_of(contest["players"][0]),
    }
    commits_path.unlink()
    (folder / "peak").unlink()
    (folder / "arena.json").unlink()
    if entry["games"] > MOST_RECORDS_KEPT:
        records_path.unlink()
    (folder / f"{entry['name']}.json").write_text(json.dumps(summary, indent=1) + "\n")
    error = "?" if summary["error"] is None else f"{summary['error']:.0f}"
    print(f"{entry['name']}: {summary['mean']:.0f} +- {error} over {summary['games']} games", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help="entries to play; all by default")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="number of threads")
    parser.add_argument("--speed", action="store_true", help="measure moves per second of the entries already played")
    options = parser.parse_args()
    plan, folder = json.loads(options.plan.read_text()), options.folder
    unknown = set(options.names) - {entry["name"] for entry in plan}
    if unknown:
        parser.error(f"not in the plan: {', '.join(sorted(unknown))}")
    binary, commit = build()
    folder.mkdir(parents=True, exist_ok=True)
    for entry in plan:
        if options.names and entry["name"] not in options.names:
            continue
        played = (folder / f"{entry['name']}.json").exists()
        if not options.speed and not played:
            play(entry, folder, binary, commit, options.threads)
        if options.speed and played and "speed" in entry:
            measure_speed(entry, folder, binary, commit)


if __name__ == "__main__":
    main()
