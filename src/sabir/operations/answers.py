"""The answers of `why`, `impact` and `diff` as data, the same for the command line and the service."""

from __future__ import annotations

from typing import Any, Final

from sabir.graph.dependence import Affected, lines_of
from sabir.graph.diff import Absent, Change
from sabir.graph.graph import Graph, Instance
from sabir.graph.json.values import encoded
from sabir.operations.diff import Difference
from sabir.operations.impact import AffectedObject, Impact
from sabir.operations.why import Explanation, Step

__all__ = ["DIFF_FORMAT", "IMPACT_FORMAT", "WHY_FORMAT", "difference_data", "impact_data", "why_data"]

WHY_FORMAT: Final = "sabir.why/1"
IMPACT_FORMAT: Final = "sabir.impact/1"
DIFF_FORMAT: Final = "sabir.diff/1"


def why_data(explanation: Explanation) -> dict[str, Any]:
    steps = [_step_data(step) for step in explanation.steps]
    return {"format": WHY_FORMAT, "steps": steps, "cut": explanation.cut}


def _step_data(step: Step) -> dict[str, Any]:
    data: dict[str, Any] = {"number": step.number, "parent": step.parent, "subject": step.subject}
    if step.has_value:
        data["value"] = encoded(step.value)
    if step.origin is not None and step.location is not None:
        location = step.location
        data |= {"file": location.file, "line": location.line, "column": location.column}
        last = lines_of(step.origin)[1][-1]
        if last != location.line:
            data["end_line"] = last
        data |= {"how": step.origin.how.value, "note": step.origin.note, "source": step.line_text}
    if step.seen_before:
        data["seen_before"] = True
    return data


def impact_data(impact: Impact) -> dict[str, Any]:
    return {
        "format": IMPACT_FORMAT,
        "file": impact.file,
        "line": impact.line,
        "affected": [_affected_data(impact.graph, affected) for affected in impact.affected],
        "rendered": [_object_data(rendered) for rendered in impact.rendered],
    }


def _object_data(rendered: AffectedObject) -> dict[str, Any]:
    through = {"instance": rendered.through.instance, "attribute": rendered.through.attribute}
    return {
        "name": rendered.name,
        "renderer": rendered.renderer,
        "fields": list(rendered.fields),
        "through": through,
    }


def _affected_data(graph: Graph, affected: Affected) -> dict[str, Any]:
    row: dict[str, Any] = {"instance": affected.instance, "attribute": affected.attribute}
    if affected.instance is not None:
        instance = graph[affected.instance]
        row |= {"name": instance.name, "type": instance.type, "language": instance.language}
        if affected.attribute is not None and affected.attribute in instance.attributes:
            row["value"] = encoded(instance.attributes[affected.attribute])
    if affected.through is not None:
        row["through"] = {"instance": affected.through.instance, "attribute": affected.through.attribute}
    return row


def difference_data(difference: Difference) -> dict[str, Any]:
    diff = difference.diff
    return {
        "added": [_instance(instance) for instance in diff.added],
        "removed": [_instance(instance) for instance in diff.removed],
        "changed": [
            {**_instance(changed.after), "changes": [_change_data(change) for change in changed.changes]}
            for changed in diff.changed
        ],
        "outputs": [_change_data(change) for change in diff.outputs],
    }


def _instance(instance: Instance) -> dict[str, Any]:
    return {"id": instance.id, "type": instance.type, "language": instance.language, "name": instance.name}


def _change_data(change: Change) -> dict[str, Any]:
    data: dict[str, Any] = {"name": change.name}
    if not isinstance(change.before, Absent):
        data["before"] = encoded(change.before)
    if not isinstance(change.after, Absent):
        data["after"] = encoded(change.after)
    return data
