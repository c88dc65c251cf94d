"""The parts of a block construct, and the ones with a form of their own: `Catch`, names of exceptions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from sabir.languages.muranopl.syntax.defects import Defects
from sabir.languages.muranopl.syntax.nodes import Block, CatchClause, Constant, NameNode, Value
from sabir.languages.muranopl.syntax.values import read_value
from sabir.source.yaml import YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.text import Span

__all__ = ["Construct", "read_catches", "read_names"]

_CATCH_KEYS: Final = ("With", "As", "Do")


class Construct(Struct, frozen=True, kw_only=True):
    """A block construct whose keys are known to belong to it."""

    span: Span
    keys: Mapping[str, YamlNode]
    defects: Defects
    block: Callable[[YamlNode | None, Defects], Block]

    def code(self, key: str) -> Block:
        return self.block(self.keys.get(key), self.defects)

    def value(self, key: str) -> Value:
        return read_value(self.keys[key])

    def optional(self, key: str) -> Value | None:
        node = self.keys.get(key)
        return None if node is None else read_value(node)

    def mapping(self, key: str) -> YamlMapping | None:
        node = self.keys[key]
        if isinstance(node, YamlMapping):
            return node
        if isinstance(node, YamlScalar) and node.value is None:
            return YamlMapping(node.span, ())
        self.defects.add(f"{key!r} needs a mapping of cases to code blocks", node.span)
        return None

    def has_no_value(self, key: str) -> bool:
        node = self.keys[key]
        value = read_value(node)
        if isinstance(value, Constant) and value.value is None:
            return True
        self.defects.add(f"{key!r} takes no value", node.span)
        return False


def read_names(node: YamlNode, defects: Defects) -> tuple[NameNode, ...]:
    """Names of exceptions: one or a list of them."""
    names: list[NameNode] = []
    for item in node.items if isinstance(node, YamlSequence) else (node,):
        if isinstance(item, YamlScalar) and isinstance(item.value, str) and item.value:
            names.append(NameNode(span=item.span, text=item.value))
        else:
            defects.add("the name of an exception is a text", item.span)
    return tuple(names)


def read_catches(parts: Construct) -> tuple[CatchClause, ...]:
    """`Catch` holds one mapping or a list of them; the table of spec 000 writes With, As and Do beside it (S-16)."""
    flat = {key: parts.keys[key] for key in _CATCH_KEYS if key in parts.keys}
    node = parts.keys.get("Catch")
    is_empty = node is None or (isinstance(node, YamlScalar) and node.value is None)
    if is_empty:
        if not flat:
            return ()
        return (_clause(flat, parts.span if node is None else node.span, parts),)
    assert node is not None
    if flat:
        parts.defects.add(f"{next(iter(flat))!r} belongs into 'Catch'", node.span)
    clauses: list[CatchClause] = []
    for item in node.items if isinstance(node, YamlSequence) else (node,):
        if not isinstance(item, YamlMapping):
            parts.defects.add("'Catch' needs a mapping with With, As and Do, or a list of them", item.span)
            continue
        keys = _catch_keys(item, parts.defects)
        if keys is not None:
            clauses.append(_clause(keys, item.span, parts))
    return tuple(clauses)


def _catch_keys(node: YamlMapping, defects: Defects) -> dict[str, YamlNode] | None:
    keys: dict[str, YamlNode] = {}
    for entry in node.entries:
        key = entry.key.value if isinstance(entry.key, YamlScalar) else None
        if not isinstance(key, str) or key not in _CATCH_KEYS:
            defects.misspelt(f"{key!r} does not belong to 'Catch'", entry.key.span, str(key), _CATCH_KEYS)
            return None
        keys[key] = entry.value
    return keys


def _clause(keys: Mapping[str, YamlNode], span: Span, parts: Construct) -> CatchClause:
    with_, as_ = keys.get("With"), keys.get("As")
    variable: str | None = None
    if as_ is not None:
        if isinstance(as_, YamlScalar) and isinstance(as_.value, str):
            variable = as_.value.lstrip("$")
        else:
            parts.defects.add("'As' needs the name of a variable", as_.span)
    is_null = with_ is None or (isinstance(with_, YamlScalar) and with_.value is None)
    return CatchClause(
        span=span,
        names=None if is_null or with_ is None else read_names(with_, parts.defects),
        variable=variable,
        body=parts.block(keys.get("Do"), parts.defects),
    )
