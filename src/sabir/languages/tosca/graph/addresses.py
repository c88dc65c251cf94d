"""Ids and addresses of instances in the graph and in the state.

Only nodes and relationships have operations.
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
    """Return the node itself, or the source node of a relationship."""
    return subject if isinstance(subject, NodeInstance) else subject.source


def id_of(resource: QueryResource) -> str:
    """Return the id of an instance in the graph."""
    if isinstance(resource, RelationshipInstance):
        return ids_of_requirements(resource.source)[resource]
    if isinstance(resource, NodeCollection):
        return section_id(resource.ensemble, resource.section, resource.name)
    if isinstance(resource, NodeInstance | CapabilityInstance):
        return escape_name(resource.key)
    return escape_name(resource.name)


def section_id(ensemble: Ensemble, section: str, name: str) -> str:
    """Return the id of a group, policy or workflow of a topology."""
    outer = ensemble.outer
    return escape_name(f"{section}.{name}" if outer is None else f"{outer.node.key}.{section}.{name}")


def ids_of_requirements(node: NodeInstance) -> dict[RelationshipInstance, str]:
    """Return the ids of all requirements of a node.

    A requirement that its type allows more than once has its target in its id, even if it is assigned once.
    Thus adding another one before or after it does not change its id, and what was deployed for it stays
    recorded.
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
    """Return the address of an operation; its unmapped outputs are attributes of that address."""
    return child_address(id_of(subject), f"interfaces.{operation.interface}.{operation.name}")


def child_address(id_: str, name: str) -> Address:
    """Return the address of something that belongs to an instance."""
    address = Address.parse(id_)
    return address._replace(instance=f"{address.instance}.{name}")
