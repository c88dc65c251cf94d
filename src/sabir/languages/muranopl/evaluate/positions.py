"""Places of the parts of an object model that was read from a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from sabir.lazy import lazy_pattern
from sabir.source.yaml import YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.text import Place, Source, Span

__all__ = ["Positions", "read_placed", "step_pattern"]

step_pattern: Final = lazy_pattern(r"\[(?:(\d+)|'((?:[^'\\]|\\.)*)')\]")
"""One step of the path of a contract violation: `[0]` or `['key']`."""


class Positions:
    """The YAML node of every mapping of the data, by identity; the data must outlive this."""

    is_late = False
    """True when an answer costs a walk through the text, so that only failures should ask."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.nodes: dict[int, YamlMapping] = {}

    def of(self, raw: Mapping[Any, Any]) -> Place | None:
        node = self.nodes.get(id(raw))
        return None if node is None else Place(self.source, Span(node.span.start, node.span.start + 1))

    def of_key(self, raw: Mapping[Any, Any], key: Any) -> Place:
        node = self.nodes.get(id(raw))
        for entry in node.entries if node else ():
            if isinstance(entry.key, YamlScalar) and entry.key.value == key:
                return Place(self.source, entry.key.span)
        return Place(self.source, Span(0, 0))

    def of_header(self, raw: Mapping[Any, Any], key: str) -> Place | None:
        """The header of an object, or the value of one of its entries."""
        header = raw.get("?")
        node = self.nodes.get(id(header)) if isinstance(header, Mapping) else None
        if node is None:
            return self.of(raw)
        entry = node.entry(key) if key else None
        if entry is not None:
            return Place(self.source, entry.value.span)
        start = self.of_key(raw, "?").span.start
        return Place(self.source, Span(start, node.span.end))

    def of_value(self, raw: Mapping[Any, Any], key: str, path: str = "") -> Place | None:
        """The place of a property's value, or of a part of it: `[0]['ports']`."""
        node: YamlNode | None = self.nodes.get(id(raw))
        if not isinstance(node, YamlMapping) or (entry := node.entry(key)) is None:
            return None
        node = entry.value
        for index, name in step_pattern().findall(path):
            inner = _inside(node, index, name)
            if inner is None:
                break
            node = inner
        return Place(self.source, node.span)

    def parts_of_value(self, raw: Mapping[Any, Any], key: str) -> list[Place]:
        """The headers of the objects that a property's value holds inline, and what else stands beside them; empty
        when it holds none."""
        node = self.nodes.get(id(raw))
        entry = None if node is None else node.entry(key)
        parts = [] if entry is None else list(_parts(entry.value))
        return (
            [Place(self.source, span) for span, _ in parts]
            if any(is_object for _, is_object in parts)
            else []
        )


def _parts(node: YamlNode) -> Iterator[tuple[Span, bool]]:
    """Spans of headers, and of values that hold no object."""
    if isinstance(node, YamlMapping):
        header = node.entry("?")
        if header is not None:
            yield Span(header.key.span.start, header.value.span.end), True
            return
    inner: Sequence[YamlNode] = ()
    if isinstance(node, YamlMapping):
        inner = [entry.value for entry in node.entries]
    elif isinstance(node, YamlSequence):
        inner = node.items
    if not inner:
        yield node.span, False
    for item in inner:
        yield from _parts(item)


def _inside(node: YamlNode, index: str, name: str) -> YamlNode | None:
    if index and isinstance(node, YamlSequence) and int(index) < len(node.items):
        return node.items[int(index)]
    if isinstance(node, YamlMapping):
        return node.get(name)
    return None


def read_placed(source: Source, node: YamlNode) -> tuple[Any, Positions]:
    """The data of a node, with the places of its mappings."""
    positions = Positions(source)
    return _data(node, positions), positions


def _data(node: YamlNode, positions: Positions) -> Any:
    if isinstance(node, YamlScalar):
        return node.value
    if isinstance(node, YamlSequence):
        return [_data(item, positions) for item in node.items]
    mapping: dict[Any, Any] = {}
    for entry in node.entries:
        key = entry.key.value if isinstance(entry.key, YamlScalar) else str(_data(entry.key, positions))
        mapping[key] = _data(entry.value, positions)
    positions.nodes[id(mapping)] = node
    return mapping
