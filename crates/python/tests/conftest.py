"""What the tests share."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

# `search.py` stands beside the package, not in it.
sys.path.insert(0, str(Path(__file__).parent.parent))


@pytest.fixture(scope="session")
def lab2048_bin() -> str:
    """The command `lab2048`; `check` builds it."""
    path = os.environ.get("LAB2048_BIN")
    if path is None:
        pytest.skip("LAB2048_BIN does not name the command lab2048: run ./check")
    return path
