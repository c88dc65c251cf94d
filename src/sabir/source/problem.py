"""What is wrong with a text or an archive as such. The check layer turns a problem into a finding of the same code."""

from __future__ import annotations

from sabir.dataclasses import dataclass
from sabir.source.text import EMPTY_SPAN, Source, Span

__all__ = ["Problem"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One defect of form: `code` is a general code (E002 not YAML, E003 not UTF-8, E004 hostile …)."""

    code: str
    message: str
    source: Source
    span: Span = EMPTY_SPAN
    related: tuple[tuple[Span, str], ...] = ()
