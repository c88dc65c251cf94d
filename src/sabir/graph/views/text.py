"""The graph as text: an indented tree of instances, and the JSON form as YAML.

It also defines how single values and instances are shown in all text output.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from sabir.graph.graph import Graph, Instance
from sabir.graph.json.values import FORMAT, encode_value
from sabir.graph.json.write import instance_data, origin_data
from sabir.graph.values import Ref, Sensitive, Unknown, Value
from sabir.graph.views.colours import PLAIN, Paint
from sabir.graph.views.links import build_ownership
from sabir.graph.views.visibility import find_aliases
from sabir.source.yaml.write import yaml_text
from sabir.text import REDACTED

_LONGEST: Final = 100


def value_text(value: Value, graph: Graph | None = None) -> str:
    """Return a value on one line, with sensitive values redacted.

    References are shown by name when the graph is given.
    """
    match value:
        case None:
            return "null"
        case Sensitive():
            return REDACTED
        case Unknown():
            return "(not known yet)"
        case Ref():
            return "→ " + display_name(value.id, graph)
        case bool():
            return "true" if value else "false"
        case str():
            return _escape_unprintable(json.dumps(value, ensure_ascii=False))
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


def _escape_unprintable(text: str) -> str:
    """Escape the characters that a terminal would interpret instead of showing (directions, control)."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)


def display_name(id_: str, graph: Graph | None) -> str:
    """Return the name of an instance when it is unique, else its id."""
    instance = None if graph is None else graph.get(id_)
    if instance is None:
        return id_ if graph is None else f"{id_} (not in the graph)"
    return instance.name if graph is None or len(graph.find_by_name(instance.name)) == 1 else id_


def clip_text(text: str, longest: int = _LONGEST) -> str:
    """Truncate a text to a number of characters and mark the cut with an ellipsis."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def one_line(text: str) -> str:
    """Replace line breaks and other control characters, which break pictures and terminals."""
    return "".join(char if char.isprintable() else " " for char in text)


def text_view(graph: Graph, *, origins: bool = False, paint: Paint = PLAIN) -> Iterator[str]:
    """Yield the lines of the tree: instance, type, attributes, relations; with `origins` also their origins."""
    tree = build_ownership(graph)
    also = find_aliases(graph)
    stack = [(root, 0) for root in reversed(tree.roots)]
    first = True
    while stack:
        instance, depth = stack.pop()
        if not first and not depth:
            yield "\n"
        first = False
        for line in _instance_lines(graph, instance, paint, origins=origins, also=also.get(instance.id, ())):
            yield "    " * depth + line + "\n"
        stack += [(part, depth + 1) for part in reversed(tree.parts.get(instance.id, ()))]
    if graph.outputs:
        yield "\noutputs\n" if not first else "outputs\n"
        for name, value in graph.outputs.items():
            line = f"  {one_line(name)} = {clip_text(value_text(value, graph))}"
            if origins and (origin := graph.output_origins.get(name)):
                line += paint.place(f"    # {origin.location} {origin.how.value}")
            yield line + "\n"


def _instance_lines(
    graph: Graph, instance: Instance, paint: Paint, *, origins: bool, also: Sequence[str] = ()
) -> Iterator[str]:
    def where(name: str | None) -> str:
        origin = instance.origin if name is None else instance.origins.get(name)
        if not origins or origin is None:
            return ""
        note = f" ({origin.note})" if origin.note else ""
        return paint.place(f"    # {origin.location} {origin.how.value}{note}")

    head = f"{paint.name(one_line(instance.name))} : {paint.type(one_line(instance.type))}"
    if instance.id != instance.name:
        head += paint.aside(f"  [{one_line(instance.id)}]")
    if also:
        head += paint.aside(f"  also {one_line(', '.join(also))}")
    if instance.status is not None:
        head += f"  {one_line(instance.status)}"
    yield head + where(None)
    for name, value in instance.attributes.items():
        yield f"  {one_line(name)} = {clip_text(value_text(value, graph))}{where(name)}"
    for name, ids in instance.relations.items():
        yield f"  {one_line(name)} → {_display_names(graph, ids)}{where(name)}"
    if instance.requires:
        yield f"  requires → {_display_names(graph, instance.requires)}"


def _display_names(graph: Graph, ids: tuple[str, ...]) -> str:
    return one_line(", ".join(display_name(id_, graph) for id_ in ids)) or "nothing"


def yaml_view(graph: Graph, *, reveal: bool = False) -> Iterator[str]:
    """Yield the graph as YAML, one instance at a time, so that a large graph is never one string."""
    yield f"format: {FORMAT}\n"
    yield "instances:\n" if len(graph) else "instances: []\n"
    for instance in graph:
        yield yaml_text([instance_data(instance, reveal=reveal)])
    yield yaml_text(
        {"outputs": {name: encode_value(output, reveal=reveal) for name, output in graph.outputs.items()}}
    )
    if graph.output_origins:
        yield yaml_text(
            {
                "output_origins": {
                    name: origin_data(output_origin) for name, output_origin in graph.output_origins.items()
                }
            }
        )
