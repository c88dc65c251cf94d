"""Golden files: what a user sees, next to the test. `SABIR_GOLDEN=write pytest …` writes them anew, to be reviewed."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["assert_golden"]


def assert_golden(actual: str, file: Path) -> None:
    if os.environ.get("SABIR_GOLDEN") == "write":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(actual, encoding="utf-8")
    assert file.exists(), f"no golden file {file}: write it with SABIR_GOLDEN=write"
    assert actual == file.read_text(encoding="utf-8")
