"""The answer of `impact` for people and machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from sabir.graph.dependence import Affected
from sabir.graph.graph import Graph
from sabir.graph.origin import AttributeRead
from sabir.graph.views.colours import PLAIN, Paint
from sabir.graph.views.text import clipped, one_line, value_text
from sabir.operations.answers import impact_data
from sabir.operations.impact import Impact
from sabir.text import format_json

__all__ = ["VIEWS"]


def text_view(impact: Impact, paint: Paint = PLAIN) -> Iterator[str]:
    """Each instance once, below it what of it depends on the line and by which way."""
    if not impact.affected:
        yield f"nothing depends on {impact.file}:{impact.line}\n"
        return
    shown: str | None = None
    for affected in impact.affected:
        if affected.instance is None:
            yield f"output {affected.attribute}{_through(impact.graph, affected)}\n"
            continue
        instance = impact.graph[affected.instance]
        if shown != affected.instance:
            shown = affected.instance
            note = " is made here" if affected.attribute is None else ""
            yield f"{paint.name(one_line(instance.name))} {paint.type(f'({instance.type})')}{note}\n"
        if affected.attribute is not None:
            value = _value(impact.graph, affected)
            yield f"    {affected.attribute} = {clipped(value)}{_through(impact.graph, affected)}\n"
    for rendered in impact.rendered:
        way = _way(impact.graph, rendered.through)
        yield f"{one_line(rendered.name)} in {rendered.renderer}: {', '.join(rendered.fields)}{way}\n"
    instances = len({affected.instance for affected in impact.affected if affected.instance is not None})
    outputs = sum(affected.instance is None for affected in impact.affected)
    both = f"{_counted(instances, 'instance')} and {_counted(outputs, 'output')}"
    if impact.rendered:
        objects = _counted(len(impact.rendered), "rendered object")
        both = f"{_counted(instances, 'instance')}, {objects} and {_counted(outputs, 'output')}"
    yield f"{both} depend on {impact.file}:{impact.line}\n"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _value(graph: Graph, affected: Affected) -> str:
    instance = graph[affected.instance or ""]
    name = affected.attribute or ""
    if name in instance.attributes:
        return value_text(instance.attributes[name], graph)
    targets = instance.relations[name]
    return ", ".join(graph[id_].name if id_ in graph else id_ for id_ in targets) or "nothing"


def _through(graph: Graph, affected: Affected) -> str:
    return "" if affected.through is None else _way(graph, affected.through)


def _way(graph: Graph, read: AttributeRead) -> str:
    if read.instance not in graph:
        return ""
    name = graph[read.instance].name
    return f"   through {name if read.attribute is None else f'{name}.{read.attribute}'}"


def json_view(impact: Impact) -> Iterator[str]:
    yield format_json(impact_data(impact), indent=2) + "\n"


VIEWS: Final[Mapping[str, Callable[..., Iterator[str]]]] = {"text": text_view, "json": json_view}
