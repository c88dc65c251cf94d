"""Rules for texts that are not valid YAML, and the exception that stops reading."""

from __future__ import annotations

from typing import Any, Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.errors import InputError
from sabir.source.yaml.mistakes import find_mistake
from sabir.text import Place, Source, Span

NOT_YAML: Final = Rule(
    code="E002",
    title="file is not readable as YAML",
    why="Nothing in the file can be used until it parses, so nothing else is said about it. Mend the place that is shown, "
    "or the line before it: a bracket or quote left open, a tab in the indentation, a `: ` inside plain text, or a tag "
    "that is not known here.",
    examples="sabir.source",
)

UNBOUNDED: Final = Rule(
    code="E004",
    title="YAML that expands or nests without bound",
    why="Aliases that multiply, an alias that contains itself, or hundreds of levels of nesting exhaust the memory of "
    "whoever reads the file. Write the data out, or nest it less.",
    examples="sabir.source",
)

DUPLICATE_KEY: Final = Rule(
    code="E006",
    title="key given twice in one mapping",
    why="YAML readers silently keep the last one, so the first value is lost without anybody noticing. Remove one of the "
    "two, or give it the name it was meant to have.",
    examples="sabir.source",
    fixable=True,
)


class YamlError(InputError):
    """Reading stops here: the rest of the text cannot be used."""

    def __init__(self, rule: Rule, message: str, span: Span, hint: str | None = None) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.span = span
        self.hint = hint

    def finding(self, source: Source) -> Finding:
        return self.rule.at(Place(source, self.span), self.message, hint=self.hint)


def not_readable(reason: str, span: Span, hint: str | None = None) -> YamlError:
    """Return the error for a text that cannot be parsed."""
    return YamlError(NOT_YAML, f"not readable as YAML: {reason}", span, hint)


def syntax_finding(source: Source, error: Exception) -> Finding:
    """What is wrong with a text that PyYAML cannot read: the slip, where it can be told, else PyYAML's words."""
    slip = find_mistake(source.text, error)
    if slip is not None:
        return not_readable(slip.reason, slip.span, slip.hint).finding(source)
    mark: Any = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    reason = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    context = getattr(error, "context", None)
    offset = mark.index if mark else _character_offset(source.text, getattr(error, "position", 0) or 0)
    length = len(source.text)
    span = Span(min(offset, length), min(offset + 1, length))
    return not_readable(reason + (f" ({context})" if context else ""), span).finding(source)


def _character_offset(text: str, byte_offset: int) -> int:
    # What the parser refuses to read at all it counts in bytes.
    return len(text.encode()[:byte_offset].decode(errors="ignore"))
