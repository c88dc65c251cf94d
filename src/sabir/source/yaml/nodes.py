"""The YAML tree: what was written and where. An alias is the very node it stands for, so the tree may be a DAG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from enum import Enum
from typing import cast

from msgspec import Struct

from sabir.text import Span

ScalarValue = str | int | float | bool | bytes | date | datetime | None
Data = ScalarValue | list["Data"] | dict["Data", "Data"]


class Style(Enum):
    """How a scalar was written; languages tell expressions from texts by it."""

    PLAIN = "plain"
    QUOTED = "quoted"
    BLOCK = "block"


class YamlScalar(Struct, frozen=True, eq=False, gc=False):
    """A scalar: `text` as written (unfolded, unescaped), `value` as its tag resolves it, `tag` only when given.

    It keeps its two offsets and makes a span of them when asked: most scalars never are, and a text is mostly scalars.
    """

    start: int
    end: int
    text: str
    value: ScalarValue
    style: Style = Style.PLAIN
    tag: str | None = None

    @staticmethod
    def at(
        span: Span, text: str, value: ScalarValue, style: Style = Style.PLAIN, tag: str | None = None
    ) -> YamlScalar:
        """A scalar for a span: for what is put into a tree after it was read."""
        return YamlScalar(span.start, span.end, text, value, style, tag)

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


class YamlEntry(Struct, frozen=True, eq=False):
    """A key of a mapping with its value."""

    key: YamlNode
    value: YamlNode
    merged: Span | None = None
    """Of an entry that came in by a merge key, where that stands."""


class YamlSequence(Struct, frozen=True, eq=False):
    """A list with its span and items."""

    span: Span
    items: tuple[YamlNode, ...]
    tag: str | None = None

    def __iter__(self) -> Iterator[YamlNode]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


class YamlMapping(Struct, frozen=True, eq=False):
    """A mapping with merge keys already taken in. Duplicate keys are kept; the last one wins, as in PyYAML."""

    span: Span
    entries: tuple[YamlEntry, ...]
    tag: str | None = None

    def __len__(self) -> int:
        return len(self.entries)

    def get(self, key: str) -> YamlNode | None:
        """The value under a text key, or None."""
        entry = self.entry(key)
        return entry.value if entry else None

    def entry(self, key: str) -> YamlEntry | None:
        """The entry under a text key, or None."""
        for entry in reversed(self.entries):
            if isinstance(entry.key, YamlScalar) and entry.key.value == key:
                return entry
        return None

    def items(self) -> Iterator[tuple[YamlNode, YamlNode]]:
        return ((entry.key, entry.value) for entry in self.entries)

    def __iter__(self) -> Iterator[YamlNode]:
        """The keys, as with a dict."""
        return (entry.key for entry in self.entries)

    def values(self) -> Iterator[YamlNode]:
        return (entry.value for entry in self.entries)


YamlNode = YamlScalar | YamlSequence | YamlMapping


def text_of(node: YamlNode | None) -> str | None:
    """The text of a node that is a text, else None."""
    return node.value if isinstance(node, YamlScalar) and isinstance(node.value, str) else None


def node_of(value: object, span: Span) -> YamlNode:
    """Data as a tree whose every node stands at one place: for values that were computed, not written."""
    if isinstance(value, Mapping):
        entries = (YamlEntry(node_of(key, span), node_of(item, span)) for key, item in value.items())
        return YamlMapping(span, tuple(entries))
    if isinstance(value, list | tuple):
        return YamlSequence(span, tuple(node_of(item, span) for item in value))
    style = Style.QUOTED if isinstance(value, str) else Style.PLAIN
    return YamlScalar.at(span, "" if value is None else str(value), cast(ScalarValue, value), style)


def plain_data(node: YamlNode) -> Data:
    """The node as plain Python data; shared nodes become shared objects. A key that is no scalar becomes a tuple."""
    return _node_data(node, {})


def _node_data(node: YamlNode, done: dict[int, Data]) -> Data:
    if isinstance(node, YamlScalar):
        return node.value
    data = done.get(id(node))
    if data is not None:
        return data
    if isinstance(node, YamlSequence):
        items: list[Data] = []
        done[id(node)] = items
        items.extend(_node_data(item, done) for item in node.items)
        return items
    mapping: dict[Data, Data] = {}
    done[id(node)] = mapping
    for entry in node.entries:
        key = entry.key
        mapping[key.value if isinstance(key, YamlScalar) else _freeze_key(_node_data(key, done))] = (
            _node_data(entry.value, done)
        )
    return mapping


def _freeze_key(data: Data) -> Data:
    if isinstance(data, list):
        return tuple(_freeze_key(item) for item in data)  # type: ignore[return-value]  # tuples only ever stand as keys
    if isinstance(data, dict):
        return tuple((_freeze_key(key), _freeze_key(value)) for key, value in data.items())  # type: ignore[return-value]
    return data
