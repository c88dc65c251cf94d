"""The difference of two graphs for people and machines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from sabir.graph.diff import Absent, Change
from sabir.graph.graph import Graph
from sabir.graph.instance import Instance
from sabir.graph.json.values import encoded
from sabir.graph.values import Value
from sabir.graph.views.words import clipped, one_line, value_text
from sabir.operations.diff import Difference

__all__ = ["FORMAT", "VIEWS"]

FORMAT: Final = "sabir.diff/1"


def text_view(difference: Difference) -> Iterator[str]:
    """`-` gone, `+` new, `~` changed; values before and after."""
    diff = difference.diff
    for instance in diff.removed:
        yield f"- {_title(instance)}\n"
    for instance in diff.added:
        yield f"+ {_title(instance)}\n"
    for changed in diff.changed:
        yield f"~ {_title(changed.after)}\n"
        for change in changed.changes:
            yield f"    {_change(change, difference)}\n"
    for change in diff.outputs:
        yield f"~ output {_change(change, difference)}\n"
    if not diff:
        yield "no difference\n"
        return
    yield f"{len(diff.added)} added, {len(diff.removed)} removed, {len(diff.changed)} changed\n"


def _title(instance: Instance) -> str:
    return f"{one_line(instance.name)} ({instance.type})"


def _change(change: Change, difference: Difference) -> str:
    before = _shown(change.before, difference.before)
    after = _shown(change.after, difference.after)
    return f"{change.name}: {before} → {after}"


def _shown(value: Value | Absent, graph: Graph) -> str:
    return "(none)" if isinstance(value, Absent) else clipped(value_text(value, graph))


def json_view(difference: Difference) -> Iterator[str]:
    diff = difference.diff
    data = {
        "format": FORMAT,
        "added": [_instance(instance) for instance in diff.added],
        "removed": [_instance(instance) for instance in diff.removed],
        "changed": [
            {**_instance(changed.after), "changes": [_change_data(change) for change in changed.changes]}
            for changed in diff.changed
        ],
        "outputs": [_change_data(change) for change in diff.outputs],
    }
    yield json.dumps(data, indent=2) + "\n"


def _instance(instance: Instance) -> dict[str, Any]:
    return {"id": instance.id, "type": instance.type, "language": instance.language, "name": instance.name}


def _change_data(change: Change) -> dict[str, Any]:
    data: dict[str, Any] = {"name": change.name}
    if not isinstance(change.before, Absent):
        data["before"] = encoded(change.before)
    if not isinstance(change.after, Absent):
        data["after"] = encoded(change.after)
    return data


VIEWS: Final[Mapping[str, Callable[[Difference], Iterator[str]]]] = {"text": text_view, "json": json_view}
