"""From text to the YAML tree, through PyYAML's C parser, within bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import yaml
from msgspec import Struct

from sabir.diagnostics.finding import Finding, RelatedLocation
from sabir.diagnostics.reasons import explain_error
from sabir.lazy import lazy_pattern
from sabir.source.yaml.defects import DUPLICATE_KEY, UNBOUNDED, YamlError, not_readable, syntax_finding
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
from sabir.text import Place, Source, Span

_PARSER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PREFIX: Final = "tag:yaml.org,2002:"
_MAPPING_TAGS: Final = frozenset(_PREFIX + name for name in ("map", "set"))
_SEQUENCE_TAGS: Final = frozenset(_PREFIX + name for name in ("seq", "omap", "pairs"))
_STYLES: Final = {"'": Style.QUOTED, '"': Style.QUOTED, "|": Style.BLOCK, ">": Style.BLOCK}
# A scalar of this many characters is never resolved as a number: Python refuses or crawls on such digits.
_LONGEST_NUMBER: Final = 4000
# Nobody reads more of them; a file of nothing but one key would fill the memory with them.
_MOST_DUPLICATES: Final = 1000
_BYTE_ORDER_MARK: Final = "\ufeff"
# As long as the `::` that it stands for, so that every place stays; of characters that nobody has given a meaning.
_STAND_IN: Final = "\ue000\ue001"


class YamlLimits(Struct, frozen=True, kw_only=True):
    """Bounds of one YAML text (spec cases: E004)."""

    depth: int = 200
    nodes: int = 1_000_000


class YamlStream(Struct, frozen=True, kw_only=True):
    """All documents of a text, and what is wrong with it; what made it unreadable comes last, after what came before it."""

    source: Source
    documents: tuple[YamlNode | None, ...]
    findings: tuple[Finding, ...] = ()
    nodes: int = 0
    """How many were read, those that aliases repeat counted again."""

    @property
    def broken(self) -> bool:
        """True when the text as a whole cannot be used; a duplicate key alone does not break it."""
        return any(finding.code != DUPLICATE_KEY.code for finding in self.findings)


def compose(
    source: Source,
    *,
    tags: frozenset[str] = frozenset(),
    limits: YamlLimits | None = None,
    paths: bool = False,
) -> YamlStream:
    """Read every document. `tags` are local tags to accept (`!yaql`); any other unknown tag is a finding (E002).

    `paths` reads texts in flow style that begin with `::`, which YAML 1.2 allows and the parser refuses.
    """
    composer = _Composer(source, tags, limits or YamlLimits(), paths=paths)
    documents: list[YamlNode | None] = []
    broken: Finding | None = None
    try:
        documents.extend(composer.documents())
    except YamlError as defect:
        broken = defect.finding(source)
    except yaml.YAMLError as error:
        broken = syntax_finding(source, error)
    except UnicodeEncodeError as error:
        span = Span(error.start, error.start + 1)
        broken = not_readable("half of a surrogate pair is no character", span).finding(source)
    findings = (*composer.duplicates, broken) if broken else tuple(composer.duplicates)
    return YamlStream(source=source, documents=tuple(documents), findings=findings, nodes=composer.nodes_read)


class _Composer:
    """Builds the tree from the parser's events.

    `_nodes` counts nodes as if every alias were written out, while reading: a text that would grow beyond the limit stops at
    the place where it does, before anything big is built. `_end` is where the last thing read ends; the parser ends a block
    container only where the next thing begins.
    """

    __slots__ = (
        "_anchors",
        "_end",
        "_limits",
        "_most",
        "_next",
        "_nodes",
        "_paths",
        "_source",
        "_tags",
        "duplicates",
    )

    def __init__(self, source: Source, tags: frozenset[str], limits: YamlLimits, *, paths: bool) -> None:
        self.duplicates: list[Finding] = []
        self._source = source
        self._paths = paths and _STAND_IN not in source.text
        self._tags = tags
        self._limits = limits
        self._most = limits.nodes
        self._next: Callable[[], Any]
        # Anchor to its node and how many nodes it stands for; None while the node is still being read.
        self._anchors: dict[str, tuple[YamlNode, int] | None] = {}
        self._nodes = 0
        self._end = 0

    def documents(self) -> Iterator[YamlNode | None]:
        text = _without_mark(self._source.text)
        parser = _PARSER(_begins_path().sub(_STAND_IN, text) if self._paths else text)
        try:
            self._next = next_event = parser.get_event
            next_event()  # stream start
            event = next_event()
            while isinstance(event, yaml.DocumentStartEvent):
                self._anchors.clear()
                node = self._node(next_event(), 0)
                # An empty document is a plain empty scalar of no width.
                yield None if isinstance(node, YamlScalar) and _is_absent(node) else node
                next_event()  # document end
                event = next_event()
        finally:
            parser.dispose()

    def _node(self, event: Any, depth: int) -> YamlNode:
        kind = type(event)
        if kind is yaml.ScalarEvent:
            return self._scalar(event)
        if kind is yaml.AliasEvent:
            return self._alias(event)
        before = self._nodes
        self._nodes = before + 1
        if before >= self._most:
            raise self._too_many(_first_character(event))
        if depth >= self._limits.depth:
            raise YamlError(
                UNBOUNDED, f"nested deeper than {self._limits.depth} levels", _first_character(event)
            )
        if event.anchor:
            self._anchors[event.anchor] = None
        is_sequence = kind is yaml.SequenceStartEvent
        tag = self._container_tag(event, _SEQUENCE_TAGS if is_sequence else _MAPPING_TAGS)
        node: YamlNode
        if is_sequence:
            node = self._sequence(event, tag, depth)
        else:
            node = self._mapping(event, tag, depth)
        if event.anchor:
            self._anchors[event.anchor] = (node, self._nodes - before)
        return node

    def _alias(self, event: Any) -> YamlNode:
        span = _event_span(event)
        self._end = span.end
        if event.anchor not in self._anchors:
            raise not_readable(f"alias *{event.anchor} has no anchor before it", span)
        anchored = self._anchors[event.anchor]
        if anchored is None:
            raise YamlError(UNBOUNDED, f"alias *{event.anchor} contains itself", span)
        node, weight = anchored
        self._nodes += weight
        if self._nodes > self._most:
            raise self._too_many(span)
        return node

    @property
    def nodes_read(self) -> int:
        return self._nodes

    def _too_many(self, span: Span) -> YamlError:
        return YamlError(UNBOUNDED, f"more than {self._limits.nodes:,} nodes, with what aliases repeat", span)

    def _sequence(self, event: Any, tag: str | None, depth: int) -> YamlSequence:
        items: list[YamlNode] = []
        next_event = self._next
        scalar, node = self._scalar, self._node
        inner = depth + 1
        child = next_event()
        while (kind := type(child)) is not yaml.SequenceEndEvent:
            items.append(scalar(child) if kind is yaml.ScalarEvent else node(child, inner))
            child = next_event()
        return YamlSequence(self._span(event, child), tuple(items), tag)

    def _mapping(self, event: Any, tag: str | None, depth: int) -> YamlMapping:
        entries: list[YamlEntry] = []
        merges: list[tuple[Span, YamlNode]] = []
        seen: dict[object, YamlScalar] = {}
        next_event = self._next
        scalar, node = self._scalar, self._node
        inner = depth + 1
        child = next_event()
        while (kind := type(child)) is not yaml.MappingEndEvent:
            key = scalar(child) if kind is yaml.ScalarEvent else node(child, inner)
            child = next_event()
            value = scalar(child) if type(child) is yaml.ScalarEvent else node(child, inner)
            child = next_event()
            if type(key) is YamlScalar:
                if key.value == "<<" and key.style is Style.PLAIN and key.tag is None:
                    merges.append((key.span, value))
                    continue
                name = _key_identity(key.value)
                first = seen.setdefault(name, key)
                if first is not key:
                    self._note_duplicate(first, key)
            entries.append(YamlEntry(key, value))
        span = self._span(event, child)
        if merges:
            entries = [*_merge_entries(merges, set(seen)), *entries]
        return YamlMapping(span, tuple(entries), tag)

    def _span(self, start: Any, end: Any) -> Span:
        begin = start.start_mark.index
        if start.flow_style:
            self._end = end.end_mark.index
        elif self._end < begin:
            self._end = begin
        return Span(begin, self._end)

    def _note_duplicate(self, first: YamlScalar, key: YamlScalar) -> None:
        if len(self.duplicates) >= _MOST_DUPLICATES:
            return
        line, _ = self._source.line_column(first.start)
        self.duplicates.append(
            DUPLICATE_KEY.at(
                Place(self._source, key.span),
                f"key {key.text!r} is given twice in one mapping, first in line {line}; the last one wins",
                related=(RelatedLocation(place=Place(self._source, first.span), message="first given here"),),
            )
        )

    def _scalar(self, event: Any) -> YamlScalar:
        text: str = event.value
        start: int = event.start_mark.index
        self._end = end = event.end_mark.index
        self._nodes += 1
        if self._nodes > self._most:
            raise self._too_many(Span(start, end))
        if event.tag is None and event.implicit[0]:
            scalar = YamlScalar(start, end, text, self._resolve_scalar(event))
        else:
            scalar = self._other_scalar(event)
        if self._paths and _STAND_IN in text:
            scalar = _with_colons(scalar)
        if event.anchor:
            self._anchors[event.anchor] = (scalar, 1)
        return scalar

    @staticmethod
    def _resolve_scalar(event: Any) -> ScalarValue:
        text: str = event.value
        try:
            return resolve_plain(text) if len(text) < _LONGEST_NUMBER else text
        except ValueError as error:
            raise not_readable(f"{text!r}: {explain_error(error)}", _event_span(event)) from error

    def _other_scalar(self, event: Any) -> YamlScalar:
        """A scalar that is quoted, in a block, or tagged."""
        text: str = event.value
        tag: str | None = event.tag
        value: ScalarValue = text
        if tag is None or tag == "!":
            tag = None
            if event.implicit[0]:
                value = self._resolve_scalar(event)
        else:
            constructor = CONSTRUCTORS.get(tag)
            if constructor is None and tag not in self._tags:
                raise not_readable(f"unknown tag {_format_tag(tag)}", _event_span(event))
            try:
                value = constructor(text) if constructor else text
            except (ValueError, KeyError) as error:
                raise not_readable(f"{text!r} is no {_format_tag(tag)}", _event_span(event)) from error
        style = _STYLES.get(event.style, Style.PLAIN)
        return YamlScalar(event.start_mark.index, event.end_mark.index, text, value, style, tag)

    def _container_tag(self, event: Any, allowed: frozenset[str]) -> str | None:
        """The tag when it is a local one that is accepted; the standard ones of this kind of container say nothing new."""
        tag: str | None = event.tag
        if tag is None or tag == "!" or tag in allowed:
            return None
        if tag not in self._tags:
            problem = "belongs to another kind of value" if tag.startswith(_PREFIX) else "is unknown"
            raise not_readable(f"tag {_format_tag(tag)} {problem}", _first_character(event))
        return tag


def _merge_entries(merges: list[tuple[Span, YamlNode]], taken: set[object]) -> list[YamlEntry]:
    """Entries that merge keys bring, as PyYAML lets them win: an own key first; of several `<<` the last one; in a list of
    mappings the first.
    """
    brought: list[YamlEntry] = []
    for at, merge in reversed(merges):
        for mapping in merge.items if isinstance(merge, YamlSequence) else (merge,):
            if not isinstance(mapping, YamlMapping):
                raise not_readable("<< needs a mapping or a list of mappings", mapping.span)
            for entry in mapping.entries:
                if isinstance(entry.key, YamlScalar):
                    name = _key_identity(entry.key.value)
                    if name in taken:
                        continue
                    taken.add(name)
                brought.append(YamlEntry(entry.key, entry.value, merged=at))
    return brought


def _key_identity(value: ScalarValue) -> object:
    """Python takes 1, 1.0 and True for one key; whoever wrote them did not."""
    return value if type(value) is str else (type(value), value)


def _without_mark(text: str) -> str:
    # The parser drops the mark and counts on from 0; a line break in its place keeps every offset right.
    return "\n" + text[1:] if text.startswith(_BYTE_ORDER_MARK) else text


_begins_path: Final = lazy_pattern(r"(?<=[\s\[{,])::(?=[^\s\[\]{},])")


def _with_colons(scalar: YamlScalar) -> YamlScalar:
    """Wherever the stand-in came to stand, in a plain text or a quoted one, it is taken back."""
    text = scalar.text.replace(_STAND_IN, "::")
    value = scalar.value.replace(_STAND_IN, "::") if isinstance(scalar.value, str) else scalar.value
    return YamlScalar(scalar.start, scalar.end, text, value, scalar.style, scalar.tag)


def _first_character(event: Any) -> Span:
    start = event.start_mark.index
    return Span(start, start + 1)


def _event_span(event: Any) -> Span:
    return Span(event.start_mark.index, event.end_mark.index)


def _is_absent(node: YamlScalar) -> bool:
    return node.value is None and not node.text and node.start == node.end


def _format_tag(tag: str) -> str:
    return tag.replace(_PREFIX, "!!")
