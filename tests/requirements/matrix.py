"""The matrix as data: rows of the five documents, decisions on their slips, and what else they need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

__all__ = [
    "DONE_FILE",
    "LANGUAGES",
    "Context",
    "Decision",
    "Document",
    "Matrix",
    "Row",
    "done_prefixes",
    "load_matrix",
]

_DATA = Path(__file__).resolve().parent / "data"
DONE_FILE = Path(__file__).resolve().parent / "done.txt"
LANGUAGES = {"muranopl": "M", "packages": "V", "inmanta": "I", "ccp": "C", "tosca": "U"}
"""Name in done.txt to prefix of its rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """`text` must hold; `show` is input → observable outcome; `mark` names a decision or a larger context."""

    id: str
    text: str
    section: str
    show: str
    mark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    prefix: str
    number: str
    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A slip or contradiction: what the document says, what the existing tool does, what sabir does."""

    id: str
    where: str
    document: str
    tool: str
    decision: str
    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Something that the documents name and do not define, and the version of it that sabir brings."""

    context: str
    rows: tuple[str, ...]
    brings: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    documents: tuple[Document, ...]
    decisions: tuple[Decision, ...]
    contexts: tuple[Context, ...]
    ids: frozenset[str]
    """What a test may name: every row and every decision."""
    partly: Mapping[str, str] = field(default_factory=dict)
    """Rows whose tests show something smaller than the row says, with what is missing."""


@lru_cache(maxsize=1)
def load_matrix() -> Matrix:
    documents = tuple(_document(_read(f"{prefix}.yaml")) for prefix in LANGUAGES.values())
    decisions = tuple(
        Decision(**{**entry, "rows": tuple(entry["rows"])}) for entry in _read("decisions.yaml")
    )
    contexts = tuple(Context(**{**entry, "rows": tuple(entry["rows"])}) for entry in _read("contexts.yaml"))
    rows = [row.id for document in documents for row in document.rows]
    return Matrix(
        documents=documents,
        decisions=decisions,
        contexts=contexts,
        ids=frozenset(rows) | {decision.id for decision in decisions},
        partly=_read("partly.yaml"),
    )


def done_prefixes(file: Path = DONE_FILE) -> list[str]:
    """Prefixes of the languages that are declared done."""
    lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
    names = [line for line in lines if line and not line.startswith("#")]
    unknown = [name for name in names if name not in LANGUAGES]
    if unknown:
        raise ValueError(
            f"{file.name}: no language is called {', '.join(unknown)}; there are {', '.join(LANGUAGES)}"
        )
    return [LANGUAGES[name] for name in names]


def _document(data: dict[str, Any]) -> Document:
    rows = tuple(Row(**row) for row in data["rows"])
    return Document(prefix=data["prefix"], number=data["document"], title=data["title"], rows=rows)


def _read(name: str) -> Any:
    return yaml.load((_DATA / name).read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
