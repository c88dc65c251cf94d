"""Fixes of code and of names that need more than a replaced word.

Each function returns None if the source text is not as expected.
"""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.finding import Fix
from sabir.expressions.yaql.nodes import Call, Node, child_nodes
from sabir.languages.muranopl.check import core_library
from sabir.languages.muranopl.syntax.expressions import ExpressionText, is_expression_scalar, parse_scalar
from sabir.languages.muranopl.syntax.report import (
    FileReporter,
    build_fix,
    indent_before,
    is_flow,
    line_separator,
)
from sabir.lazy import lazy_pattern
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar
from sabir.text import Span

_colon_pattern: Final = lazy_pattern(r"[ \t]*:[ \t]*")


def call_alone(report: FileReporter, target: YamlScalar, value: YamlNode) -> Fix | None:
    """Build the fix that keeps only the right side of an assignment that nothing reads, if it calls something."""
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
    return build_fix(report, "keep the call alone", [(Span(target.span.start, value.span.start), "")])


def _has_call(node: Node) -> bool:
    return isinstance(node, Call) or any(map(_has_call, child_nodes(node)))


def build_prefix_fix(report: FileReporter, namespaces: YamlNode | None, prefix: str, name: str) -> Fix | None:
    """Build the fix that declares a prefix, if exactly one namespace of the core library has the class."""
    candidates = [
        namespace for namespace in core_library.NAMESPACES if f"{namespace}.{name}" in core_library.CLASSES
    ]
    if len(candidates) != 1 or not isinstance(namespaces, YamlMapping) or not namespaces.entries:
        return None
    start = namespaces.entries[0].key.span.start
    if is_flow(report, namespaces):
        return build_fix(
            report, f"declare {prefix!r}", [(Span(start, start), f"{prefix}: {candidates[0]}, ")]
        )
    indent = indent_before(report, start)
    if indent is None:
        return None
    added = f"{prefix}: {candidates[0]}{line_separator(report)}{indent}"
    return build_fix(report, f"declare {prefix!r}", [(Span(start, start), added)])
