"""Places of the parts of an object model that was read from a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from sabir.source.text import Place, Source, Span
from sabir.source.yaml import YamlMapping, YamlNode, YamlScalar, YamlSequence

__all__ = ["Positions", "read_placed"]

_STEP: Final = re.compile(r"\[(?:(\d+)|'((?:[^'\\]|\\.)*)')\]")


class Positions:
    """The YAML node of every mapping of the data, by identity; the data must outlive this."""

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

    def of_value(self, raw: Mapping[Any, Any], key: str, path: str = "") -> Place | None:
        """The place of a property's value, or of a part of it: `[0]['ports']`."""
        node: YamlNode | None = self.nodes.get(id(raw))
        if not isinstance(node, YamlMapping) or (entry := node.entry(key)) is None:
            return None
        node = entry.value
        for index, name in _STEP.findall(path):
            inner = _inside(node, index, name)
            if inner is None:
                break
            node = inner
        return Place(self.source, node.span)


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
