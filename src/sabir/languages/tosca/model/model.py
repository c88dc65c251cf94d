"""A topology with its names resolved: types flattened, copies written out, requirements matched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.languages.tosca.model.behaviour import Interface, interfaces_of
from sabir.languages.tosca.model.copies import write_out
from sabir.languages.tosca.model.hosts import find_hosts
from sabir.languages.tosca.model.requirements import HOSTED_ON, Linking
from sabir.languages.tosca.model.types import FlatType, TypeTable
from sabir.languages.tosca.model.values import ValueChecker
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import InterfaceDefinition, NodeTemplate, Topology
from sabir.languages.tosca.syntax.scopes import Kind

__all__ = ["Model"]

CIRCULAR_HOSTS: Final = tosca_rule(
    code="TOSCA:E020",
    title="nodes host one another",
    why="Following the hosts of a node leads back to it, so nothing could be created first.",
)


class Model:
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
            name: self.types.find(Kind.NODE, template.type) for name, template in self.nodes.items()
        }
        linking = Linking(topology, self.types, self.nodes, self.flat)
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
        return self.types.is_a(Kind.RELATIONSHIP, relationship_type, HOSTED_ON)
