"""The JSON form of a graph, `sabir.graph/1`: written as a stream, read back lazily.

The schema is `sabir/graph/schema/graph-1.schema.json`; `docs/reference/graph-json.md` describes the same in prose.
"""

from sabir.graph.json.read import load_graph
from sabir.graph.json.values import FORMAT, decode_value, encode_value
from sabir.graph.json.write import graph_chunks, instance_data, origin_data

__all__ = [
    "FORMAT",
    "decode_value",
    "encode_value",
    "graph_chunks",
    "instance_data",
    "load_graph",
    "origin_data",
]
