#!/usr/bin/env python3
"""Makes the pictures of the screens in docs/pictures from the real program.

    docs/pictures/screens.py [LAB2048] [--check]

tmux runs the program, presses keys and captures the screen with its colours. This script turns it
into SVG. LAB2048 is the program (default: target/release/lab2048). --check only tests that every
screen can be reached.
"""

import html
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
COLS, ROWS = 92, 26
WIDTH, HEIGHT = 9, 18  # of a character
PAPER, INK = "#1d1b19", "#ece6dd"
SIXTEEN = (
    "#000000 #c23b22 #4e9a06 #c4a000 #3465a4 #75507b #06989a #d3d7cf "
    "#555753 #ef2929 #8ae234 #fce94f #729fcf #ad7fa8 #34e2e2 #eeeeec"
).split()


class Terminal:
    """A terminal that runs the program with a temporary home folder, after another command if one is given."""

    def __init__(self, program: Path, arguments: str, state: str = "", first: str = "--version"):
        self.folder = tempfile.TemporaryDirectory()
        self.socket = f"{self.folder.name}/tmux"
        if state:
            Path(self.folder.name, "state.json").write_text(state)
        environment = ["-e", f"LAB2048_HOME={self.folder.name}", "-e", "COLORTERM=truecolor"]
        size = ["-x", str(COLS), "-y", str(ROWS)]
        command = f"{program} {first} >&2 2>/dev/null; clear; {program} {arguments}; sleep 100"
        self.tmux("-f", "/dev/null", "new-session", "-d", "-s", "screen", *size, *environment, command)

    def tmux(self, *arguments: str) -> str:
        environment = {name: value for name, value in os.environ.items() if name not in ("TMUX", "NO_COLOR")}
        ran = subprocess.run(["tmux", "-S", self.socket, *arguments], env=environment, check=True, capture_output=True, text=True)
        return ran.stdout

    def press(self, *keys: str) -> None:
        for key in keys:
            self.tmux("send-keys", "-t", "screen", key)
            time.sleep(0.4)

    def wait_for(self, text: str) -> None:
        for _ in range(600):
            if text in self.tmux("capture-pane", "-p", "-t", "screen"):
                return
            time.sleep(0.1)
        raise SystemExit(f"'{text}' did not appear:\n{self.tmux('capture-pane', '-p', '-t', 'screen')}")

    def picture(self) -> str:
        # With trailing blanks, which have colours too.
        return self.tmux("capture-pane", "-p", "-e", "-N", "-t", "screen")

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], check=False)
        self.folder.cleanup()


class Pen:
    """The current text style, changed by the escape codes of ECMA-48."""

    def __init__(self):
        self.ink, self.paper, self.bold, self.reverse = None, None, False, False

    def take(self, codes: str) -> None:
        numbers = [int(code or 0) for code in re.split("[;:]", codes)]
        while numbers:
            code = numbers.pop(0)
            if code == 0:
                self.__init__()
            elif code == 1:
                self.bold = True
            elif code == 7:
                self.reverse = True
            elif code in (22, 27):
                self.bold, self.reverse = self.bold and code != 22, self.reverse and code != 27
            elif code in (38, 48):
                kind = numbers.pop(0)
                if kind == 2:
                    colour = "#%02x%02x%02x" % tuple(numbers[:3])
                    numbers = numbers[3:]
                else:
                    colour = SIXTEEN[numbers.pop(0) % 16]
                self.ink, self.paper = (colour, self.paper) if code == 38 else (self.ink, colour)
            elif code == 39:
                self.ink = None
            elif code == 49:
                self.paper = None
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.ink = SIXTEEN[code - 30 if code < 90 else code - 82]
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self.paper = SIXTEEN[code - 40 if code < 100 else code - 92]

    def colours(self) -> tuple[str, str]:
        ink, paper = self.ink or INK, self.paper or PAPER
        return (paper, ink) if self.reverse else (ink, paper)


def cells(text: str) -> list[list[tuple[str, str, str, bool]]]:
    """Character, text colour, background colour and boldness of every cell."""
    pen, rows = Pen(), []
    for line in text.split("\n")[:ROWS]:
        row = []
        for escape, letter in re.findall(r"\x1b\[([0-9;:]*)m|([^\x1b])", line):
            if letter:
                row.append((letter, *pen.colours(), pen.bold))
            else:
                pen.take(escape)
        rows.append(row)
    return rows


def svg(text: str, title: str) -> str:
    top = 26
    width, height = COLS * WIDTH + 16, ROWS * HEIGHT + top + 12
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="15" role="img">',
        f"<title>{html.escape(title)}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{PAPER}"/>',
    ]
    dots = "".join(f'<circle cx="{16 + 16 * i}" cy="14" r="5" fill="{c}"/>' for i, c in enumerate(("#f65e3b", "#edc22e", "#8f7a66")))
    parts.append(dots)

    def block(x: float, y: float, wide: float, high: float, colour: str) -> None:
        parts.append(f'<rect x="{x:g}" y="{y:g}" width="{wide:g}" height="{high:g}" fill="{colour}" shape-rendering="crispEdges"/>')

    for number, row in enumerate(cells(text)):
        y, x = top + number * HEIGHT, 0
        while x < len(row):
            letter, ink, paper, bold = row[x]
            end = x + 1
            blocks = "▀▁▂▃▄▅▆▇█"
            same = lambda cell: cell[1:] == (ink, paper, bold) and (cell[0] == letter if letter in blocks else cell[0] not in blocks)
            while end < len(row) and same(row[end]):
                end += 1
            left, wide = 8 + x * WIDTH, (end - x) * WIDTH
            if paper != PAPER:
                block(left, y, wide, HEIGHT, paper)
            if letter == "▀":
                block(left, y, wide, HEIGHT / 2, ink)
            elif letter in blocks:
                high = HEIGHT * blocks.index(letter) / 8
                block(left, y + HEIGHT - high, wide, high, ink)
            else:
                run = "".join(cell[0] for cell in row[x:end])
                kept = run.strip()
                if kept:
                    start = left + (len(run) - len(run.lstrip())) * WIDTH
                    weight = ' font-weight="bold"' if bold else ""
                    parts.append(
                        f'<text x="{start}" y="{y + 14}" textLength="{len(kept) * WIDTH}" lengthAdjust="spacingAndGlyphs" '
                        f'fill="{ink}"{weight} xml:space="preserve">{html.escape(kept)}</text>'
                    )
            x = end
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def screens(program: Path):
    """Every picture: its name, its title and the captured screen."""
    seen = '{"version": 1, "played": {"4x4": {"games": 1, "best": 20480, "points": 20480, "moves": 1000, "seconds": 900}}}'
    with Terminal(program, "", seen) as terminal:
        terminal.wait_for("Watch a player")
        yield "menu", "The menu of lab2048", terminal.picture()
    with Terminal(program, "play --seed 8", seen) as terminal:
        terminal.wait_for("score")
        # The coach plays until the board has some tiles.
        terminal.press("Space", *"+++++")
        terminal.wait_for("512")
        terminal.press("Space", "?")
        terminal.wait_for("points to come")
        time.sleep(0.5)
        yield "play", "A game, with the value of each direction by the player auto", terminal.picture()
    with Terminal(program, "practice block-256 --seed 9", seen, "solve block-256") as terminal:
        terminal.wait_for("chance to make 256")
        terminal.press("a")
        terminal.wait_for("kept")
        terminal.press("?")
        terminal.wait_for("chance of the tile")
        yield "practice", "Practice of an endgame: what a move kept, and the exact chance of every move", terminal.picture()
    with Terminal(program, "watch --seed 5 --games 3 --delay 0ms", seen) as terminal:
        terminal.wait_for("nodes")
        terminal.wait_for("4096")
        terminal.press("Space")
        terminal.wait_for("paused")
        yield "watch", "The player auto at work: values, depth, nodes, speed and the score so far", terminal.picture()
    with Terminal(program, "watch greedy --seed 5 --delay 0ms", seen) as terminal:
        terminal.wait_for("total score")
        terminal.press("p", "g")
        terminal.wait_for("moves judged")
        terminal.wait_for("all 288")
        terminal.press("1")
        yield "review", "A reviewed game: the best move, what the played one cost, the worst mistakes", terminal.picture()
    with Terminal(program, "", seen) as terminal:
        terminal.wait_for("Custom board")
        terminal.press("c")
        terminal.wait_for("type a number")
        terminal.tmux("send-keys", "-t", "screen", "-l", "3 6 12 24/48 96 1o2")
        terminal.wait_for("is not a whole number")
        yield "custom", "A custom board with a wrong cell and the reason beside it", terminal.picture()


def main() -> None:
    arguments = [argument for argument in sys.argv[1:] if argument != "--check"]
    program = Path(arguments[0] if arguments else HERE.parent.parent / "target/release/lab2048").resolve()
    for name, title, text in screens(program):
        picture = svg(text, title)
        if "--check" not in sys.argv:
            (HERE / f"{name}.svg").write_text(picture)
        print(f"{name}: {len(picture)} bytes")


if __name__ == "__main__":
    main()
