"""Which tests showed which rows, and where that is kept.

`.requirements-last-run.json` is written by every full run and belongs to one machine; `shown.json` is its committed copy,
taken by `python -m tests.requirements --write-docs`, from which the docs pages are made.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.requirements.matrix import Document, Matrix

__all__ = [
    "LAST_RUN",
    "STATE",
    "Shown",
    "open_rows",
    "partly_rows",
    "read_shown",
    "shown_count",
    "summary",
    "write_shown",
]

_HERE = Path(__file__).resolve().parent
LAST_RUN = _HERE.parents[1] / ".requirements-last-run.json"
STATE = _HERE / "shown.json"

Shown = Mapping[str, tuple[str, ...]]
"""Row to the names of the tests that passed and show it."""


def read_shown(file: Path) -> Shown:
    if not file.exists():
        return {}
    data: dict[str, list[str]] = json.loads(file.read_text(encoding="utf-8"))
    return {row: tuple(tests) for row, tests in data.items()}


def write_shown(shown: Mapping[str, Iterable[str]], file: Path) -> None:
    data = {row: sorted(set(shown[row])) for row in sorted(shown)}
    file.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def open_rows(document: Document, shown: Shown) -> list[str]:
    return [row.id for row in document.rows if not shown.get(row.id)]


def partly_rows(document: Document, matrix: Matrix, shown: Shown) -> list[str]:
    """Rows of which tests show something smaller than they say."""
    return [row.id for row in document.rows if row.id in matrix.partly and shown.get(row.id)]


def shown_count(document: Document, matrix: Matrix, shown: Shown) -> int:
    """How many rows are shown as they are written."""
    return len(document.rows) - len(open_rows(document, shown)) - len(partly_rows(document, matrix, shown))


def summary(matrix: Matrix, shown: Shown) -> list[str]:
    """A line per prefix: `M: 12 of 207 shown, 3 partly`."""
    return [_line(document, matrix, shown) for document in matrix.documents]


def _line(document: Document, matrix: Matrix, shown: Shown) -> str:
    partly = len(partly_rows(document, matrix, shown))
    line = f"{document.prefix}: {shown_count(document, matrix, shown)} of {len(document.rows)} shown"
    return f"{line}, {partly} partly" if partly else line
