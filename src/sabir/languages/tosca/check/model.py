"""A topology with its names resolved: types flattened, copies written out, requirements matched."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.near import did_you_mean
from sabir.languages.tosca.check.matching import Link, Matching, left_out
from sabir.languages.tosca.check.types import FlatType, TypeTable
from sabir.languages.tosca.check.values import ValueChecker
from sabir.languages.tosca.syntax.nodes import (
    Kind,
    NodeTemplate,
    RelationshipTemplate,
    RequirementAssignment,
    RequirementDefinition,
    Topology,
)
from sabir.text import Place

__all__ = ["Link", "Model"]

HOSTED_ON = "tosca.relationships.HostedOn"


class Model:
    """Names resolved once; checks and evaluation both work on it."""

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.types = TypeTable(topology)
        self.values = ValueChecker(self.types)
        self.findings: list[Finding] = []
        self.matching = Matching()
        self._by_type: dict[str, list[str]] | None = None
        self.nodes: dict[str, NodeTemplate] = {}
        for name, template in self.topology.node_templates.items():
            written_out = self._copied(template)
            if written_out is not None:
                self.nodes[name] = written_out
        self.flat: dict[str, FlatType | None] = {
            name: self.types.find(Kind.NODE, one.type) for name, one in self.nodes.items()
        }
        self.links: dict[str, tuple[Link, ...]] = {
            name: (*(self._link(template, one) for one in template.requirements), *left_out(self, template))
            for name, template in self.nodes.items()
        }
        self.hosts = self._hosts()

    def report(self, code: str, message: str, place: Place, hint: str | None = None) -> None:
        self.findings.append(Finding(code=code, message=message, place=place, hint=hint))

    # Copies

    def _copied(self, template: NodeTemplate) -> NodeTemplate | None:
        """The template with what `copy` names taken in; its own keys win."""
        seen = {template.name}
        here = template
        while here.copy is not None:
            source = self.topology.node_templates.get(here.copy)
            if source is None or source.name in seen:
                what = (
                    "copies itself"
                    if source is not None
                    else f"copies {here.copy!r}, which is no node template"
                )
                hint = None if source is not None else did_you_mean(here.copy, self.topology.node_templates)
                self.report("TOSCA:E029", f"node template {template.name!r} {what}", here.place, hint)
                return None if not here.type else replace(here, copy=None)
            seen.add(source.name)
            here = replace(
                here,
                type=here.type or source.type,
                properties={**source.properties, **here.properties},
                attributes={**source.attributes, **here.attributes},
                capabilities={**source.capabilities, **here.capabilities},
                requirements=here.requirements or source.requirements,
                interfaces={**source.interfaces, **here.interfaces},
                artifacts={**source.artifacts, **here.artifacts},
                copy=source.copy,
            )
        return here

    # Requirements

    def templates_of_type(self, type_name: str) -> list[str]:
        if self._by_type is None:
            self._by_type = {}
            for name, flat in self.flat.items():
                for one in flat.names if flat is not None else (self.nodes[name].type,):
                    self._by_type.setdefault(one, []).append(name)
        known = self.types.definition(Kind.NODE, type_name)
        return self._by_type.get(known.name if known is not None else type_name, [])

    def _link(self, template: NodeTemplate, one: RequirementAssignment) -> Link:
        flat = self.flat[template.name]
        definition = flat.requirements.get(one.name) if flat is not None else None
        if flat is not None and definition is None and self.topology.complete:
            hint = did_you_mean(one.name, flat.requirements)
            self.report("TOSCA:E016", f"{template.type} has no requirement {one.name!r}", one.place, hint)
        relationship, relationship_type = self.relationship(one, definition)
        target = self._target(template, one, definition)
        capability = None
        if target is not None:
            capability = self._capability(one, definition, target, relationship_type)
        return Link(
            assignment=one,
            definition=definition,
            target=target,
            capability=capability,
            relationship=relationship,
            relationship_type=relationship_type,
        )

    def relationship(
        self, one: RequirementAssignment, definition: RequirementDefinition | None
    ) -> tuple[RelationshipTemplate | None, str]:
        fallback = (definition.relationship if definition else None) or _usual_relationship(definition)
        written = one.relationship
        if isinstance(written, RelationshipTemplate):
            return written, written.type or fallback
        if written is None:
            return None, fallback
        template = self.topology.relationship_templates.get(written)
        if template is not None:
            return template, template.type or fallback
        if self.types.find(Kind.RELATIONSHIP, written) is None and self.topology.complete:
            known = [*self.topology.relationship_templates, *self.types.names(Kind.RELATIONSHIP)]
            message = f"{written!r} is neither a relationship template nor a relationship type"
            self.report("TOSCA:E034", message, one.place, did_you_mean(written, known))
        return None, written

    def _target(
        self, template: NodeTemplate, one: RequirementAssignment, definition: RequirementDefinition | None
    ) -> str | None:
        name = one.node
        if name in self.nodes:
            return name
        wanted = name or (definition.node if definition else None)
        if wanted is not None and self.types.find(Kind.NODE, wanted) is not None:
            return self._by_filter(template, one, self.templates_of_type(wanted))
        if wanted is None:
            capability = one.capability or (definition.capability if definition else None)
            return self._by_filter(template, one, self.with_capability(capability)) if capability else None
        if not self.topology.complete or name is None:
            return None
        place = Place(one.origin.source, one.node_span or one.span)
        hint = did_you_mean(name, self.nodes) or did_you_mean(name, self.types.names(Kind.NODE))
        self.report(
            "TOSCA:E017",
            f"requirement {one.name!r} of {template.name!r} leads to {name!r}, which is not there",
            place,
            hint,
        )
        return None

    def is_substituted(self, template: str, requirement: str) -> bool:
        """Whether the requirement is met from outside, by whoever substitutes this topology."""
        mapping = self.topology.substitution
        return mapping is not None and any(
            section == "requirements" and (owner, entry) == (template, requirement)
            for section, _, owner, entry, _ in mapping.entries
        )

    def with_capability(self, wanted: str) -> list[str]:
        """The templates that have a capability of a type (or name)."""
        return [
            name
            for name, flat in self.flat.items()
            if flat is not None
            and any(
                key == wanted or self.is_capability(one.type, wanted)
                for key, one in flat.capabilities.items()
            )
        ]

    def _by_filter(
        self, template: NodeTemplate, one: RequirementAssignment, candidates: list[str]
    ) -> str | None:
        """The first candidate, in the order written, that is not the asking one and passes the filter."""
        from sabir.languages.tosca.check.filters import passes

        for name in candidates:
            if name != template.name and (
                one.node_filter is None or passes(one.node_filter, self.nodes[name], self)
            ):
                return name
        return None

    def _capability(
        self,
        one: RequirementAssignment,
        definition: RequirementDefinition | None,
        target: str,
        relationship_type: str,
    ) -> str | None:
        flat = self.flat.get(target)
        if flat is None:
            return None
        if one.capability is not None and one.capability in flat.capabilities:
            return one.capability
        wanted = one.capability or (definition.capability if definition else None)
        if wanted is not None:
            if wanted in flat.capabilities:
                return wanted
            found = [
                name for name, known in flat.capabilities.items() if self.is_capability(known.type, wanted)
            ]
            if found:
                return one.name if one.name in found else found[0]
            if self.topology.complete:
                message = f"{target!r} has no capability {wanted!r}, which requirement {one.name!r} needs"
                hint = "its capabilities are " + ", ".join(
                    f"{n} ({k.type})" for n, k in flat.capabilities.items()
                )
                self.report("TOSCA:E018", message, one.place, hint)
            return None
        relationship = self.types.find(Kind.RELATIONSHIP, relationship_type)
        for valid in relationship.valid_target_types if relationship else ():
            for name, known in flat.capabilities.items():
                if self.is_capability(known.type, valid):
                    return name
        return None

    def is_capability(self, name: str, wanted: str) -> bool:
        if self.types.is_a(Kind.CAPABILITY, name, wanted):
            return True
        # 1.0 to 1.2 hosted on Container what 1.3 hosts on Compute.
        return wanted in _OLD_HOSTS and self.types.is_a(Kind.CAPABILITY, name, "tosca.capabilities.Container")

    # Hosts

    def is_hosting(self, relationship_type: str) -> bool:
        return self.types.is_a(Kind.RELATIONSHIP, relationship_type, HOSTED_ON)

    def _hosts(self) -> dict[str, str]:
        """The host of every template that has one; going round is a finding and gives none."""
        hosts: dict[str, str] = {}
        automatic: dict[str, str] = {}
        for name, links in self.links.items():
            for link in links:
                if link.target is not None and self.is_hosting(link.relationship_type):
                    (automatic if link.automatic else hosts).setdefault(name, link.target)
        grounded: set[str] = set()
        for name in list(hosts):
            ring = _ring(name, hosts, grounded)
            if ring:
                self.report(
                    "TOSCA:E020", "these host one another: " + " → ".join(ring), self.nodes[name].place
                )
                del hosts[name]
        for name, target in automatic.items():
            # Nobody wrote these, so one that would go round is left out.
            if name not in hosts and not _leads_to(target, name, hosts):
                hosts[name] = target
        return hosts


_OLD_HOSTS = frozenset({"tosca.capabilities.Container", "tosca.capabilities.Compute"})


def _usual_relationship(definition: RequirementDefinition | None) -> str:
    if definition is not None and definition.capability in _OLD_HOSTS:
        return HOSTED_ON
    return "tosca.relationships.Root"


def _leads_to(start: str, end: str, hosts: Mapping[str, str]) -> bool:
    here: str | None = start
    while here is not None and here != end:
        here = hosts.get(here)
    return here is not None


def _ring(start: str, hosts: Mapping[str, str], grounded: set[str]) -> list[str]:
    """The way from a template through its hosts back to itself; empty when it ends, as `grounded` then remembers."""
    way = [start]
    here: str | None = hosts.get(start)
    seen = {start}
    while here is not None and here not in seen and here not in grounded:
        way.append(here)
        seen.add(here)
        here = hosts.get(here)
    if here == start:
        return [*way, start]
    grounded.update(way if here is None or here in grounded else ())
    return []
