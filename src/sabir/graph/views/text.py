"""The graph as an indented tree: parts below their owners."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sabir.graph.graph import Graph
from sabir.graph.instance import Instance
from sabir.graph.views.links import ownership
from sabir.graph.views.paint import PLAIN, Paint
from sabir.graph.views.relevant import aliases
from sabir.graph.views.words import called, clipped, one_line, value_text

__all__ = ["text_view"]


def text_view(graph: Graph, *, origins: bool = False, paint: Paint = PLAIN) -> Iterator[str]:
    """Instance, type, attributes, relations; with `origins` also where each of them came from."""
    tree = ownership(graph)
    also = aliases(graph)
    stack = [(root, 0) for root in reversed(tree.roots)]
    first = True
    while stack:
        instance, depth = stack.pop()
        if not first and not depth:
            yield "\n"
        first = False
        for line in _lines(graph, instance, paint, origins=origins, also=also.get(instance.id, ())):
            yield "    " * depth + line + "\n"
        stack += [(part, depth + 1) for part in reversed(tree.parts.get(instance.id, ()))]
    if graph.outputs:
        yield "\noutputs\n" if not first else "outputs\n"
        for name, value in graph.outputs.items():
            line = f"  {one_line(name)} = {clipped(value_text(value, graph))}"
            if origins and (origin := graph.output_origins.get(name)):
                line += paint.place(f"    # {origin.location} {origin.how.value}")
            yield line + "\n"


def _lines(
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
        yield f"  {one_line(name)} = {clipped(value_text(value, graph))}{where(name)}"
    for name, ids in instance.relations.items():
        yield f"  {one_line(name)} → {_called(graph, ids)}{where(name)}"
    if instance.requires:
        yield f"  requires → {_called(graph, instance.requires)}"


def _called(graph: Graph, ids: tuple[str, ...]) -> str:
    return one_line(", ".join(called(id_, graph) for id_ in ids)) or "nothing"
