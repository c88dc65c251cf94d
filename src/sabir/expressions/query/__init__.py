"""Unfurl expressions (spec 004) over any tree of resources: paths, functions, values with expressions in them."""

from sabir.expressions.query import functions
from sabir.expressions.query.context import Context
from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.evaluate import Result, evaluate, find_all, map_value, parse_expression
from sabir.expressions.query.graphs import GraphResource, read_from_graph, resources_of
from sabir.expressions.query.live import Assigned, LiveResource
from sabir.expressions.query.paths import compile_path
from sabir.expressions.query.resource import Artifact, Resource
from sabir.expressions.query.session import Job, Project, Session
from sabir.expressions.query.values import (
    MISSING,
    NodeState,
    Status,
    is_sensitive,
    plain,
    redacted,
    reveal_deep,
)

__all__ = [
    "MISSING",
    "Artifact",
    "Assigned",
    "Context",
    "GraphResource",
    "Job",
    "LiveResource",
    "NodeState",
    "Project",
    "QueryError",
    "Resource",
    "Result",
    "Session",
    "Status",
    "compile_path",
    "evaluate",
    "find_all",
    "functions",
    "is_sensitive",
    "map_value",
    "parse_expression",
    "plain",
    "read_from_graph",
    "redacted",
    "resources_of",
    "reveal_deep",
]
