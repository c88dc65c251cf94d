"""`open.txt`: the cases that do not pass yet, one `language/case-id  reason` a line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.conformance.runner.suites import CASES

__all__ = ["OPEN_FILE", "OpenFileError", "read_open", "remove_open"]

OPEN_FILE = CASES / "open.txt"


class OpenFileError(Exception):
    """A line of open.txt that says nothing usable."""


def read_open(file: Path = OPEN_FILE) -> dict[str, str]:
    """Case name to reason."""
    reasons: dict[str, str] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, reason = line.partition(" ")
        if not reason.strip():
            raise OpenFileError(f"{file.name}:{number}: {name} has no reason")
        if name in reasons:
            raise OpenFileError(f"{file.name}:{number}: {name} is listed twice")
        reasons[name] = reason.strip()
    return reasons


def remove_open(names: Iterable[str], file: Path = OPEN_FILE) -> int:
    """Delete the lines of these cases; how many there were."""
    gone = set(names)
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if line.partition(" ")[0].strip() not in gone]
    file.write_text("".join(kept), encoding="utf-8")
    return len(lines) - len(kept)
