#!/usr/bin/env python3
"""Makes the tables of results in the README from the summaries under benchmarks/.

    benchmarks/table.py            rewrites the README
    benchmarks/table.py --check    says whether the README is up to date, and fails if it is not

A table stands between the comments `<!-- table PLAN FOLDER -->` and `<!-- end of table -->`: PLAN is the plan whose order it follows,
FOLDER holds the summaries that run.py wrote. An entry without a summary is left out.
"""

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
README = HERE.parent / "README.md"
RATES = ["2048", "4096", "8192", "16384", "32768"]


def number(value):
    return f"{value:,.0f}"


def percent(share):
    return f"{100 * share:.0f}" if share >= 0.1 else f"{100 * share:.2g}"


def rate(summary, tile):
    """How often a tile was reached, in per cent, with the interval unless it was always or never."""
    # A game that was ended at a tile says nothing about larger ones.
    if "until" in summary and int(tile) > summary["until"]:
        return "-"
    rates = summary["rates"]
    if tile not in rates:
        return "100" if int(tile) < min(map(int, rates)) else "0"
    share = rates[tile]["rate"]
    if share in (0, 1):
        return f"{100 * share:.0f}"
    low, high = map(percent, rates[tile]["interval"])
    return f"{100 * share:.3g} ({low}-{high})"


def row(summary):
    mean = "" if "until" in summary else f"{number(summary['mean'])} ± {number(summary['error'])}"
    speed = summary["moves_per_second"]
    cells = [
        summary.get("label", f"`{summary['player']}`"),
        number(summary["games"]),
        mean,
        " / ".join(rate(summary, tile) for tile in RATES),
        number(speed) if speed >= 10 else f"{speed:.2g}",
        number(summary["peak_memory_mib"]),
        summary.get("document", ""),
    ]
    return "| " + " | ".join(cells) + " |"


def commits_of(summaries):
    """The commit of most rows, then the rows of others."""
    played = {}
    for summary in summaries:
        played.setdefault(summary["commit"], []).append(f"`{summary['player']}`")
    (usual, _), *others = sorted(played.items(), key=lambda item: -len(item[1]))
    return "; ".join([f"commit {usual}", *(f"{', '.join(players)}: {commit}" for commit, players in others)])


def table(plan, folder):
    entries = json.loads((HERE / "plans" / f"{plan}.json").read_text())
    paths = [HERE / folder / f"{entry['name']}.json" for entry in entries]
    summaries = [json.loads(path.read_text()) for path in paths if path.exists()]
    lines = [
        "| player | games | mean score | 2048 / 4096 / 8192 / 16384 / 32768 % | moves/s | MiB | the source document |",
        "|---|--:|--:|--:|--:|--:|---|",
        *[row(summary) for summary in summaries],
    ]
    machines = sorted({summary["machine"] for summary in summaries})
    note = f"± and brackets are 95% intervals, of the mean and of the rates; one thread; {'; '.join(machines)}; {commits_of(summaries)}; "
    note += f"records in [benchmarks/{folder}](benchmarks/{folder})."
    return "\n".join([*lines, "", note])


def main():
    pattern = re.compile(r"(<!-- table (\S+) (\S+) -->\n).*?(\n<!-- end of table -->)", re.S)
    old = README.read_text()
    new = pattern.sub(lambda found: found[1] + table(found[2], found[3]) + found[4], old)
    if "--check" in sys.argv[1:]:
        if new != old:
            sys.exit("the README's tables are not those of benchmarks/: run benchmarks/table.py")
    elif new != old:
        README.write_text(new)


if __name__ == "__main__":
    main()
