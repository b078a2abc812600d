#!/usr/bin/env python3
"""Checks Markdown files, and the line length of comments in source files.

    docs/check.py            checks every tracked file
    docs/check.py FILE...    checks these files

Markdown: a line has at most 100 columns. Tables, code blocks, HTML comments and lines that are only
a link may be longer. A relative link must name a file that exists, and its anchor a heading in that
file.

Comments in Rust, Python, shell and TOML: a line whose first characters after blanks are // or #
has at most 100 columns. Only rows of tables and comments that are only a link may be longer.

Prints one line per fault, as FILE:LINE, and fails if there is any.
"""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = 100
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
ONLY_A_LINK = re.compile(r"\s*(?:[-*+]\s+|\d+\.\s+)?!?\[.*\](?:\([^)]*\)|:\s+\S+)[.,;:)]*\s*")
FENCE = re.compile(r"\s*(`{3,}|~{3,})")
COMMENT = re.compile(r"<!--.*?-->", re.S)
ONLY_A_URL = re.compile(r"<?[a-z][a-z+.-]*://\S+")
#: The mark of a comment, by the extension of the file.
MARKS = {".rs": "//", ".py": "#", ".pyi": "#", ".sh": "#", ".toml": "#"}
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.S)


def blank(text):
    """The text with every character replaced by a blank, line ends kept."""
    return re.sub(r"[^\n]", " ", text)


def prose(text):
    """The text without code blocks and comments, on the same lines as before."""
    lines, fence = [], None
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if fence:
            lines.append("")
            if mark and mark[1].startswith(fence) and line.strip() == mark[1]:
                fence = None
        elif mark:
            lines.append("")
            fence = mark[1]
        else:
            lines.append(line)
    return COMMENT.sub(lambda found: blank(found[0]), "\n".join(lines))


def anchors(path):
    """The anchors that GitHub gives to the headings of a file."""
    names = set()
    for line in prose(path.read_text(encoding="utf-8")).split("\n"):
        heading = re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if heading:
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
            name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
            number, other = 0, name
            while other in names:
                number += 1
                other = f"{name}-{number}"
            names.add(other)
    return names


def mark_of(path):
    """The mark of comments in a file; None if it is not a source file."""
    if path.suffix or path.name.startswith("."):
        return MARKS.get(path.suffix)
    with path.open("rb") as file:
        return "#" if file.read(2) == b"#!" else None


def comment_faults(path, mark):
    """The comments of a source file that are too long."""
    # One test submission is not UTF-8 on purpose.
    text = path.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip()
        if len(line) <= COLUMNS or not line.lstrip().startswith(mark):
            continue
        comment = line.lstrip().lstrip("/#!:").strip()
        if comment.startswith("|"):
            continue
        if not ONLY_A_LINK.fullmatch(comment) and not ONLY_A_URL.fullmatch(comment):
            yield number, f"a comment of {len(line)} columns, more than {COLUMNS}"


def markdown_faults(path):
    """The lines of a Markdown file that are too long, and its broken links."""
    text = prose(path.read_text(encoding="utf-8"))
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip()
        long = len(line) > COLUMNS and not line.lstrip().startswith("|")
        if long and not ONLY_A_LINK.fullmatch(line):
            yield number, f"{len(line)} columns, more than {COLUMNS}"
    text = CODE.sub(lambda found: blank(found[0]), text)
    for link in LINK.finditer(text):
        target = unquote(link[1])
        if re.match(r"[a-z][a-z+.-]*:", target):
            continue
        name, _, anchor = target.partition("#")
        number = text.count("\n", 0, link.start(1)) + 1
        to = (path.parent / name).resolve() if name else path
        if not to.exists():
            yield number, f"the link goes to {name}, which does not exist"
        elif anchor and to.suffix == ".md" and anchor not in anchors(to):
            yield number, f"the link goes to #{anchor}, and {to.name} has no such heading"


def faults(path):
    if path.suffix == ".md":
        return markdown_faults(path)
    mark = mark_of(path)
    return comment_faults(path, mark) if mark else ()


def main():
    names = sys.argv[1:]
    if names:
        paths = [Path(name).resolve() for name in names]
    else:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
        )
        paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    found = 0
    for path in filter(Path.is_file, paths):
        for number, fault in faults(path):
            found += 1
            print(f"{path.relative_to(ROOT)}:{number}: {fault}")
    if found:
        sys.exit(1)


if __name__ == "__main__":
    main()
