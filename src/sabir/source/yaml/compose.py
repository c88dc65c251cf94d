"""From text to the YAML tree, through PyYAML's C parser, within bounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from sabir.source.problem import Problem
from sabir.source.text import Source, Span
from sabir.source.yaml.nodes import (
    ScalarValue,
    Style,
    YamlEntry,
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
)
from sabir.source.yaml.scalars import CONSTRUCTORS, resolve_plain

__all__ = ["Limits", "YamlStream", "compose"]

_PARSER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CONTAINER_TAGS: Final = frozenset(
    f"tag:yaml.org,2002:{name}" for name in ("map", "seq", "omap", "pairs", "set")
)
_STYLES: Final = {"'": Style.QUOTED, '"': Style.QUOTED, "|": Style.BLOCK, ">": Style.BLOCK}
# A scalar of this many characters is never resolved as a number: Python refuses or crawls on such digits.
_LONGEST_NUMBER: Final = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one YAML text (spec cases: E004)."""

    depth: int = 200
    nodes: int = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlStream:
    """All documents of a text, or the problem that made it unreadable (then `documents` is what came before it)."""

    source: Source
    documents: tuple[YamlNode | None, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def broken(self) -> bool:
        """True when the text as a whole cannot be used; a duplicate key alone does not break it."""
        return any(problem.code != "E006" for problem in self.problems)


class _Stop(Exception):
    def __init__(self, code: str, message: str, span: Span) -> None:
        super().__init__(message)
        self.problem = (code, message, span)


def compose(
    source: Source, *, tags: frozenset[str] = frozenset(), limits: Limits | None = None
) -> YamlStream:
    """Read every document. `tags` are local tags to accept (`!yaql`); any other unknown tag is a problem (E002)."""
    composer = _Composer(source, tags, limits or Limits())
    documents: list[YamlNode | None] = []
    problem: Problem | None = None
    try:
        documents.extend(composer.documents())
    except _Stop as stop:
        code, message, span = stop.problem
        problem = Problem(code=code, message=message, source=source, span=span)
    except yaml.YAMLError as error:
        problem = _syntax_problem(source, error)
    problems = (*composer.duplicates, problem) if problem else tuple(composer.duplicates)
    return YamlStream(source=source, documents=tuple(documents), problems=problems)


def _syntax_problem(source: Source, error: yaml.YAMLError) -> Problem:
    mark: Any = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    what = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    context = getattr(error, "context", None)
    message = f"not readable as YAML: {what}" + (f" ({context})" if context else "")
    offset = (
        min(mark.index, len(source.text))
        if mark
        else min(getattr(error, "position", 0) or 0, len(source.text))
    )
    return Problem(
        code="E002", message=message, source=source, span=Span(offset, min(offset + 1, len(source.text)))
    )


@dataclass(slots=True)
class _Composer:
    source: Source
    tags: frozenset[str]
    limits: Limits
    duplicates: list[Problem] = field(default_factory=list)
    _parser: Any = None
    _anchors: dict[str, YamlNode | None] = field(default_factory=dict)
    # Nodes an alias would bring, were it written out; by id, for the nodes that have an anchor and their ancestors.
    _weights: dict[int, int] = field(default_factory=dict)

    def documents(self) -> Iterator[YamlNode | None]:
        self._parser = _PARSER(self.source.text)
        try:
            next_event = self._parser.get_event
            next_event()  # stream start
            event = next_event()
            while isinstance(event, yaml.DocumentStartEvent):
                self._anchors.clear()
                node, _ = self._node(next_event(), 0)
                # An empty document is a plain empty scalar of no width.
                yield None if isinstance(node, YamlScalar) and _is_absent(node) else node
                next_event()  # document end
                event = next_event()
        finally:
            self._parser.dispose()

    def _node(self, event: Any, depth: int) -> tuple[YamlNode, int]:
        """The node that starts with this event, and how many nodes it would be without aliases."""
        if isinstance(event, yaml.ScalarEvent):
            scalar = self._scalar(event)
            if event.anchor:
                self._remember(event, scalar, 1)
            return scalar, 1
        span_start = event.start_mark.index
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if depth >= self.limits.depth:
            raise _Stop(
                "E004", f"nested deeper than {self.limits.depth} levels", Span(span_start, span_start + 1)
            )
        if event.anchor:
            self._anchors[event.anchor] = None
        tag = self._container_tag(event)
        node: YamlNode
        if isinstance(event, yaml.SequenceStartEvent):
            node, weight = self._sequence(event, tag, depth)
        else:
            node, weight = self._mapping(event, tag, depth)
        if weight > self.limits.nodes:
            raise _Stop(
                "E004",
                f"aliases expand to more than {self.limits.nodes:,} nodes",
                Span(span_start, span_start + 1),
            )
        if event.anchor:
            self._remember(event, node, weight)
        return node, weight

    def _remember(self, event: Any, node: YamlNode, weight: int) -> None:
        self._anchors[event.anchor] = node
        self._weights[id(node)] = weight

    def _alias(self, event: Any) -> tuple[YamlNode, int]:
        span = Span(event.start_mark.index, event.end_mark.index)
        if event.anchor not in self._anchors:
            raise _Stop("E002", f"not readable as YAML: alias *{event.anchor} has no anchor before it", span)
        node = self._anchors[event.anchor]
        if node is None:
            raise _Stop("E004", f"alias *{event.anchor} contains itself", span)
        return node, self._weights[id(node)]

    def _sequence(self, event: Any, tag: str | None, depth: int) -> tuple[YamlSequence, int]:
        items: list[YamlNode] = []
        weight = 1
        next_event = self._parser.get_event
        child = next_event()
        while not isinstance(child, yaml.SequenceEndEvent):
            node, more = self._node(child, depth + 1)
            items.append(node)
            weight += more
            child = next_event()
        return YamlSequence(_span(event, child, items[-1] if items else None), tuple(items), tag), weight

    def _mapping(self, event: Any, tag: str | None, depth: int) -> tuple[YamlMapping, int]:
        entries: list[YamlEntry] = []
        merges: list[YamlNode] = []
        seen: dict[ScalarValue, YamlScalar] = {}
        weight = 1
        next_event = self._parser.get_event
        child = next_event()
        while not isinstance(child, yaml.MappingEndEvent):
            key, key_weight = self._node(child, depth + 1)
            value, value_weight = self._node(next_event(), depth + 1)
            weight += key_weight + value_weight
            if isinstance(key, YamlScalar):
                if key.value == "<<" and key.style is Style.PLAIN and key.tag is None:
                    merges.append(value)
                    child = next_event()
                    continue
                self._note_duplicate(seen, key)
            entries.append(YamlEntry(key, value))
            child = next_event()
        last = entries[-1].value if entries else None
        if merges:
            entries = [*self._merged(merges, seen), *entries]
        return YamlMapping(_span(event, child, last), tuple(entries), tag), weight

    def _note_duplicate(self, seen: dict[ScalarValue, YamlScalar], key: YamlScalar) -> None:
        first = seen.setdefault(key.value, key)
        if first is not key and type(first.value) is type(key.value):
            line, _ = self.source.line_column(first.span.start)
            self.duplicates.append(
                Problem(
                    code="E006",
                    message=f"key {key.text!r} is given twice in one mapping, first in line {line}; the last one wins",
                    source=self.source,
                    span=key.span,
                    related=((first.span, "first given here"),),
                )
            )

    def _merged(self, merges: list[YamlNode], own: dict[ScalarValue, YamlScalar]) -> list[YamlEntry]:
        """Entries that merge keys bring; an own key wins over a merged one, an earlier merged mapping over a later."""
        taken: set[ScalarValue] = set(own)
        brought: list[YamlEntry] = []
        for merge in merges:
            for mapping in merge.items if isinstance(merge, YamlSequence) else (merge,):
                if not isinstance(mapping, YamlMapping):
                    raise _Stop(
                        "E002", "not readable as YAML: << needs a mapping or a list of mappings", mapping.span
                    )
                for entry in mapping.entries:
                    if isinstance(entry.key, YamlScalar):
                        if entry.key.value in taken:
                            continue
                        taken.add(entry.key.value)
                    brought.append(YamlEntry(entry.key, entry.value, merged=True))
        return brought

    def _scalar(self, event: Any) -> YamlScalar:
        text: str = event.value
        start, end = event.start_mark.index, event.end_mark.index
        style = _STYLES.get(event.style, Style.PLAIN)
        tag: str | None = event.tag
        if tag is None or tag == "!":
            plain = style is Style.PLAIN and tag is None
            try:
                value = resolve_plain(text) if plain and len(text) < _LONGEST_NUMBER else text
            except ValueError as error:
                raise _Stop("E002", f"not readable as YAML: {text!r}: {error}", Span(start, end)) from error
            return YamlScalar(Span(start, end), text, value, style)
        constructor = CONSTRUCTORS.get(tag)
        if constructor is None and tag not in self.tags:
            raise _Stop("E002", f"not readable as YAML: unknown tag {_shown_tag(tag)}", Span(start, end))
        try:
            value = constructor(text) if constructor else text
        except (ValueError, KeyError) as error:
            raise _Stop(
                "E002", f"not readable as YAML: {text!r} is no {_shown_tag(tag)}", Span(start, end)
            ) from error
        return YamlScalar(Span(start, end), text, value, style, tag)

    def _container_tag(self, event: Any) -> str | None:
        tag: str | None = event.tag
        if tag is None or tag == "!" or tag in _CONTAINER_TAGS:
            return None
        if tag not in self.tags:
            start = event.start_mark.index
            raise _Stop(
                "E002", f"not readable as YAML: unknown tag {_shown_tag(tag)}", Span(start, start + 1)
            )
        return tag


def _is_absent(node: YamlScalar) -> bool:
    return node.value is None and not node.text and node.span.start == node.span.end


def _shown_tag(tag: str) -> str:
    return tag.replace("tag:yaml.org,2002:", "!!")


def _span(start: Any, end: Any, last: YamlNode | None) -> Span:
    # The parser ends a block container where the next thing begins; the last child's end is where it really ends.
    if start.flow_style or last is None:
        return Span(start.start_mark.index, end.end_mark.index)
    return Span(start.start_mark.index, max(last.span.end, start.start_mark.index))
