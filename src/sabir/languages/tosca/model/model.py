"""A topology with its names resolved: types flattened, copies written out, requirements matched.

`copy`: a node template that begins with what another says.

Who hosts whom: the one relation of a topology that must not go round, as nothing could be created first.

Inputs that a template does not declare: a function may name one, and so may whoever asks for an evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.model.behaviour import Interface, interfaces_of
from sabir.languages.tosca.model.requirements import HOSTED_ON, RequirementLink, RequirementLinker
from sabir.languages.tosca.model.types import FlatType, TypeTable
from sabir.languages.tosca.model.values import ValueChecker
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import InterfaceDefinition, NodeTemplate, Topology
from sabir.languages.tosca.syntax.scopes import TypeKind

WRONG_COPY: Final = tosca_rule(
    code="TOSCA:E029",
    title="a copy of something that is not there",
    why="copy names the template to begin with; it must exist, must not lead back to the copy, and in TOSCA 2.0 must not be a copy itself.",
)


def write_out(
    template: NodeTemplate, templates: Mapping[str, NodeTemplate], findings: list[Finding]
) -> NodeTemplate:
    """The template with what `copy` names taken in, its own keys first."""
    seen = {template.name}
    here = template
    while here.copy is not None:
        source = templates.get(here.copy)
        if source is None or source.name in seen:
            reason, hint = "copies itself", None
            if source is None:
                reason = f"copies {here.copy!r}, which is no node template"
                hint = did_you_mean(here.copy, templates)
            message = f"node template {template.name!r} {reason}"
            findings.append(WRONG_COPY.at(here.place, message, hint=hint))
            return replace(here, copy=None)
        if source.copy is not None and template.origin.second:
            message = f"node template {template.name!r} copies {source.name!r}, which is a copy itself"
            findings.append(WRONG_COPY.at(here.place, message, hint=f"copy {source.copy!r}"))
            return replace(_merge_templates(here, source), copy=None)
        seen.add(source.name)
        here = _merge_templates(here, source)
    return here


def _merge_templates(template: NodeTemplate, source: NodeTemplate) -> NodeTemplate:
    return replace(
        template,
        type=template.type or source.type,
        properties={**source.properties, **template.properties},
        attributes={**source.attributes, **template.attributes},
        capabilities={**source.capabilities, **template.capabilities},
        requirements=template.requirements or source.requirements,
        interfaces={**source.interfaces, **template.interfaces},
        artifacts={**source.artifacts, **template.artifacts},
        copy=source.copy,
    )


def find_hosts(
    links: Mapping[str, Iterable[RequirementLink]], is_hosting: Callable[[str], bool]
) -> tuple[dict[str, str], list[list[str]]]:
    """The host of every template that has one, and the rings of templates that host one another."""
    hosts: dict[str, str] = {}
    automatic: dict[str, str] = {}
    for name, requirements in links.items():
        for link in requirements:
            if link.target is not None and is_hosting(link.relationship_type):
                (automatic if link.automatic else hosts).setdefault(name, link.target)
    rings: list[list[str]] = []
    grounded: set[str] = set()
    for name in list(hosts):
        ring = _find_host_cycle(name, hosts, grounded)
        if ring:
            rings.append(ring)
            del hosts[name]
    for name, target in automatic.items():
        # Nobody wrote these, so one that would go round is left out.
        if name not in hosts and not _leads_to(target, name, hosts):
            hosts[name] = target
    return hosts, rings


def _leads_to(start: str, end: str, hosts: Mapping[str, str]) -> bool:
    here: str | None = start
    while here is not None and here != end:
        here = hosts.get(here)
    return here is not None


def _find_host_cycle(start: str, hosts: Mapping[str, str], grounded: set[str]) -> list[str]:
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


CIRCULAR_HOSTS: Final = tosca_rule(
    code="TOSCA:E020",
    title="nodes host one another",
    why="Following the hosts of a node leads back to it, so nothing could be created first.",
)


class TopologyModel:
    """Names resolved once; checks and evaluation both work on it.

    Each step needs the one before: copies give templates their types, types their requirements, requirements the hosts.
    """

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.types = TypeTable(topology)
        self._interfaces: dict[int, Mapping[str, Interface]] = {}
        self.values = ValueChecker(self.types)
        self.findings: list[Finding] = []
        self.nodes: dict[str, NodeTemplate] = {
            name: write_out(template, topology.node_templates, self.findings)
            for name, template in topology.node_templates.items()
        }
        self.flat: dict[str, FlatType | None] = {
            name: self.types.find(TypeKind.NODE, template.type) for name, template in self.nodes.items()
        }
        linking = RequirementLinker(topology, self.types, self.nodes, self.flat)
        self.is_substituted = linking.is_substituted
        self.of_type = linking.of_type
        self.candidates = linking.candidates
        self.open_link = linking.open_link
        self.links = {name: linking.links(template) for name, template in self.nodes.items()}
        self.findings += linking.findings
        self.hosts, rings = find_hosts(self.links, self.is_hosting)
        self.guests: dict[str, list[str]] = {}
        self.several: dict[str, list[str]] = {}
        """The instances of templates that have several, by the name of the template."""
        for name, template in self.nodes.items():
            if name in self.hosts:
                self.guests.setdefault(self.hosts[name], []).append(name)
            if template.instance_of is not None:
                self.several.setdefault(template.instance_of, []).append(name)
        self.findings += (
            CIRCULAR_HOSTS.at(self.nodes[ring[0]].place, "these host one another: " + " → ".join(ring))
            for ring in rings
        )

    def interfaces(
        self, flat: FlatType | None, written: Mapping[str, InterfaceDefinition]
    ) -> Mapping[str, Interface]:
        """Those of a type and of a template; nearly all templates write none of their own, and share those of their type."""
        if written or flat is None:
            return interfaces_of(self.types, flat, written)
        shared = self._interfaces.get(id(flat))
        if shared is None:
            shared = self._interfaces[id(flat)] = interfaces_of(self.types, flat, {})
        return shared

    def is_hosting(self, relationship_type: str) -> bool:
        return self.types.is_a(TypeKind.RELATIONSHIP, relationship_type, HOSTED_ON)


UNKNOWN_INPUT: Final = tosca_rule(
    code="TOSCA:E021",
    title="an input that is not declared",
    why="get_input, or the command line, names an input that the template does not have.",
)
