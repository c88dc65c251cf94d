"""Trees of plain resources, as the cases and the reference page write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sabir.expressions.query import InstanceStatus, NodeState, QuerySession
from tests.expressions.query.plain import PlainResource

__all__ = ["plain_tree"]


def plain_tree(
    tree: Mapping[str, Any], session: QuerySession, parent: PlainResource | None = None
) -> PlainResource:
    resource = PlainResource(
        tree["name"],
        tree.get("attributes"),
        parent=parent,
        session=session,
        status=InstanceStatus[tree["status"]] if "status" in tree else None,
        state=NodeState[tree["state"]] if "state" in tree else None,
    )
    for child in tree.get("children", ()):
        plain_tree(child, session, resource)
    return resource
