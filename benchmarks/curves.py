#!/usr/bin/env python3
"""Draws several learning curves into one picture: mean score of the training games over minutes.

    benchmarks/curves.py PICTURE.svg CURVE.csv...

`lab2048 train` writes the curves. The label of a curve is the name of its file.
"""

import csv
import itertools
import sys
from pathlib import Path

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 120, 20, 50
# A palette for people with any colour vision (Okabe and Ito 2008).
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]


def points_of(path):
    """Minutes and mean scores, each over the games of two consecutive lines."""
    with open(path) as file:
        lines = [{name: float(value) for name, value in line.items()} for line in csv.DictReader(file)]
    points = []
    for before, line in zip(lines, lines[1:]):
        games = before["games_in_mean"] + line["games_in_mean"]
        if games:
            score = sum(each["mean_score"] * each["games_in_mean"] for each in (before, line)) / games
            points.append((line["seconds"] / 60, score))
    return points


def draw(curves):
    longest = max(minutes for points in curves.values() for minutes, _ in points)
    highest = 25_000 * (int(max(score for points in curves.values() for _, score in points)) // 25_000 + 1)
    x = lambda minutes: LEFT + (WIDTH - LEFT - RIGHT) * minutes / longest
    y = lambda score: HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * score / highest
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for score in range(0, highest + 1, 25_000):
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(score):.1f}" y2="{y(score):.1f}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(score) + 4:.1f}" text-anchor="end" fill="#444444">{score:,}</text>')
    for minutes in range(0, int(longest) + 1, 2):
        parts.append(f'<text x="{x(minutes):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle" fill="#444444">{minutes}</text>')
    middle = LEFT + (WIDTH - LEFT - RIGHT) / 2
    parts.append(f'<text x="{middle:.0f}" y="{HEIGHT - 10}" text-anchor="middle" fill="#444444">minutes on one thread</text>')
    last_label = None
    for (name, points), colour in sorted(zip(curves.items(), itertools.cycle(COLOURS)), key=lambda curve: -curve[0][1][-1][1]):
        path = " ".join(f"{x(minutes):.1f},{y(score):.1f}" for minutes, score in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        # Labels from top to bottom, without overlap.
        place = y(points[-1][1]) + 4
        place = place if last_label is None else max(place, last_label + 16)
        last_label = place
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{place:.1f}" fill="{colour}">{name}</text>')
    return "\n".join(parts + ["</svg>", ""])


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    curves = {Path(path).stem: points_of(path) for path in sys.argv[2:]}
    if not all(curves.values()):
        sys.exit("a curve needs at least two lines with games")
    Path(sys.argv[1]).write_text(draw(curves))


main()
