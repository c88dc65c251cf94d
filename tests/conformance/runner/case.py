"""What every case has, whatever its language, and what judging it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Case", "MalformedCase", "Verdict"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One case as its author wrote it. `raw` is the YAML as read; adapters use the typed fields of the subclass."""

    language: str
    id: str
    file: Path
    rows: tuple[str, ...] = ()
    spec: str = ""
    why: str = ""
    raw: Mapping[str, Any]

    @property
    def name(self) -> str:
        return f"{self.language}/{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MalformedCase(Case):
    """A case that breaks the format of its folder (unknown key, missing key …): it fails with these problems."""

    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Passed when there are no differences. `expected` and `actual` are for people to read."""

    skipped: str | None = None
    """Why the case was not run: something it needs is not on this machine."""
    differences: tuple[str, ...] = ()
    expected: Any = None
    actual: Any = None

    @property
    def passed(self) -> bool:
        return not self.differences and self.skipped is None
