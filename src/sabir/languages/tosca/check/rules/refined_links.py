"""Capabilities and requirements of node types, held against the types that they name and the node types they inherit from (2.0)."""

from __future__ import annotations

from collections.abc import Iterator

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.check.rules.refined_behaviour import RefinedBehaviour
from sabir.languages.tosca.check.rules.refining import NO_TYPE, WRONG_REFINEMENT, Refining
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.syntax.nodes import (
    UNBOUNDED,
    CapabilityDefinition,
    RequirementDefinition,
    TypeDefinition,
)
from sabir.languages.tosca.syntax.reader import WRONG_SHAPE
from sabir.languages.tosca.syntax.scopes import Kind

__all__ = ["RefinedLinks"]


class RefinedLinks:
    def __init__(self, refining: Refining) -> None:
        self.refining = refining
        self.types = refining.model.types
        self.is_lost = False
        """Whether a key of the type is misspelt, which is said."""

    def findings(self, type_: TypeDefinition, parent: FlatType | None, owner: str) -> Iterator[Finding]:
        self.is_lost = type_.loses
        for capability in type_.capabilities.values():
            inherited = None if parent is None else parent.capabilities.get(capability.name)
            subject = f"capability {capability.name!r} of {owner}"
            yield from self._capability(capability, inherited, subject)
        names: set[str] = set()
        for requirement in type_.requirements:
            subject = f"requirement {requirement.name!r} of {owner}"
            if requirement.name in names:
                yield WRONG_SHAPE.at(requirement.place, f"{subject} is defined twice")
            names.add(requirement.name)
            above = None if parent is None else parent.requirements.get(requirement.name)
            yield from self._requirement(requirement, above, subject)

    def _capability(
        self, new: CapabilityDefinition, old: CapabilityDefinition | None, subject: str
    ) -> Iterator[Finding]:
        refining = self.refining
        if old is None and not new.type and not self.is_lost:
            yield NO_TYPE.at(new.place, f"{subject} has no type", hint="add 'type:'")
        if old is not None and new.type and old.type:
            yield from refining.named(Kind.CAPABILITY, new.type, old.type, subject, new.place)
        flat = self.types.find(Kind.CAPABILITY, new.type or (old.type if old is not None else ""))
        if flat is None:
            return
        yield from refining.only_refined(new.properties, flat.properties, subject, flat.name)
        yield from refining.only_refined(new.attributes, flat.attributes, subject, flat.name)
        for word, kind, names, lists in (
            (
                "valid_source_node_types",
                Kind.NODE,
                new.valid_source_types,
                (type_.valid_source_types for type_ in flat.chain),
            ),
            (
                "valid_relationship_types",
                Kind.RELATIONSHIP,
                new.valid_relationship_types,
                (type_.valid_relationship_types for type_ in flat.chain),
            ),
        ):
            wide = next(filter(None, lists), ())
            yield from refining.narrower(word, kind, names, wide, subject, new.place)

    def _requirement(
        self, new: RequirementDefinition, old: RequirementDefinition | None, subject: str
    ) -> Iterator[Finding]:
        yield from self._relationship(new, old, subject)
        if old is None:
            # The conformance files leave out the relationship, which is said to be mandatory, too.
            if new.capability is None:
                yield NO_TYPE.at(
                    new.place, f"{subject} has no capability", hint="add 'capability:' with a type"
                )
            return
        if new.capability is not None and old.capability is not None:
            yield from self._same_capability(new.capability, old.capability, new, subject)
        for kind, name, ancestor in (
            (Kind.NODE, new.node, old.node),
            (Kind.RELATIONSHIP, new.relationship, old.relationship),
        ):
            if name is not None and ancestor is not None:
                yield from self.refining.named(kind, name, ancestor, subject, new.place)
        if new.says_occurrences and not _within(new.occurrences, old.occurrences):
            yield WRONG_REFINEMENT.at(
                new.place, f"the count_range of {subject} is not within the one it inherits"
            )

    def _same_capability(
        self, name: str, inherited: str, new: RequirementDefinition, subject: str
    ) -> Iterator[Finding]:
        if self.types.definition(Kind.CAPABILITY, inherited) is not None:
            yield from self.refining.named(Kind.CAPABILITY, name, inherited, subject, new.place)
        elif name != inherited:
            message = f"{subject} is for the capability {inherited!r}, which cannot be changed to {name!r}"
            yield WRONG_REFINEMENT.at(new.place_of("capability"), message)

    def _relationship(
        self, new: RequirementDefinition, old: RequirementDefinition | None, owner: str
    ) -> Iterator[Finding]:
        """What a requirement says of its relationship refines the type of that."""
        refined = new.refinement
        if refined is None:
            return
        name = new.relationship or (None if old is None else old.relationship)
        subject = f"the relationship of {owner}"
        if name is None:
            yield NO_TYPE.at(refined.place, f"{subject} has no type", hint="add 'type:'")
            return
        flat = self.types.find(Kind.RELATIONSHIP, name)
        if flat is None:
            return
        yield from self.refining.only_refined(refined.properties, flat.properties, subject, flat.name)
        yield from self.refining.only_refined(refined.attributes, flat.attributes, subject, flat.name)
        behaviour = RefinedBehaviour(self.refining)
        for interface in refined.interfaces.values():
            if interface.name in flat.interfaces:
                yield from behaviour.interface(interface, flat, subject)
                continue
            message = f"{flat.name} has no interface {interface.name!r} that {subject} could refine"
            hint = did_you_mean(interface.name, flat.interfaces)
            yield WRONG_REFINEMENT.at(interface.place, message, hint=hint)


def _within(new: tuple[int, int], old: tuple[int, int]) -> bool:
    low, high = new
    return low >= old[0] and (old[1] == UNBOUNDED or (high != UNBOUNDED and high <= old[1]))
