"""The JSON form's data as YAML."""

from __future__ import annotations

from collections.abc import Iterator

from sabir.graph.graph import Graph
from sabir.graph.json.values import FORMAT, encoded
from sabir.graph.json.write import instance_data, origin_data
from sabir.source.yaml.write import yaml_text

__all__ = ["yaml_view"]


def yaml_view(graph: Graph, *, reveal: bool = False) -> Iterator[str]:
    """One instance at a time, so that a large graph is never one text."""
    yield f"format: {FORMAT}\n"
    yield "instances:\n" if len(graph) else "instances: []\n"
    for instance in graph:
        yield yaml_text([instance_data(instance, reveal=reveal)])
    yield yaml_text(
        {"outputs": {name: encoded(output, reveal=reveal) for name, output in graph.outputs.items()}}
    )
    if graph.output_origins:
        yield yaml_text(
            {
                "output_origins": {
                    name: origin_data(output_origin) for name, output_origin in graph.output_origins.items()
                }
            }
        )
