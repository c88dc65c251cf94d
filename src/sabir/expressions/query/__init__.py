"""Unfurl expressions (spec 004) over any tree of resources: paths, functions, values with expressions in them."""

from sabir.expressions.query import functions
from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.evaluate import QueryResult, evaluate, find_all, map_value, parse_expression
from sabir.expressions.query.graphs import GraphResource, read_from_graph, resources_of
from sabir.expressions.query.live import AssignedValue, LiveResource
from sabir.expressions.query.paths import compile_path
from sabir.expressions.query.resource import Artifact, QueryResource
from sabir.expressions.query.session import DeploymentJob, EnsembleProject, QuerySession
from sabir.expressions.query.values import (
    MISSING,
    InstanceStatus,
    NodeState,
    is_sensitive,
    plain_value,
    redact_value,
    reveal_deep,
)

__all__ = [
    "MISSING",
    "Artifact",
    "AssignedValue",
    "DeploymentJob",
    "EnsembleProject",
    "GraphResource",
    "InstanceStatus",
    "LiveResource",
    "NodeState",
    "QueryContext",
    "QueryError",
    "QueryResource",
    "QueryResult",
    "QuerySession",
    "compile_path",
    "evaluate",
    "find_all",
    "functions",
    "is_sensitive",
    "map_value",
    "parse_expression",
    "plain_value",
    "read_from_graph",
    "redact_value",
    "resources_of",
    "reveal_deep",
]
