"""Interfaces with everything that gives them operations: the interface type, the types of the node, the template.

What is nearer counts: an operation takes the implementation of the nearest definition that has one, and inputs are laid over one another.

The order in which operations of nodes and relationships are carried out, as the Simple Profile has it.

A node goes through its groups one after the other; what is in one group has no order. It begins when every node that it requires
has come to its end. What an operation did is undone by its opposite, in the reverse of that order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Final

from msgspec import Struct

from sabir.errors import DeployError
from sabir.languages.tosca.model.types import FlatType, TypeTable
from sabir.languages.tosca.syntax.nodes import (
    Implementation,
    InterfaceDefinition,
    OperationDefinition,
    OutputMapping,
    PropertyDefinition,
)
from sabir.languages.tosca.syntax.scopes import TypeKind

# 1.x lets these be used without saying their types.
USUAL_INTERFACES: Final = {
    "Standard": "tosca.interfaces.node.lifecycle.Standard",
    "Configure": "tosca.interfaces.relationship.Configure",
}


class NodeOperation(Struct, frozen=True, kw_only=True, eq=False):
    """An operation of a node or relationship, ready to be carried out when its values are known."""

    interface: str
    name: str
    definition: OperationDefinition
    """The nearest one: where it is pointed at."""
    implementation: Implementation | None
    inputs: Mapping[str, PropertyDefinition]
    """Those of the interface and, above them, its own."""
    outputs: Mapping[str, OutputMapping]
    is_notification: bool = False


class Interface(Struct, frozen=True, kw_only=True, eq=False):
    name: str
    type: str | None
    operations: Mapping[str, NodeOperation]
    inputs: Mapping[str, PropertyDefinition]
    """Those that all its operations have."""
    declared: frozenset[str] | None
    """The operations that its type has; None when the type is not known."""


def interfaces_of(
    types: TypeTable, flat: FlatType | None, own: Mapping[str, InterfaceDefinition]
) -> dict[str, Interface]:
    """The interfaces of a template with this type and these definitions of its own."""
    layers = [definition.interfaces for definition in reversed(flat.chain)] if flat is not None else []
    names = dict.fromkeys(name for layer in [*layers, own] for name in layer)
    return {
        name: _merge_interface(types, name, [layer[name] for layer in [*layers, own] if name in layer])
        for name in names
    }


def _merge_interface(types: TypeTable, name: str, definitions: list[InterfaceDefinition]) -> Interface:
    named = next((definition.type for definition in reversed(definitions) if definition.type), None)
    flat = types.find(TypeKind.INTERFACE, named or USUAL_INTERFACES.get(name, name))
    inherited = [*_list_behaviors(flat)]
    declared = frozenset(operation for behaviour in inherited for operation in _operation_names(behaviour))
    layers = [*inherited, *definitions]
    inputs: dict[str, PropertyDefinition] = {}
    for layer in layers:
        inputs.update(layer.inputs)
    operations = dict.fromkeys(operation for layer in layers for operation in _operation_names(layer))
    return Interface(
        name=name,
        type=named if flat is None else flat.name,
        operations={operation: _merge_operation(name, operation, layers, inputs) for operation in operations},
        inputs=inputs,
        declared=None if flat is None or not flat.is_whole else declared,
    )


def _list_behaviors(flat: FlatType | None) -> Iterator[InterfaceDefinition]:
    """What an interface type and its ancestors say, farthest first."""
    for definition in reversed(flat.chain) if flat is not None else ():
        if definition.behaviour is not None:
            yield definition.behaviour


def _operation_names(definition: InterfaceDefinition) -> Iterable[str]:
    return (*definition.operations, *definition.notifications)


def _merge_operation(
    interface: str, name: str, layers: list[InterfaceDefinition], inputs: Mapping[str, PropertyDefinition]
) -> NodeOperation:
    """`layers` are the definitions of the interface, farthest first."""
    definitions = [
        layer.operations.get(name) or layer.notifications[name]
        for layer in layers
        if name in _operation_names(layer)
    ]
    merged = dict(inputs)
    outputs: dict[str, OutputMapping] = {}
    for definition in definitions:
        for key, parameter in definition.inputs.items():
            merged[key] = _merge_parameter(merged.get(key), parameter)
        for key, output in definition.outputs.items():
            outputs[key] = _merge_output(outputs.get(key), output)
    return NodeOperation(
        interface=interface,
        name=name,
        definition=definitions[-1],
        implementation=next(
            (found.implementation for found in reversed(definitions) if found.implementation is not None),
            None,
        ),
        inputs=merged,
        outputs=outputs,
        is_notification=any(name in layer.notifications for layer in layers),
    )


def _merge_output(old: OutputMapping | None, new: OutputMapping) -> OutputMapping:
    """One layer may say of what type an output is, another where it goes."""
    if old is None:
        return new
    return OutputMapping(
        name=new.name,
        span=new.span,
        origin=new.origin,
        target=new.target or old.target,
        definition=new.definition or old.definition,
    )


def _merge_parameter(old: PropertyDefinition | None, new: PropertyDefinition) -> PropertyDefinition:
    """A value keeps the type that was declared for it."""
    if old is None or new.schema is not None:
        return new
    return PropertyDefinition(
        name=new.name,
        span=new.span,
        origin=new.origin,
        schema=old.schema,
        required=old.required,
        default=new.default or old.default,
        value=new.value or old.value,
        metadata={**old.metadata, **new.metadata},
    )


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


def find_implemented_operations(
    types: TypeTable, interfaces: Iterable[Interface]
) -> dict[str, NodeOperation]:
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
        interface.type is not None and types.is_a(TypeKind.INTERFACE, interface.type, known)
        for known in (_STANDARD, _CONFIGURE)
    )


def sort_by_requirements(required: Mapping[str, Iterable[str]]) -> list[str]:
    """The names of all nodes, each after those it requires."""
    sorter: TopologicalSorter[str] = TopologicalSorter(required)
    try:
        return list(sorter.static_order())
    except CycleError as error:
        ring: list[str] = error.args[1]
        raise DeployError(
            f"these nodes require each other, so none can be first: {' → '.join(ring)}"
        ) from error
