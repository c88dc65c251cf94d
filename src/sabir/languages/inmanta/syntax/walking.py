"""All nodes below a node, in the order they are written."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from sabir.languages.inmanta.syntax.nodes import Node

__all__ = ["children", "walk"]

_PLAIN = frozenset({"str", "int", "float", "bool", "None"})


@cache
def _branches(kind: type[Node]) -> tuple[str, ...]:
    """The fields of a kind of node that can hold nodes: a tree is walked often, and most fields are plain values."""
    annotations: dict[str, str] = kind.__annotations__
    return tuple(
        name for name, annotation in annotations.items() if not _PLAIN.issuperset(annotation.split(" | "))
    )


def children(node: Node) -> list[Node]:
    """The nodes directly below a node."""
    below: list[Node] = []
    for name in _branches(type(node)):
        value = getattr(node, name)
        if type(value) is tuple:
            _gather(value, below)
        elif isinstance(value, Node):
            below.append(value)
    return below


def _gather(values: tuple[Any, ...], below: list[Node]) -> None:
    for value in values:
        if isinstance(value, Node):
            below.append(value)
        elif type(value) is tuple:
            _gather(value, below)


def walk(*roots: Node) -> Iterator[Node]:
    """The nodes themselves and all below them."""
    todo: list[Node] = [*reversed(roots)]
    while todo:
        node = todo.pop()
        yield node
        below = children(node)
        below.reverse()
        todo += below
