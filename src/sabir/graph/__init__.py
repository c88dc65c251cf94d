"""The instance graph: instances, relations and values, each with its origin."""

from sabir.graph.address import Address
from sabir.graph.edges import EdgeKind, EdgeKinds
from sabir.graph.graph import Graph, Instance
from sabir.graph.origin import AttributeRead, How, Origin
from sabir.graph.record import EMPTY_RECORD, Record, RecordLayout
from sabir.graph.values import UNKNOWN, Ref, Sensitive, Unknown, Value

__all__ = [
    "EMPTY_RECORD",
    "UNKNOWN",
    "Address",
    "AttributeRead",
    "EdgeKind",
    "EdgeKinds",
    "Graph",
    "How",
    "Instance",
    "Origin",
    "Record",
    "RecordLayout",
    "Ref",
    "Sensitive",
    "Unknown",
    "Value",
]
