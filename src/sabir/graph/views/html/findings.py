"""Findings for the page: what they say, and the instances that were made on their line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sabir.diagnostics.finding import Finding
from sabir.graph.graph import Graph
from sabir.graph.views.html.lines import SafeLines
from sabir.graph.views.html.values import without_surrogates

__all__ = ["findings_data"]

_MOST: Final = 2000
_MOST_INSTANCES: Final = 20


def findings_data(graph: Graph, findings: Sequence[Finding], lines: SafeLines) -> dict[str, Any]:
    if not findings:
        return {"count": 0, "shown": []}
    shown = findings[:_MOST]
    made_on = _made_on(graph, {(finding.location.file, finding.location.line) for finding in shown})
    return {"count": len(findings), "shown": [_finding(finding, made_on, lines) for finding in shown]}


def _made_on(graph: Graph, places: set[tuple[str, int]]) -> Mapping[tuple[str, int], Sequence[int]]:
    """The instances that have something from one of the places."""
    made_on: dict[tuple[str, int], dict[int, None]] = {}
    by_origin: dict[
        int, tuple[str, int]
    ] = {}  # by identity: origins are shared, and the graph keeps them alive
    for number, instance in enumerate(graph):
        for origin in (instance.origin, *instance.origins.row):
            if origin is None:
                continue
            place = by_origin.get(id(origin))
            if place is None:
                location = origin.location
                place = by_origin[id(origin)] = location.file, location.line
            if place in places:
                numbers = made_on.setdefault(place, {})
                if len(numbers) < _MOST_INSTANCES:
                    numbers[number] = None
    return {place: list(numbers) for place, numbers in made_on.items()}


def _finding(
    finding: Finding, made_on: Mapping[tuple[str, int], Sequence[int]], lines: SafeLines
) -> dict[str, Any]:
    location, source = finding.location, finding.place.source
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "message": lines.scrubbed(finding.message),
        "hint": None if finding.hint is None else lines.scrubbed(finding.hint),
        "at": without_surrogates(str(location)),
        "line": location.line,
        "source": lines.at(location.file, location.line, lambda _file, line: source.shown_line(line)),
        "related": [
            [without_surrogates(str(related.place.location)), lines.scrubbed(related.message)]
            for related in finding.related
        ],
        "instances": made_on.get((location.file, location.line), ()),
    }
