#!/usr/bin/env python3
"""Has every searching player play a large board, a long one and one with a tile of 3.

    benchmarks/boards.py benchmarks/2026-11-16-boards

Each plays one game of at most 2,000 moves with the release binary on one thread. The records go to
BOARD.jsonl. The error messages of players that refuse a board go to refused.json. README.md gets a
table of both.
"""

import json
import subprocess
import sys

from release import ROOT, begin

MOVES = 2000
BOARDS = {
    "6x6": ["--size", "6x6"],
    "3x5": ["--size", "3x5"],
    "tile-3": ["--board", "3 0 0 0/0 2 0 0/0 0 0 0/0 0 4 0"],
}
EVALUATORS = ("corner", "smooth", "product", "weighted", "position", "neighbours", "rows")
PLAYERS = (
    ["random", "greedy", "sum:depth=1", "minimax:time=10ms,finish=false", "clairvoyant", "clairvoyant:depth=10,beam=40"]
    + ["clairvoyant:blind=true"]
    + [f"expectimax:eval={name},depth=1" for name in EVALUATORS]
    + ["expectimax:eval=rows,time=10ms", "ntuple", "auto"]
)


def run(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def main():
    folder, binary, commit = begin(__doc__)
    refused, cells = {}, {}
    for board, option in BOARDS.items():
        # One move shows which players accept the board.
        tried = {player: run(binary, "arena", player, *option, "--games", "1", "--max-moves", "1") for player in PLAYERS}
        refused[board] = {player: ran.stderr.strip() for player, ran in tried.items() if ran.returncode != 0}
        playing = [player for player in PLAYERS if player not in refused[board]]
        records = folder / f"{board}.jsonl"
        records.unlink(missing_ok=True)
        limits = ["--games", "1", "--seed", "1", "--threads", "1", "--max-moves", str(MOVES)]
        ran = run(binary, "arena", *playing, *option, *limits, "-o", str(records.resolve()), "--json")
        if ran.returncode != 0:
            sys.exit(ran.stderr)
        for record in map(json.loads, records.read_text().splitlines()[1:]):
            cells[board, record["player"]] = f"{record['moves']:,} moves, {record['end']}, {record['score']:,}"
        print(f"{board}: {len(playing)} play, {len(refused[board])} do not", flush=True)
    (folder / "refused.json").write_text(json.dumps(refused, indent=1) + "\n")
    lines = [f"| player | {' | '.join(BOARDS)} |", "|---" * (len(BOARDS) + 1) + "|"]
    for player in PLAYERS:
        row = [cells.get((board, player)) or refused[board][player] for board in BOARDS]
        lines.append(f"| `{player}` | {' | '.join(row)} |")
    command = f"`benchmarks/boards.py benchmarks/{folder.name}`, commit {commit}"
    text = f"# Every player on other boards\n\nOne game each: moves, end, score; or what the player says before the game starts.\n{command}.\n\n"
    (folder / "README.md").write_text(text + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
