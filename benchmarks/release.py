"""The release binary of this checkout, for the other scripts."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def output_of(*command):
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def build():
    """Builds the binary. Returns its path and the commit it was built from, which may change while the binary runs."""
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet", "--bin", "lab2048"], cwd=ROOT, check=True)
    commit = output_of("git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "lab2048", commit


def begin(usage):
    """The folder of the results, which is the only argument of the script, and what build returns."""
    if len(sys.argv) != 2:
        sys.exit(usage)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    return folder, *build()
