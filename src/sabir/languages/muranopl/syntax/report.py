"""Findings at the nodes of one file, and fixes of declarations that move or add entries.

A fix is None if the source text is not as expected.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Edit, Finding, Fix, RelatedLocation
from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import is_respelt, suggest, suggest_unique
from sabir.lazy import lazy_pattern
from sabir.source.yaml.nodes import YamlEntry, YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of
from sabir.text import Place, Source, Span

_LONGEST_QUOTE: Final = 60


class Near(Struct, frozen=True):
    """A suggestion for an unknown name."""

    hint: str | None = None
    """`did you mean 'X'?`"""
    only: str | None = None
    """The name that a repair may write: the near one, when no second is as near."""


class FileReporter:
    """Creates the findings of one file."""

    __slots__ = ("source",)

    def __init__(self, source: Source) -> None:
        self.source = source

    def near(self, name: str, known: Collection[str], *, sign: str = "") -> Near:
        """Return the most similar known name. `sign` is the text in front of the name wherever it is written."""
        nearest = suggest(name, known)
        if nearest is None:
            return Near()
        only = suggest_unique(name, known)
        return Near(f"did you mean {sign + nearest!r}?", sign + only if only else None)

    def at(
        self,
        node: YamlNode | Span,
        rule: Rule | str,
        message: str,
        *,
        hint: str | None = None,
        related: Iterable[tuple[YamlNode, str]] = (),
        fix: Fix | None = None,
    ) -> Finding:
        span = node if isinstance(node, Span) else node.span
        return Finding(
            code=_code_of(rule),
            message=message,
            place=Place(self.source, span),
            hint=hint,
            related=tuple(
                RelatedLocation(place=Place(self.source, other.span), message=text) for other, text in related
            ),
            fix=fix,
        )

    def whole(self, rule: Rule | str, message: str, *, hint: str | None = None) -> Finding:
        return Finding.about_file(_code_of(rule), message, self.source, hint=hint)

    def report_unknown(
        self,
        node: YamlNode,
        rule: Rule | str,
        message: str,
        known: Iterable[str],
        *,
        taken: Iterable[YamlNode] = (),
        refused: bool = False,
    ) -> Finding:
        """Return the finding for an unknown name, with the most similar known one as a hint.

        `taken` are the neighboring keys, which a fix must not duplicate. `refused`: the engine does not load
        such a name, so that correcting its capitals cannot change its meaning.
        """
        known = sorted(known)
        written = text_of(node) or ""
        meant = self.near(written, known)
        fix = None
        if meant.only is not None and meant.only not in map(text_of, taken):
            fix = self.build_replace_fix(node, meant.only, safe=refused and is_respelt(written, meant.only))
        return self.at(node, rule, message, hint=meant.hint or _list_choices(known), fix=fix)

    def build_rename_fix(self, span: Span, old: str, new: str | None) -> Fix | None:
        """Build the fix that replaces the name at the start of a span, if the source has exactly the old one there."""
        if new is None or not old or not self.source.text.startswith(old, span.start):
            return None
        place = Place(self.source, Span(span.start, span.start + len(old)))
        return Fix(title=f"write {new!r}", edits=(Edit(place=place, text=new),), safe=False)

    def build_replace_fix(
        self, node: YamlNode, text: str, *, title: str | None = None, safe: bool = False
    ) -> Fix:
        """Build the fix that replaces a node."""
        edit = Edit(place=Place(self.source, node.span), text=text)
        return Fix(title=title or f"write {text!r}", edits=(edit,), safe=safe)


def _code_of(rule: Rule | str) -> str:
    return rule if isinstance(rule, str) else rule.code


def _list_choices(known: list[str]) -> str | None:
    return f"known here: {', '.join(known)}" if 0 < len(known) <= 20 else None


def quote_node(node: YamlNode) -> str:
    """Return the source of a node, shortened for a message."""
    if isinstance(node, YamlScalar):
        text = node.text if len(node.text) <= _LONGEST_QUOTE else node.text[: _LONGEST_QUOTE - 1] + "…"
        return repr(text)
    return kind_of(node)


def kind_of(node: YamlNode) -> str:
    """Return the type of a node in words."""
    if isinstance(node, YamlMapping):
        return "a mapping"
    if isinstance(node, YamlSequence):
        return "a list"
    match node.value:
        case None:
            return "nothing"
        case bool():
            return f"the boolean {node.text}"
        case int() | float():
            return f"the number {node.text}"
        case str():
            return "a text"
        case _:
            return f"the value {node.text}"


_comma_pattern: Final = lazy_pattern(r"\s*,\s*")


def as_list(report: FileReporter, mapping: YamlMapping) -> Fix | None:
    """Build the fix that turns `{a: …, b: …}` into a list of mappings with one key each, in the same order."""
    if any(entry.merged for entry in mapping.entries):
        return None
    edits = _flow_list(report, mapping) if is_flow(report, mapping) else _block_list(report, mapping)
    return build_fix(report, "make it a list", edits, safe=True) if edits else None


def _flow_list(report: FileReporter, mapping: YamlMapping) -> list[tuple[Span, str]] | None:
    text = report.source.text
    edits = [(Span(mapping.span.start, mapping.span.start + 1), "[{")]
    for entry, following in zip(mapping.entries, mapping.entries[1:], strict=False):
        between = Span(entry.value.span.end, following.key.span.start)
        if not _comma_pattern().fullmatch(text, between.start, between.end):
            return None
        edits.append((between, "}, {"))
    return [*edits, (Span(mapping.span.end - 1, mapping.span.end), "}]")]


def _block_list(report: FileReporter, mapping: YamlMapping) -> list[tuple[Span, str]] | None:
    edits: list[tuple[Span, str]] = []
    for entry in mapping.entries:
        start = entry.key.span.start
        if indent_before(report, start) is None:
            return None
        edits.append((Span(start, start), "- "))
        edits.extend((Span(line, line), "  ") for line in _later_lines(report, entry))
    return edits


def _later_lines(report: FileReporter, entry: YamlEntry) -> Iterator[int]:
    """Return the starts of the lines of an entry, except the first and empty ones."""
    text, end = report.source.text, entry.value.span.end
    line = text.find("\n", entry.key.span.start) + 1
    while 0 < line < end:
        if text[line : line + 1] not in ("\n", "\r"):
            yield line
        line = text.find("\n", line) + 1


def with_contract(report: FileReporter, declared: YamlMapping) -> Fix | None:
    """Build the fix that adds the contract that accepts anything to a property."""
    start = declared.span.start
    if is_flow(report, declared):
        added = "Contract: $, " if declared.entries else "Contract: $"
        return build_fix(report, "add Contract: $", [(Span(start + 1, start + 1), added)])
    indent = indent_before(report, start)
    if indent is None:
        return None
    return build_fix(
        report, "add Contract: $", [(Span(start, start), f"Contract: ${line_separator(report)}{indent}")]
    )


def build_fix(report: FileReporter, title: str, edits: list[tuple[Span, str]], *, safe: bool = False) -> Fix:
    """Return a fix that replaces each span by a text; `safe` means that it cannot change the meaning."""
    return Fix(
        title=title,
        edits=tuple(Edit(place=Place(report.source, span), text=text) for span, text in edits),
        safe=safe,
    )


def is_flow(report: FileReporter, mapping: YamlMapping) -> bool:
    """Tell whether a mapping is written in braces."""
    return report.source.text.startswith("{", mapping.span.start)


def indent_before(report: FileReporter, start: int) -> str | None:
    """Return the blanks before an offset, if nothing else precedes it on its line."""
    text = report.source.text
    indent = text[text.rfind("\n", 0, start) + 1 : start]
    return None if indent.strip(" ") else indent


def line_separator(report: FileReporter) -> str:
    """Return the line separator of the file: CRLF if it has one anywhere, otherwise LF."""
    return "\r\n" if "\r\n" in report.source.text else "\n"
