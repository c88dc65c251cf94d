"""Expressions in class and UI files: which strings are expressions, their locations, and walks over them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.expressions.yaql.errors import YaqlSyntaxError
from sabir.expressions.yaql.nodes import (
    Binary,
    Node,
    Unary,
    Word,
)
from sabir.expressions.yaql.parser import Dialect, parse_tree
from sabir.languages.muranopl.examples import package_rule
from sabir.languages.muranopl.syntax.names import is_words
from sabir.languages.muranopl.syntax.nodes import Expr
from sabir.languages.muranopl.syntax.report import FileReporter
from sabir.lazy import lazy_pattern
from sabir.source.yaml.nodes import Style, YamlNode, YamlScalar, YamlSequence
from sabir.text import Span

_PAIRS: Final = {")": "(", "]": "[", "}": "{"}

UNPARSABLE: Final = package_rule(
    "MPL:W202",
    "an expression that does not parse",
    "Text that does not parse is no expression: the engine takes it for a plain string, and what was meant never "
    "happens.",
)

_strings_pattern: Final = lazy_pattern(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_timetable_pattern: Final = lazy_pattern(r"\*\s+\*")
# Operators are surrounded by blanks: `a=b`, `Zm9v=` and `<none>` are plain strings.
_code_sign_pattern: Final = lazy_pattern(r"\$|=>|->|(?:^|\s)[+*<>=]=?(?:\s|$)")


class ExpressionText(Struct, frozen=True, eq=False):
    """A scalar that is an expression, parsed."""

    scalar: YamlScalar
    tree: Node
    offset: int | None
    """Where the text begins in the source, when it stands there letter by letter."""

    def span(self, node: Node | None = None) -> Span:
        """Return the span of a part of the expression, or of the whole."""
        if node is None or self.offset is None:
            return self.scalar.span
        return Span(self.offset + node.start, self.offset + node.end)


def parse_scalar(report: FileReporter, scalar: YamlScalar) -> ExpressionText | YaqlSyntaxError:
    """Return the text of a scalar as an expression, or its parse error."""
    try:
        tree = parse_tree(scalar.text, Dialect.MURANO)
    except YaqlSyntaxError as error:
        return error
    return ExpressionText(scalar, tree, _text_offset(report, scalar))


def expression_of(report: FileReporter, expression: Expr) -> ExpressionText | YaqlSyntaxError:
    """Return a recognized expression, parsed."""
    try:
        tree = parse_tree(expression.text, Dialect.MURANO)
    except YaqlSyntaxError as error:  # with the tag !yaql
        return error
    # `=:Name` is read as `:Name`, so that offsets in the tree do not match the text.
    is_as_written = expression.text == expression.node.text
    return ExpressionText(
        expression.node, tree, _text_offset(report, expression.node) if is_as_written else None
    )


def parse_error_finding(
    report: FileReporter, scalar: YamlScalar, error: YaqlSyntaxError, rule: Rule = UNPARSABLE
) -> Finding:
    """Return the finding for an expression that does not parse, at the exact character where possible."""
    offset = _text_offset(report, scalar)
    span = scalar.span
    if offset is not None and error.span is not None and "\n" not in scalar.text:
        start = offset + error.span.start
        # At least one character, so that there is something to mark; at the end of a file there is none.
        span = Span(start, min(max(offset + error.span.end, start + 1), len(report.source.text)))
    return report.at(span, rule, f"the expression does not parse: {error.message}")


def _text_offset(report: FileReporter, scalar: YamlScalar) -> int | None:
    start = scalar.span.start
    if scalar.style is Style.QUOTED:
        start += 1
    return start if report.source.text.startswith(scalar.text, start) else None


def is_expression_scalar(node: YamlNode) -> bool:
    """Tell whether the engine reads a value as an expression: plain (or tagged !yaql), and more than words."""
    if not isinstance(node, YamlScalar) or not isinstance(node.value, str):
        return False
    if node.tag == "!yaql":
        return True
    return node.style is Style.PLAIN and not is_words(node.text)


def looks_like_code(text: str) -> bool:
    """Tell whether text that does not parse was meant as an expression: `$`, an operator, an unbalanced bracket."""
    if "$" not in text and _timetable_pattern().search(text):
        return False  # `0 3 * * *`
    return _code_sign_pattern().search(text) is not None or not _is_balanced(_strings_pattern().sub("", text))


def _is_balanced(text: str) -> bool:
    stack: list[str] = []
    for char in text:
        if char in "([{":
            stack.append(char)
        elif char in ")]}" and (not stack or stack.pop() != _PAIRS[char]):
            return False
    return not stack


def walk_scalars(node: YamlNode) -> Iterator[YamlScalar]:
    """Yield all scalar values under a node, without keys of mappings."""
    if isinstance(node, YamlScalar):
        yield node
    elif isinstance(node, YamlSequence):
        for item in node.items:
            yield from walk_scalars(item)
    else:
        for value in node.values():
            yield from walk_scalars(value)


def type_name(node: Node) -> str | None:
    """Return the class reference that a node spells (`prefix:Name`, `:Name`, `a.b.Name`), or None."""
    match node:
        case Binary(operator=":", left=Word(value=prefix), right=right):
            name = read_dotted_name(right)
            return None if name is None else f"{prefix}:{name}"
        case Unary(operator=":", operand=operand):
            name = read_dotted_name(operand)
            return None if name is None else f":{name}"
        case _:
            return None


def read_dotted_name(node: Node) -> str | None:
    """Return the name of a chain of words joined by dots; None for any other node."""
    match node:
        case Word(value=name):
            return name
        case Binary(operator=".", left=left, right=Word(value=name)):
            before = read_dotted_name(left)
            return None if before is None else f"{before}.{name}"
        case _:
            return None
