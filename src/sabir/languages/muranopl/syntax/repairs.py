"""Fixes of declarations: entries moved or added. None where the text is not as expected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Edit, Fix
from sabir.languages.muranopl.syntax.report import Report
from sabir.lazy import lazy_pattern
from sabir.source.yaml.nodes import YamlEntry, YamlMapping
from sabir.text import Place, Span

__all__ = ["as_list", "edited", "indent_before", "is_flow", "newline", "with_contract"]

_comma_pattern: Final = lazy_pattern(r"\s*,\s*")


def as_list(report: Report, mapping: YamlMapping) -> Fix | None:
    """`{a: …, b: …}` as a list of mappings with one key each, in the same order."""
    if any(entry.merged for entry in mapping.entries):
        return None
    edits = _flow_list(report, mapping) if is_flow(report, mapping) else _block_list(report, mapping)
    return edited(report, "make it a list", edits, safe=True) if edits else None


def _flow_list(report: Report, mapping: YamlMapping) -> list[tuple[Span, str]] | None:
    text = report.source.text
    edits = [(Span(mapping.span.start, mapping.span.start + 1), "[{")]
    for entry, following in zip(mapping.entries, mapping.entries[1:], strict=False):
        between = Span(entry.value.span.end, following.key.span.start)
        if not _comma_pattern().fullmatch(text, between.start, between.end):
            return None
        edits.append((between, "}, {"))
    return [*edits, (Span(mapping.span.end - 1, mapping.span.end), "}]")]


def _block_list(report: Report, mapping: YamlMapping) -> list[tuple[Span, str]] | None:
    edits: list[tuple[Span, str]] = []
    for entry in mapping.entries:
        start = entry.key.span.start
        if indent_before(report, start) is None:
            return None
        edits.append((Span(start, start), "- "))
        edits.extend((Span(line, line), "  ") for line in _later_lines(report, entry))
    return edits


def _later_lines(report: Report, entry: YamlEntry) -> Iterator[int]:
    """Where the lines of an entry begin, but for the first and empty ones."""
    text, end = report.source.text, entry.value.span.end
    line = text.find("\n", entry.key.span.start) + 1
    while 0 < line < end:
        if text[line : line + 1] not in ("\n", "\r"):
            yield line
        line = text.find("\n", line) + 1


def with_contract(report: Report, declared: YamlMapping) -> Fix | None:
    """The contract that takes anything, added to a property."""
    start = declared.span.start
    if is_flow(report, declared):
        added = "Contract: $, " if declared.entries else "Contract: $"
        return edited(report, "add Contract: $", [(Span(start + 1, start + 1), added)])
    indent = indent_before(report, start)
    if indent is None:
        return None
    return edited(report, "add Contract: $", [(Span(start, start), f"Contract: ${newline(report)}{indent}")])


def edited(report: Report, title: str, edits: list[tuple[Span, str]], *, safe: bool = False) -> Fix:
    return Fix(
        title=title,
        edits=tuple(Edit(place=Place(report.source, span), text=text) for span, text in edits),
        safe=safe,
    )


def is_flow(report: Report, mapping: YamlMapping) -> bool:
    return report.source.text.startswith("{", mapping.span.start)


def indent_before(report: Report, start: int) -> str | None:
    """The blanks before an offset, when there is nothing else before it on its line."""
    text = report.source.text
    indent = text[text.rfind("\n", 0, start) + 1 : start]
    return None if indent.strip(" ") else indent


def newline(report: Report) -> str:
    return "\r\n" if "\r\n" in report.source.text else "\n"
