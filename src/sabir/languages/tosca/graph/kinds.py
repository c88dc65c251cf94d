"""What the requirements of nodes mean, by the normative type that their relationship's type derives from."""

from __future__ import annotations

from typing import Final

from sabir.graph.edges import EdgeKind, EdgeKinds, edge_kinds
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.evaluate.parts import RelationshipInstance
from sabir.languages.tosca.model.requirements import HOSTED_ON
from sabir.languages.tosca.model.types import TypeTable
from sabir.languages.tosca.syntax.scopes import Kind

__all__ = ["RelationshipKinds"]

_BASES: Final = {
    HOSTED_ON: EdgeKind.HOSTED_ON,
    "tosca.relationships.AttachesTo": EdgeKind.ATTACHES_TO,
    "tosca.relationships.ConnectsTo": EdgeKind.CONNECTS_TO,
    "tosca.relationships.DependsOn": EdgeKind.DEPENDS_ON,
}


class RelationshipKinds:
    """Kinds of relationships, found once for each type."""

    def __init__(self, types: TypeTable) -> None:
        self.types = types
        self._kinds: dict[str, EdgeKind] = {}

    def of_type(self, name: str) -> EdgeKind:
        kind = self._kinds.get(name)
        if kind is None:
            bases = (base for base in _BASES if self.types.is_a(Kind.RELATIONSHIP, name, base))
            base = next(bases, None)
            kind = self._kinds[name] = EdgeKind.REQUIREMENT if base is None else _BASES[base]
        return kind

    def of_requirement(self, relationship: RelationshipInstance) -> EdgeKinds:
        """Of the instance that stands for a requirement: it belongs to its node and leads to its target."""
        link = relationship.link
        target = () if relationship.target is None else (("target", self.of_type(link.relationship_type)),)
        return edge_kinds(EdgeKind.REQUIREMENT_OF, target)

    def of_node(self, node: NodeInstance, *, is_hosted: bool) -> EdgeKinds:
        relations: dict[str, EdgeKind] = {}
        for relationship in node.requirements:
            link = relationship.link
            if relationship.target is None:
                continue
            kind = self.of_type(link.relationship_type)
            # One name may stand for relationships of several types.
            if relations.setdefault(link.name, kind) is not kind:
                relations[link.name] = EdgeKind.REQUIREMENT
        owner = EdgeKind.HOSTED_ON if is_hosted else EdgeKind.PART_OF
        return edge_kinds(owner, tuple(relations.items()))
