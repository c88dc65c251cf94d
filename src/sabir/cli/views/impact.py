"""The answer of `impact` for people and machines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from sabir.graph.dependence import Affected
from sabir.graph.graph import Graph
from sabir.graph.json.values import encoded
from sabir.graph.origin import AttributeRead
from sabir.graph.views.words import clipped, one_line, value_text
from sabir.operations.impact import AffectedObject, Impact

__all__ = ["FORMAT", "VIEWS"]

FORMAT: Final = "sabir.impact/1"


def text_view(impact: Impact) -> Iterator[str]:
    """Each instance once, below it what of it depends on the line and by which way."""
    if not impact.affected:
        yield f"nothing depends on {impact.file}:{impact.line}\n"
        return
    shown: str | None = None
    for one in impact.affected:
        if one.instance is None:
            yield f"output {one.attribute}{_through(impact.graph, one)}\n"
            continue
        instance = impact.graph[one.instance]
        if shown != one.instance:
            shown = one.instance
            made = " is made here" if one.attribute is None else ""
            yield f"{one_line(instance.name)} ({instance.type}){made}\n"
        if one.attribute is not None:
            value = _value(impact.graph, one)
            yield f"    {one.attribute} = {clipped(value)}{_through(impact.graph, one)}\n"
    for thing in impact.rendered:
        way = _way(impact.graph, thing.through)
        yield f"{one_line(thing.name)} in {thing.renderer}: {', '.join(thing.fields)}{way}\n"
    instances = len({one.instance for one in impact.affected if one.instance is not None})
    outputs = sum(one.instance is None for one in impact.affected)
    both = f"{_counted(instances, 'instance')} and {_counted(outputs, 'output')}"
    if impact.rendered:
        objects = _counted(len(impact.rendered), "rendered object")
        both = f"{_counted(instances, 'instance')}, {objects} and {_counted(outputs, 'output')}"
    yield f"{both} depend on {impact.file}:{impact.line}\n"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _value(graph: Graph, one: Affected) -> str:
    instance = graph[one.instance or ""]
    name = one.attribute or ""
    if name in instance.attributes:
        return value_text(instance.attributes[name], graph)
    targets = instance.relations[name]
    return ", ".join(graph[id_].name if id_ in graph else id_ for id_ in targets) or "nothing"


def _through(graph: Graph, one: Affected) -> str:
    return "" if one.through is None else _way(graph, one.through)


def _way(graph: Graph, read: AttributeRead) -> str:
    if read.instance not in graph:
        return ""
    name = graph[read.instance].name
    return f"   through {name if read.attribute is None else f'{name}.{read.attribute}'}"


def json_view(impact: Impact) -> Iterator[str]:
    rows = [_row(impact.graph, one) for one in impact.affected]
    data = {"format": FORMAT, "file": impact.file, "line": impact.line, "affected": rows}
    data["rendered"] = [_object(one) for one in impact.rendered]
    yield json.dumps(data, indent=2) + "\n"


def _object(one: AffectedObject) -> dict[str, Any]:
    through = {"instance": one.through.instance, "attribute": one.through.attribute}
    return {"name": one.name, "renderer": one.renderer, "fields": list(one.fields), "through": through}


def _row(graph: Graph, one: Affected) -> dict[str, Any]:
    row: dict[str, Any] = {"instance": one.instance, "attribute": one.attribute}
    if one.instance is not None:
        instance = graph[one.instance]
        row |= {"name": instance.name, "type": instance.type, "language": instance.language}
        if one.attribute is not None and one.attribute in instance.attributes:
            row["value"] = encoded(instance.attributes[one.attribute])
    if one.through is not None:
        row["through"] = {"instance": one.through.instance, "attribute": one.through.attribute}
    return row


VIEWS: Final[Mapping[str, Callable[[Impact], Iterator[str]]]] = {"text": text_view, "json": json_view}
