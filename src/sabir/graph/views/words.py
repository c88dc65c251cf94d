"""Values and instances in words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from sabir.graph.graph import Graph
from sabir.graph.values import Ref, Sensitive, Unknown, Value
from sabir.text import REDACTED

__all__ = ["called", "clipped", "one_line", "value_text"]

_LONGEST: Final = 100


def value_text(value: Value, graph: Graph | None = None) -> str:
    """A value on one line, never a sensitive one. References are shown by name when the graph is given."""
    match value:
        case None:
            return "null"
        case Sensitive():
            return REDACTED
        case Unknown():
            return "(not known yet)"
        case Ref():
            return "→ " + called(value.id, graph)
        case bool():
            return "true" if value else "false"
        case str():
            return _visible(json.dumps(value, ensure_ascii=False))
        case bytes():
            return f"({len(value)} bytes)"
        case Mapping():
            return (
                "{"
                + ", ".join(f"{one_line(str(key))}: {value_text(item, graph)}" for key, item in value.items())
                + "}"
            )
        case Sequence():
            return "[" + ", ".join(value_text(item, graph) for item in value) + "]"
        case _:
            return str(value)


def _visible(text: str) -> str:
    """With what a terminal would obey instead of showing (directions, control) written out."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)


def called(id_: str, graph: Graph | None) -> str:
    """The name of an instance when it tells which one is meant, else its id."""
    instance = None if graph is None else graph.get(id_)
    if instance is None:
        return id_ if graph is None else f"{id_} (not in the graph)"
    return instance.name if graph is None or len(graph.named(instance.name)) == 1 else id_


def clipped(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def one_line(text: str) -> str:
    """Without line breaks and other control characters, which pictures and terminals take badly."""
    return "".join(char if char.isprintable() else " " for char in text)
