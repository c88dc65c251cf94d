"""Requirements of templates and what they lead to.

A template assigns a requirement with a node template, a node type, a capability, a filter, or nothing but its name; the type
says the rest. What the template leaves out although its type needs it, the first template that suits meets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.model.filters import OLD_HOSTS, TemplateMatcher
from sabir.languages.tosca.model.types import FlatType, TypeTable
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import (
    NodeTemplate,
    RelationshipTemplate,
    RequirementAssignment,
    RequirementDefinition,
    Topology,
)
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.text import Place

UNKNOWN_REQUIREMENT: Final = tosca_rule(
    code="TOSCA:E016",
    title="a requirement that the type does not have",
    why="Only requirements that the node type defines can be met.",
)

MISSING_TARGET: Final = tosca_rule(
    code="TOSCA:E017",
    title="a requirement leads nowhere",
    why="It names neither a node template nor a node type.",
)

MISSING_CAPABILITY: Final = tosca_rule(
    code="TOSCA:E018",
    title="the target lacks the capability",
    why="A requirement asks for a capability of a type (or name) that the node it leads to does not offer.",
)

UNKNOWN_RELATIONSHIP: Final = tosca_rule(
    code="TOSCA:E034",
    title="an unknown relationship",
    why="The relationship of a requirement is the name of a relationship template or of a relationship type.",
)


HOSTED_ON: Final = "tosca.relationships.HostedOn"


class RequirementLink(Struct, frozen=True, kw_only=True, eq=False):
    """A requirement of a template and what it leads to, as far as that is known."""

    assignment: RequirementAssignment
    definition: RequirementDefinition | None
    target: str | None
    capability: str | None
    relationship: RelationshipTemplate | None
    relationship_type: str
    automatic: bool = False
    """The template leaves the requirement out, and this is what meets it."""

    @property
    def name(self) -> str:
        return self.assignment.name


class RequirementLinker:
    """Leads the requirements of a topology to their targets; what cannot be is among the findings."""

    def __init__(
        self,
        topology: Topology,
        types: TypeTable,
        nodes: Mapping[str, NodeTemplate],
        flat: Mapping[str, FlatType | None],
    ) -> None:
        self.findings: list[Finding] = []
        self._topology = topology
        self._types = types
        self._nodes = nodes
        self._names = frozenset(nodes)
        self._flat = flat
        self._matching = TemplateMatcher(types, nodes, flat)

    def links(self, template: NodeTemplate) -> tuple[RequirementLink, ...]:
        return (
            *(self._link_assignment(template, assignment) for assignment in template.requirements),
            *self._link_missing_requirements(template),
        )

    def is_substituted(self, template: str, requirement: str) -> bool:
        """Whether the requirement is met from outside, by whoever substitutes this topology."""
        mapping = self._topology.substitution
        return mapping is not None and any(
            (template, requirement) in entry.targets for entry in mapping.of("requirements")
        )

    def of_type(self, name: str) -> list[str]:
        """The templates of a node type or of one that derives from it."""
        return self._matching.of_type(name)

    def candidates(self, asking: str, link: RequirementLink) -> list[str]:
        """The templates that a requirement could lead to, whatever a filter says of them."""
        assignment, definition = link.assignment, link.definition
        node = assignment.node or (definition.node if definition else None)
        capability = assignment.capability or (definition.capability if definition else None)
        if node is not None:
            names = self._matching.of_type(node)
        else:
            names = self._matching.with_capability(capability) if capability else []
        if node is not None and capability is not None:
            suits = self._matching.capability
            names = [
                name
                for name in names
                if suits(name, capability, assignment.name) or self._has(name, capability)
            ]
        return [name for name in names if name != asking]

    def open_link(self, template: NodeTemplate, name: str) -> RequirementLink:
        """A requirement of a template that leads nowhere yet."""
        flat = self._flat[template.name]
        definition = flat.requirements.get(name) if flat is not None else None
        return self._build_implicit_link(template, name, definition, None)

    def _has(self, name: str, capability: str) -> bool:
        flat = self._flat.get(name)
        return flat is not None and capability in flat.capabilities

    def _report(self, rule: Rule, message: str, place: Place, hint: str | None) -> None:
        self.findings.append(rule.at(place, message, hint=hint))

    def _link_assignment(self, template: NodeTemplate, assignment: RequirementAssignment) -> RequirementLink:
        flat = self._flat[template.name]
        name = assignment.name
        definition = flat.requirements.get(name) if flat is not None else None
        if flat is not None and flat.is_whole and definition is None and self._topology.complete:
            hint = did_you_mean(name, flat.requirements)
            self._report(
                UNKNOWN_REQUIREMENT, f"{template.type} has no requirement {name!r}", assignment.place, hint
            )
        relationship, relationship_type = self._relationship(assignment, definition)
        target = self._target(template, assignment, definition)
        return RequirementLink(
            assignment=assignment,
            definition=definition,
            target=target,
            capability=None
            if target is None
            else self._capability(assignment, definition, target, relationship_type),
            relationship=relationship,
            relationship_type=relationship_type,
        )

    def _link_missing_requirements(self, template: NodeTemplate) -> Iterator[RequirementLink]:
        """What meets the requirements that the template does not speak of and its type cannot do without."""
        flat = self._flat[template.name]
        if flat is None or template.directives or not self._topology.complete:
            return
        assigned = {assignment.name for assignment in template.requirements}
        for name, definition in flat.requirements.items():
            if name in assigned or definition.occurrences[0] < 1 or self.is_substituted(template.name, name):
                continue
            target = self._matching.find_match(template.name, definition)
            if target is None:
                continue
            yield self._build_implicit_link(template, name, definition, target)

    def _build_implicit_link(
        self, template: NodeTemplate, name: str, definition: RequirementDefinition | None, target: str | None
    ) -> RequirementLink:
        """A link that the template does not speak of."""
        assignment = RequirementAssignment(name=name, span=template.span, origin=template.origin)
        relationship, relationship_type = self._relationship(assignment, definition)
        capability = None if definition is None else definition.capability
        return RequirementLink(
            assignment=assignment,
            definition=definition,
            target=target,
            capability=None if target is None else self._matching.capability(target, capability, name),
            relationship=relationship,
            relationship_type=relationship_type,
            automatic=True,
        )

    def _relationship(
        self, assignment: RequirementAssignment, definition: RequirementDefinition | None
    ) -> tuple[RelationshipTemplate | None, str]:
        """The relationship template, when there is one, and the type."""
        fallback = (definition.relationship if definition else None) or _usual_relationship(definition)
        written = assignment.relationship
        if isinstance(written, RelationshipTemplate):
            return written, written.type or fallback
        if written is None:
            return None, fallback
        template = self._topology.relationship_templates.get(written)
        if template is not None:
            return template, template.type or fallback
        if self._types.find(TypeKind.RELATIONSHIP, written) is None and self._topology.complete:
            names = self._topology.relationship_templates, self._types.names(TypeKind.RELATIONSHIP)
            message = f"{written!r} is neither a relationship template nor a relationship type"
            self._report(UNKNOWN_RELATIONSHIP, message, assignment.place, did_you_mean(written, *names))
        return None, written

    def _target(
        self,
        template: NodeTemplate,
        assignment: RequirementAssignment,
        definition: RequirementDefinition | None,
    ) -> str | None:
        name = assignment.node
        if name in self._nodes:
            return name
        wanted = name or (definition.node if definition else None)
        if wanted is not None and self._types.find(TypeKind.NODE, wanted) is not None:
            candidates = self._matching.of_type(wanted)
            return self._matching.first(template.name, candidates, assignment.node_filter)
        if wanted is None:
            capability = assignment.capability or (definition.capability if definition else None)
            candidates = self._matching.with_capability(capability) if capability else []
            return self._matching.first(template.name, candidates, assignment.node_filter)
        if not self._topology.complete or name is None:
            return None
        self._report(
            MISSING_TARGET,
            f"requirement {assignment.name!r} of {template.name!r} leads to {name!r}, which is not there",
            Place(assignment.origin.source, assignment.node_span or assignment.span),
            did_you_mean(name, self._names) or did_you_mean(name, self._types.names(TypeKind.NODE)),
        )
        return None

    def _capability(
        self,
        assignment: RequirementAssignment,
        definition: RequirementDefinition | None,
        target: str,
        relationship_type: str,
    ) -> str | None:
        """The capability of the target: by name, by type, or by what the relationship may lead to."""
        flat = self._flat.get(target)
        if flat is None:
            return None
        wanted = assignment.capability or (definition.capability if definition else None)
        if wanted is None:
            return self._by_relationship(flat, relationship_type)
        if wanted in flat.capabilities:
            return wanted
        capability = self._matching.capability(target, wanted, assignment.name)
        if capability is None and self._topology.complete and self._is_told(flat, wanted):
            message = f"{target!r} has no capability {wanted!r}, which requirement {assignment.name!r} needs"
            offered = (f"{name} ({offer.type})" for name, offer in flat.capabilities.items())
            self._report(
                MISSING_CAPABILITY, message, assignment.place, "its capabilities are " + ", ".join(offered)
            )
        return capability

    def _is_told(self, flat: FlatType, wanted: str) -> bool:
        """Whether a capability that is missing says something: not when a type is not known, which is said by itself."""
        types = (wanted, *(offer.type for offer in flat.capabilities.values()))
        is_type = "." in wanted or ":" in wanted
        return flat.is_whole and all(
            self._types.definition(TypeKind.CAPABILITY, name) is not None
            for name in (types if is_type else types[1:])
        )

    def _by_relationship(self, flat: FlatType, relationship_type: str) -> str | None:
        relationship = self._types.find(TypeKind.RELATIONSHIP, relationship_type)
        for valid in relationship.valid_target_types if relationship else ():
            for name, capability in flat.capabilities.items():
                if self._matching.is_capability(capability.type, valid):
                    return name
        return None


def _usual_relationship(definition: RequirementDefinition | None) -> str:
    if definition is not None and definition.capability in OLD_HOSTS:
        return HOSTED_ON
    return "tosca.relationships.Root"
