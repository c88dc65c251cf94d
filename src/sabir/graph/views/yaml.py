"""The JSON form's data as YAML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from sabir.graph.graph import Graph
from sabir.graph.json.values import FORMAT, encoded
from sabir.graph.json.write import instance_data, origin_data

__all__ = ["yaml_view"]


def yaml_view(graph: Graph, *, reveal: bool = False) -> Iterator[str]:
    """One instance at a time, so that a large graph is never one text."""
    yield f"format: {FORMAT}\n"
    yield "instances:\n" if len(graph) else "instances: []\n"
    for one in graph:
        yield _dump([instance_data(one, reveal=reveal)])
    yield _dump({"outputs": {name: encoded(one, reveal=reveal) for name, one in graph.outputs.items()}})
    if graph.output_origins:
        yield _dump(
            {"output_origins": {name: origin_data(one) for name, one in graph.output_origins.items()}}
        )


def _dump(data: Any) -> str:
    # Aliases would make a reader wonder; msgspec and `encoded` build fresh data, so there are none but for short keys.
    text: str = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    return text


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]  # C where PyYAML has it
    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 -- the name is PyYAML's
        return True
