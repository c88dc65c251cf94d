"""What the instances of a template are known by in the graph and in the state.

What has operations: a node, or a relationship.
"""

from __future__ import annotations

from sabir.expressions.query.resource import QueryResource
from sabir.graph.address import Address, escape_name
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.groups import NodeCollection
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.evaluate.parts import CapabilityInstance, RelationshipInstance
from sabir.languages.tosca.model.behaviour import NodeOperation

Subject = NodeInstance | RelationshipInstance


def node_of(subject: Subject) -> NodeInstance:
    """The node itself, or the one that a relationship belongs to."""
    return subject if isinstance(subject, NodeInstance) else subject.source


def id_of(resource: QueryResource) -> str:
    """The id of an instance in the graph."""
    if isinstance(resource, RelationshipInstance):
        return ids_of_requirements(resource.source)[resource]
    if isinstance(resource, NodeCollection):
        return section_id(resource.ensemble, resource.section, resource.name)
    if isinstance(resource, NodeInstance | CapabilityInstance):
        return escape_name(resource.key)
    return escape_name(resource.name)


def section_id(ensemble: Ensemble, section: str, name: str) -> str:
    """Of what stands beside the nodes of a topology: its groups, policies, workflows."""
    outer = ensemble.outer
    return escape_name(f"{section}.{name}" if outer is None else f"{outer.node.key}.{section}.{name}")


def ids_of_requirements(node: NodeInstance) -> dict[RelationshipInstance, str]:
    """The ids of all requirements of a node.

    One that its type allows several times is told apart by its target, even where it stands there once: another one
    beside it, before or behind, leaves its id alone.
    """
    ids: dict[RelationshipInstance, str] = {}
    counts: dict[str, int] = {}
    for relationship in node.requirements:
        link = relationship.link
        target = relationship.target
        several = link.definition is None or link.definition.occurrences[1] != 1
        several = several or (target is not None and target.index > 0)
        item = target.key if target is not None and several else None
        address = Address(f"{node.key}.requirements.{link.name}", item=item)
        id_ = str(address)
        number = counts[id_] = counts.get(id_, 0) + 1
        if number > 1:
            id_ = str(address._replace(item=f"{address.item or ''}#{number}"))
        ids[relationship] = id_
    return ids


def operation_address(subject: Subject, operation: NodeOperation) -> Address:
    """Of an operation: what it gives out and maps to nothing are attributes of it."""
    return child_address(id_of(subject), f"interfaces.{operation.interface}.{operation.name}")


def child_address(id_: str, name: str) -> Address:
    """The address of something that belongs to an instance."""
    address = Address.parse(id_)
    return address._replace(instance=f"{address.instance}.{name}")
