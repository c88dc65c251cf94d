"""Repairs that take more than another name: entries moved, added or taken away. None where the text is not as expected."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from sabir.diagnostics.finding import Edit, Fix
from sabir.expressions.yaql.nodes import Call, Node, children
from sabir.languages.muranopl.check import core_library
from sabir.languages.muranopl.syntax.expressions import ExpressionText, is_expression_scalar, parse_scalar
from sabir.languages.muranopl.syntax.report import Report
from sabir.source.yaml.nodes import YamlEntry, YamlMapping, YamlNode, YamlScalar
from sabir.text import Place, Span

__all__ = ["as_list", "call_alone", "declaring", "with_contract"]


@cache
def _comma_pattern() -> re.Pattern[str]:
    return re.compile(r"\s*,\s*")


@cache
def _colon_pattern() -> re.Pattern[str]:
    return re.compile(r"[ \t]*:[ \t]*")


def as_list(report: Report, mapping: YamlMapping) -> Fix | None:
    """`{a: …, b: …}` as a list of mappings with one key each, in the same order."""
    if any(entry.merged for entry in mapping.entries):
        return None
    edits = _flow_list(report, mapping) if _is_flow(report, mapping) else _block_list(report, mapping)
    return _fix(report, "make it a list", edits, safe=True) if edits else None


def _flow_list(report: Report, mapping: YamlMapping) -> list[tuple[Span, str]] | None:
    text = report.source.text
    edits = [(Span(mapping.span.start, mapping.span.start + 1), "[{")]
    for one, other in zip(mapping.entries, mapping.entries[1:], strict=False):
        between = Span(one.value.span.end, other.key.span.start)
        if not _comma_pattern().fullmatch(text, between.start, between.end):
            return None
        edits.append((between, "}, {"))
    return [*edits, (Span(mapping.span.end - 1, mapping.span.end), "}]")]


def _block_list(report: Report, mapping: YamlMapping) -> list[tuple[Span, str]] | None:
    edits: list[tuple[Span, str]] = []
    for entry in mapping.entries:
        start = entry.key.span.start
        if _indent(report, start) is None:
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
    if _is_flow(report, declared):
        added = "Contract: $, " if declared.entries else "Contract: $"
        return _fix(report, "add Contract: $", [(Span(start + 1, start + 1), added)])
    indent = _indent(report, start)
    if indent is None:
        return None
    return _fix(report, "add Contract: $", [(Span(start, start), f"Contract: ${_newline(report)}{indent}")])


def call_alone(report: Report, target: YamlScalar, value: YamlNode) -> Fix | None:
    """The right side of an assignment that nobody reads, when it calls something."""
    if not isinstance(value, YamlScalar) or value.tag is not None or not is_expression_scalar(value):
        return None
    parsed = parse_scalar(report, value)
    between = Span(target.span.end, value.span.start)
    if (
        not isinstance(parsed, ExpressionText)
        or not _has_call(parsed.tree)
        or not _colon_pattern().fullmatch(report.source.text, between.start, between.end)
    ):
        return None
    return _fix(report, "keep the call alone", [(Span(target.span.start, value.span.start), "")])


def _has_call(node: Node) -> bool:
    return isinstance(node, Call) or any(map(_has_call, children(node)))


def declaring(report: Report, namespaces: YamlNode | None, prefix: str, name: str) -> Fix | None:
    """A prefix declared for the one namespace of the core library that has the class."""
    found = [one for one in core_library.NAMESPACES if f"{one}.{name}" in core_library.CLASSES]
    if len(found) != 1 or not isinstance(namespaces, YamlMapping) or not namespaces.entries:
        return None
    start = namespaces.entries[0].key.span.start
    if _is_flow(report, namespaces):
        return _fix(report, f"declare {prefix!r}", [(Span(start, start), f"{prefix}: {found[0]}, ")])
    indent = _indent(report, start)
    if indent is None:
        return None
    added = f"{prefix}: {found[0]}{_newline(report)}{indent}"
    return _fix(report, f"declare {prefix!r}", [(Span(start, start), added)])


def _fix(report: Report, title: str, edits: list[tuple[Span, str]], *, safe: bool = False) -> Fix:
    return Fix(
        title=title,
        edits=tuple(Edit(place=Place(report.source, span), text=text) for span, text in edits),
        safe=safe,
    )


def _is_flow(report: Report, mapping: YamlMapping) -> bool:
    return report.source.text.startswith("{", mapping.span.start)


def _indent(report: Report, start: int) -> str | None:
    """The blanks before an offset, when there is nothing else before it on its line."""
    text = report.source.text
    indent = text[text.rfind("\n", 0, start) + 1 : start]
    return None if indent.strip(" ") else indent


def _newline(report: Report) -> str:
    return "\r\n" if "\r\n" in report.source.text else "\n"
