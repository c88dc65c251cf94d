"""Queries on a YAML tree that tolerate missing nodes and nodes of another type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sabir.diagnostics.suggestions import did_you_mean
from sabir.source.yaml.nodes import YamlEntry, YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of
from sabir.text import Span


def find_unknown_keys(mapping: YamlMapping, names: Sequence[str]) -> Iterator[tuple[YamlNode, str, str]]:
    """The keys that are none of the names: where each stands, how it is written, and what may be meant."""
    for key in mapping:
        name = text_of(key) or ""
        if name not in names:
            yield key, name, did_you_mean(name, names) or f"known here: {', '.join(names)}"


def mapping_of(node: YamlNode | None) -> YamlMapping | None:
    """Return the node if it is a mapping, else None."""
    return node if isinstance(node, YamlMapping) else None


def text_entries(node: YamlNode | None) -> Iterator[tuple[str, YamlEntry]]:
    """Yield the entries of a mapping whose keys are strings; nothing for any other node."""
    for entry in node.entries if isinstance(node, YamlMapping) else ():
        name = text_of(entry.key)
        if name is not None:
            yield name, entry


def sequence_items(node: YamlNode | None) -> tuple[YamlNode, ...]:
    """Return the items of a sequence; empty for any other node."""
    return node.items if isinstance(node, YamlSequence) else ()


def value_at(node: YamlNode | None, *path: str) -> YamlNode | None:
    """What stands below some keys, one after the other."""
    for key in path:
        node = node.get(key) if isinstance(node, YamlMapping) else None
    return node


def all_entries(node: YamlNode | None) -> Iterator[tuple[str, YamlEntry]]:
    """Every entry below a node, at any depth; what an alias stands for once, however often it is written."""
    seen: set[int] = set()
    waiting: list[YamlNode] = [] if node is None or isinstance(node, YamlScalar) else [node]
    while waiting:
        current = waiting.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield from text_entries(current)
        below = current.values() if isinstance(current, YamlMapping) else sequence_items(current)
        waiting += [child for child in below if not isinstance(child, YamlScalar)]


def entry_extent(entry: YamlEntry) -> Span:
    """A key with everything that belongs to it."""
    return entry.key.span.to(entry.value.span)
