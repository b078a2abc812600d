"""Shared fixtures."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

# `search.py` is beside the package, not in it.
sys.path.insert(0, str(Path(__file__).parent.parent))


@pytest.fixture(scope="session")
def lab2048_bin() -> str:
    """The path of the command `lab2048`, which `check` builds."""
    path = os.environ.get("LAB2048_BIN")
    if path is None:
        pytest.skip("LAB2048_BIN is not set to the command lab2048: run ./check")
    return path
