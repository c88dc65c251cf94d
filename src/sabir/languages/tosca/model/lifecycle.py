"""The order in which operations of nodes and relationships are carried out, as the Simple Profile has it.

A node goes through its groups one after the other; what is in one group has no order. It begins when every node that it requires
has come to its end. What an operation did is undone by its opposite, in the reverse of that order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Final

from sabir.errors import DeployError
from sabir.languages.tosca.model.behaviour import Interface, NodeOperation
from sabir.languages.tosca.model.types import TypeTable
from sabir.languages.tosca.syntax.scopes import Kind

__all__ = ["CHANGED", "LINKED", "OPPOSITES", "STAGES", "carried_out", "required_first"]

_STANDARD: Final = "tosca.interfaces.node.lifecycle.Standard"
_CONFIGURE: Final = "tosca.interfaces.relationship.Configure"

OPPOSITES: Final[Mapping[str, str]] = {
    "create": "delete",
    "start": "stop",
    "add_target": "remove_target",
    "add_source": "remove_source",
}

STAGES: Final = (
    ("create", "", ""),
    ("", "pre_configure_source", "pre_configure_target"),
    ("configure", "", ""),
    ("", "post_configure_source", "post_configure_target"),
    ("start", "", ""),
)
"""The groups of a node: its own operation, those of its requirements, those of relationships that lead to it."""

LINKED: Final = ("add_target", "add_source")
"""Operations of a relationship when both ends have started."""


CHANGED: Final = "target_changed"
"""The operation of a relationship when an operation of its target was run again."""


def carried_out(types: TypeTable, interfaces: Iterable[Interface]) -> dict[str, NodeOperation]:
    """By name, the operations of the interfaces that deployments know, as far as something carries them out."""
    return {
        name: operation
        for interface in interfaces
        if _is_lifecycle(types, interface)
        for name, operation in interface.operations.items()
        if operation.implementation is not None and not operation.implementation.origin.shipped
    }


def _is_lifecycle(types: TypeTable, interface: Interface) -> bool:
    return interface.name in ("Standard", "Configure") or any(
        interface.type is not None and types.is_a(Kind.INTERFACE, interface.type, known)
        for known in (_STANDARD, _CONFIGURE)
    )


def required_first(required: Mapping[str, Iterable[str]]) -> list[str]:
    """The names of all nodes, each after those it requires."""
    sorter: TopologicalSorter[str] = TopologicalSorter(required)
    try:
        return list(sorter.static_order())
    except CycleError as error:
        ring: list[str] = error.args[1]
        raise DeployError(
            f"these nodes require each other, so none can be first: {' → '.join(ring)}"
        ) from error
