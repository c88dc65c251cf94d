"""The JSON form of a graph, `sabir.graph/1`: written as a stream, read back quickly.

The schema is `sabir/graph/schema/graph-1.schema.json`; `docs/reference/graph-json.md` says the same in words.
"""

from sabir.graph.json.read import load
from sabir.graph.json.values import FORMAT, decoded, encoded
from sabir.graph.json.write import chunks, instance_data, origin_data

__all__ = [
    "FORMAT",
    "chunks",
    "decoded",
    "encoded",
    "instance_data",
    "load",
    "origin_data",
]
