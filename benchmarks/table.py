#!/usr/bin/env python3
"""Makes the tables of results in README.md and docs/results.md from the summaries under benchmarks/.

    benchmarks/table.py            rewrites both files
    benchmarks/table.py --check    fails if a table is out of date

A table is between two comments. The first one says what it shows:

    <!-- table PLAN FOLDER -->             all entries of a plan, in its order, with summaries in FOLDER
    <!-- rows FOLDER/NAME ... -->          a short table of the named summaries
    <!-- end of table -->

run.py writes the summaries. An entry of a plan without a summary is left out.
"""

import json
import os
import re
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PAGES = [ROOT / "README.md", ROOT / "docs" / "results.md"]
COLUMNS = 100
RATES = ["2048", "4096", "8192", "16384", "32768"]
SHORT_RATES = ["2048", "8192", "32768"]


def number(value):
    return f"{value:,.0f}"


def percent(share):
    return f"{100 * share:.0f}" if share >= 0.1 else f"{100 * share:.2g}"


def rate(summary, tile, interval=True):
    """How often a tile was reached, in per cent, with the interval unless the rate is 0 or 1."""
    # A game that stops at a tile says nothing about larger ones.
    if "until" in summary and int(tile) > summary["until"]:
        return "-"
    rates = summary["rates"]
    if tile not in rates:
        return "100" if int(tile) < min(map(int, rates)) else "0"
    share = rates[tile]["rate"]
    if share in (0, 1):
        return f"{100 * share:.0f}"
    if not interval:
        return f"{100 * share:.3g}"
    low, high = map(percent, rates[tile]["interval"])
    return f"{100 * share:.3g} ({low}-{high})"


def score(summary):
    return "" if "until" in summary else f"{number(summary['mean'])} ± {number(summary['error'])}"


def speed(summary):
    speed = summary["moves_per_second"]
    return number(speed) if speed >= 10 else f"{speed:.2g}"


def line(*cells):
    return "| " + " | ".join(cells) + " |"


def row(summary):
    return line(
        summary.get("label", f"`{summary['player']}`"),
        number(summary["games"]),
        score(summary),
        " / ".join(rate(summary, tile) for tile in RATES),
        speed(summary),
        number(summary["peak_memory_mib"]),
        summary.get("document", ""),
    )


def short_row(summary):
    return line(
        f"`{summary['player']}`",
        number(summary["games"]),
        score(summary),
        *(rate(summary, tile, interval=False) for tile in SHORT_RATES),
        speed(summary),
    )


def commits_of(summaries):
    """The commit of most rows, then the rows with other commits."""
    played = {}
    for summary in summaries:
        played.setdefault(summary["commit"], []).append(f"`{summary['player']}`")
    (usual, _), *others = sorted(played.items(), key=lambda item: -len(item[1]))
    return "; ".join([f"commit {usual}", *(f"{', '.join(players)}: {commit}" for commit, players in others)])


def machines_of(summaries):
    return "; ".join(sorted({summary["machine"] for summary in summaries}))


def wrapped(note):
    return textwrap.fill(note, COLUMNS, break_long_words=False, break_on_hyphens=False)


def table(page, plan, folder):
    entries = json.loads((HERE / "plans" / f"{plan}.json").read_text())
    paths = [HERE / folder / f"{entry['name']}.json" for entry in entries]
    summaries = [json.loads(path.read_text()) for path in paths if path.exists()]
    note = (
        "± and parentheses are 95% intervals of the mean and of the rates. Moves/s are on one thread. "
        f"{machines_of(summaries)}; {commits_of(summaries)}."
    )
    link = os.path.relpath(HERE / folder, page.parent)
    return "\n".join([
        line("player", "games", "mean score", " / ".join(RATES) + " %", "moves/s", "MiB", "original document"),
        "|---|--:|--:|--:|--:|--:|---|",
        *map(row, summaries),
        "",
        wrapped(note),
        f"Records: [benchmarks/{folder}]({link}).",
    ])


def short_table(names):
    summaries = [json.loads((HERE / f"{name}.json").read_text()) for name in names]
    rates = [f"{tile} %" for tile in SHORT_RATES]
    note = f"± is a 95% interval. Moves/s are on one thread. {machines_of(summaries)}."
    return "\n".join([
        line("player", "games", "mean score", *rates, "moves/s"),
        "|---|--:|--:|" + "--:|" * (len(rates) + 1),
        *map(short_row, summaries),
        "",
        wrapped(note),
    ])


def updated(page):
    def made(found):
        kind, *words = found[2].split()
        body = table(page, *words) if kind == "table" else short_table(words)
        return found[1] + body + found[3]

    pattern = re.compile(r"(<!-- ((?:table|rows) .*?) -->\n).*?(\n<!-- end of table -->)", re.S)
    return pattern.sub(made, page.read_text())


def main():
    stale = [(page, new) for page in PAGES if (new := updated(page)) != page.read_text()]
    if "--check" in sys.argv[1:]:
        if stale:
            names = " and ".join(str(page.relative_to(ROOT)) for page, _ in stale)
            sys.exit(f"the tables in {names} are out of date: run benchmarks/table.py")
    else:
        for page, new in stale:
            page.write_text(new)


if __name__ == "__main__":
    main()
