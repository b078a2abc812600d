"""The examples of the README run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_every_example_of_the_readme_runs(tmp_path: Path) -> None:
    examples = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.M | re.S)
    assert len(examples) >= 5
    environment = {**os.environ, "LAB2048_HOME": str(tmp_path)}
    # One after another in one process, as a reader types them.
    command = [sys.executable, "-c", "\n".join(examples)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    made = {path.name for path in tmp_path.iterdir()}
    assert {"game.2048", "game.gif", "tables", "videos"} <= made, made
