#!/usr/bin/env python3
"""Plays the contests of a plan and keeps what they gave.

    benchmarks/run.py benchmarks/plans/searching.json benchmarks/2026-11-16-searching [NAME...]
    benchmarks/run.py --speed benchmarks/plans/searching.json benchmarks/2026-11-16-searching [NAME...]

For every entry of the plan the release binary plays an arena of its own; the records go to NAME.jsonl in the folder (above 10,000 games
only their digest is kept), a summary with command, commit, machine, memory and figures to NAME.json. A contest that was interrupted goes
on where it stopped; one whose summary is there is left alone. README tables are made from the summaries by table.py.

Contests may run beside other work, which changes no record but the times. So the moves per second of an entry with a number of games in
"speed" are measured by --speed, in that many games, when nothing else runs.
"""

import json
import math
import os
import platform
import resource
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_RECORDS_KEPT = 10_000
TILES = [2048, 4096, 8192, 16384, 32768, 65536]


def output_of(*command):
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def processor():
    names = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return f"{names[0] if names else platform.processor()}, {os.cpu_count()} cores"


def wilson(hits, games):
    """Wilson's 95% score interval of a rate (E. B. Wilson, 1927)."""
    z = 1.959963984540054
    rate = hits / games
    middle = (rate + z * z / (2 * games)) / (1 + z * z / games)
    half = z * math.sqrt(rate * (1 - rate) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return [max(0.0, middle - half), min(1.0, middle + half)]


def summary_of(records):
    scores = [record["score"] for record in records]
    games, moves = len(records), sum(record["moves"] for record in records)
    deviation = statistics.stdev(scores) if games > 1 else float("nan")
    rates = {}
    for tile in TILES:
        hits = sum(record["largest"] >= tile for record in records)
        rates[str(tile)] = {"games": hits, "rate": hits / games, "interval": wilson(hits, games)}
    return {
        "games": games,
        "failed": sum(record["end"] == "failed" for record in records),
        "mean": statistics.fmean(scores),
        "error": 1.959963984540054 * deviation / math.sqrt(games),
        "median": statistics.median(scores),
        "deviation": deviation,
        "best": max(scores),
        "mean_largest": statistics.fmean(record["largest"] for record in records),
        "mean_moves": moves / games,
        "moves_per_second": moves / (sum(record["time"]["ms"] for record in records) / 1000),
        "rates": rates,
    }


def arena(entry, games, binary):
    """The command that plays an entry on one thread."""
    command = [str(binary), "arena", entry["player"], "--games", str(games), "--seed", str(entry.get("seed", 1)), "--threads", "1"]
    for option in ("until", "max_moves", "size"):
        if option in entry:
            command += [f"--{option.replace('_', '-')}", str(entry[option])]
    return command


def measure_speed(entry, folder, binary):
    path = folder / f"{entry['name']}.json"
    summary = json.loads(path.read_text())
    result = json.loads(output_of(*arena(entry, entry["speed"], binary), "--json"))
    summary["moves_per_second"] = result["players"][0]["moves_per_second"]
    path.write_text(json.dumps(summary, indent=1) + "\n")
    print(f"{entry['name']}: {summary['moves_per_second']:.0f} moves/s", flush=True)


def play(entry, folder, binary):
    records_path = folder / f"{entry['name']}.jsonl"
    command = arena(entry, entry["games"], binary) + ["-o", str(records_path)]
    # The child's peak memory is known when it has been waited for; a helper process keeps earlier children out of it.
    if os.fork() == 0:
        code = subprocess.run(command + ["--json"], stdout=open(folder / "arena.json", "w")).returncode
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        (folder / "peak").write_text(str(peak))
        os._exit(code)
    if os.wait()[1] != 0:
        sys.exit(f"{entry['name']} did not end well; the same command goes on with it")
    with open(records_path) as lines:
        next(lines)
        records = [json.loads(line) for line in lines]
    shown = ["lab2048"] + [Path(word).name if word == str(records_path) else word for word in command[1:]]
    summary = {
        "name": entry["name"],
        "player": entry["player"],
        "command": " ".join(shown),
        "commit": output_of("git", "rev-parse", "--short=12", "HEAD"),
        "machine": processor(),
        "peak_memory_mib": int((folder / "peak").read_text()) // 1024,
        "digest": json.loads((folder / "arena.json").read_text())["digest"],
        **{key: entry[key] for key in ("label", "document", "until") if key in entry},
        **summary_of(records),
    }
    (folder / "peak").unlink()
    (folder / "arena.json").unlink()
    if entry["games"] > MOST_RECORDS_KEPT:
        records_path.unlink()
    (folder / f"{entry['name']}.json").write_text(json.dumps(summary, indent=1) + "\n")
    print(f"{entry['name']}: {summary['mean']:.0f} +- {summary['error']:.0f} over {summary['games']} games", flush=True)


def main():
    words = [word for word in sys.argv[1:] if word != "--speed"]
    if len(words) < 2:
        sys.exit(__doc__)
    plan, folder, wanted = json.loads(Path(words[0]).read_text()), Path(words[1]), set(words[2:])
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet", "--bin", "lab2048"], cwd=ROOT, check=True)
    binary = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "lab2048"
    folder.mkdir(parents=True, exist_ok=True)
    for entry in plan:
        if wanted and entry["name"] not in wanted:
            continue
        played = (folder / f"{entry['name']}.json").exists()
        if "--speed" not in sys.argv and not played:
            play(entry, folder, binary)
        if "--speed" in sys.argv and played and "speed" in entry:
            measure_speed(entry, folder, binary)


if __name__ == "__main__":
    main()
