"""The line of a finding with its mark below, as terminals show it."""

from __future__ import annotations

from typing import Final

from sabir.checks.formatters.palette import harmless
from sabir.diagnostics.finding import Finding
from sabir.text import Place, Span

__all__ = ["snippet"]

_WIDTH: Final = 120
_LEAD: Final = 30
"""Characters kept before the mark when a line is too long to be shown whole."""
_TAB: Final = "    "


def snippet(finding: Finding) -> tuple[str, str] | None:
    """The text of the finding's line and the line of carets for it, or None when there is nothing to show."""
    return None if finding.whole_file else place_snippet(finding.place)


def place_snippet(place: Place) -> tuple[str, str] | None:
    source = place.source
    line = source.line_span(source.line_column(place.span.start)[0])
    text = source.shown(line)
    if not text.strip():
        return None
    span = source.whole_secrets(place.span)
    start = min(len(source.shown(Span(line.start, span.start))), len(text))
    end = max(start + 1, min(start + len(source.shown(span)), len(text.rstrip())))
    first = max(0, start - _LEAD) if len(text) > _WIDTH else 0
    last = first + _WIDTH
    before, marked = text[first:start], text[start:end][: max(1, last - start)]
    lead, tail = "…" if first else "", "…" if last < len(text) else ""
    shown = lead + _plain(text[first:last]) + tail
    return shown, " " * _columns(lead + _plain(before)) + "^" * max(1, _columns(_plain(marked)))


def _plain(text: str) -> str:
    return harmless(text.replace("\t", _TAB))


def _columns(text: str) -> int:
    """Terminal columns of a text: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )
