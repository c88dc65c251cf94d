"""Replication: a template with several instances becomes one template per instance.

The number of instances comes from `count` (2.0) or from the capability `scalable` (1.x). In 1.x each instance
of a host gets one instance of its guests, and any other requirement targets all instances of its target. In
2.0 a requirement states how many instances it targets, and may state which.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.values import reveal_deep
from sabir.graph.values import Unknown
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.evaluate.selection import Capacities
from sabir.languages.tosca.model.requirements import RequirementLink
from sabir.languages.tosca.model.scalars import is_integer
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import NodeTemplate, RequirementAssignment, SourceValue, Topology
from sabir.text import Place

_SCALABLE: Final = "scalable"
_MOST: Final = 10_000

WRONG_COUNT: Final = tosca_rule(
    code="TOSCA:E047",
    title="a number of instances that cannot be",
    why="How many instances a template has is a whole number that is known before anything is deployed, and the scalable capability "
    "says between which bounds it lies.",
    when="evaluate",
)

NO_INSTANCE: Final = tosca_rule(
    code="TOSCA:E048",
    title="a requirement that finds no instance",
    why="It asks for an instance that its target does not have, for more than there are, or for more than they have left.",
    when="evaluate",
)


class TemplateReplication:
    """The instance counts of a topology, and the topology with its instances expanded."""

    def __init__(self, ensemble: Ensemble) -> None:
        self.ensemble = ensemble
        self.findings: list[Finding] = []
        self._nodes = ensemble.model.nodes
        self._counts: dict[str, int] = {}
        self._guests: set[str] = set()
        """Templates that have as many instances as their host."""
        for name in self._nodes:
            self._counts[name] = self._count(name)
        self._multiply_guests()
        self._capacities = Capacities(ensemble)

    @property
    def is_needed(self) -> bool:
        return any(count != 1 for count in self._counts.values())

    # Counts

    def _count(self, name: str) -> int:
        template, node = self._nodes[name], self.ensemble.nodes[name]
        if template.count is not None:
            return self._whole(template.count, node, f"count of {name!r}")
        return self._scalable(node) if self._may_scale(node) else 1

    @staticmethod
    def _may_scale(node: NodeInstance) -> bool:
        if _SCALABLE in node.template.capabilities:
            return True
        declared = node.flat.capabilities.get(_SCALABLE) if node.flat is not None else None
        return declared is not None and "default_instances" in declared.properties

    def _scalable(self, node: NodeInstance) -> int:
        capability = node.capability(_SCALABLE)
        if capability is None:
            return 1
        values: dict[str, Any] = {}
        for key in ("default_instances", "min_instances", "max_instances"):
            try:
                values[key] = reveal_deep(capability.get(key))
            except QueryError as error:
                self.findings.append(error.finding)
                return 1
        number = values["default_instances"]
        if not is_integer(number):
            return 1
        least, most = values["min_instances"], values["max_instances"]
        place = node.template.place
        if is_integer(least) and number < least:
            self._report(place, f"{node.name!r} has {number} instances and must have at least {least}")
        elif is_integer(most) and number > most:
            self._report(place, f"{node.name!r} has {number} instances and must not have more than {most}")
        return min(max(int(number), 0), _MOST)

    def _whole(self, written: SourceValue, node: NodeInstance, subject: str) -> int:
        try:
            value = reveal_deep(self.ensemble.assignment(written, None).value(node))
        except QueryError as error:
            self.findings.append(error.finding)
            return 1
        if is_integer(value) and 0 <= value <= _MOST:
            return int(value)
        said = "not known yet" if isinstance(value, Unknown) else f"{value!r}"
        self._report(
            written.place, f"the {subject} is {said}, not a whole number from 0 to {_MOST}", WRONG_COUNT
        )
        return 1

    def _multiply_guests(self) -> None:
        hosts = self.ensemble.model.hosts
        for name, template in self._nodes.items():
            way = [name]
            while self._is_guest(way[-1]) and (host := hosts.get(way[-1])) is not None:
                way.append(host)
            for guest, host in zip(way[-2::-1], way[:0:-1], strict=True):
                if self._counts[host] != 1 and guest not in self._guests and not template.origin.second:
                    self._counts[guest] = self._counts[host]
                    self._guests.add(guest)

    def _is_guest(self, name: str) -> bool:
        """Return whether a template does not state its own number of instances."""
        template = self._nodes[name]
        return template.count is None and not template.origin.second and self._counts[name] == 1

    def _report(self, place: Place, message: str, rule: Rule = WRONG_COUNT) -> None:
        self.findings.append(rule.at(place, message))

    # Expansion

    def topology(self) -> Topology:
        """Return the topology with one template per instance.

        An instance whose name is already taken by another template is reported.
        """
        topology = self.ensemble.model.topology
        templates: dict[str, NodeTemplate] = {}
        for name in self._nodes:
            for template in self._instances(name):
                if template.name in templates or (template.name != name and template.name in self._nodes):
                    message = f"an instance of {name!r} would be called {template.name!r}, and so is another template"
                    self._report(self._nodes[name].place, message, NO_INSTANCE)
                templates[template.name] = template
        return replace(
            topology,
            node_templates=templates,
            groups={
                name: replace(group, members=tuple(self._expand_names(group.members)))
                for name, group in topology.groups.items()
            },
            policies=tuple(
                replace(policy, targets=tuple(self._expand_names(policy.targets)))
                for policy in topology.policies
            ),
        )

    def _expand_names(self, names: tuple[tuple[str, Any], ...]) -> Iterator[tuple[str, Any]]:
        """Replace each template name in members or targets by its instances."""
        for name, span in names:
            for instance in self._names(name) if name in self._counts else (name,):
                yield instance, span

    def _names(self, name: str) -> list[str]:
        count = self._counts[name]
        return [name] if count == 1 else [f"{name}_{index}" for index in range(count)]

    def _instances(self, name: str) -> Iterator[NodeTemplate]:
        template = self._nodes[name]
        links = self.ensemble.model.links[name]
        leads_to_several = any(link.target is not None and self._counts[link.target] != 1 for link in links)
        for index, instance in enumerate(self._names(name)):
            requirements = template.requirements
            if leads_to_several:
                requirements = tuple(self._led(links, index, template))
            yield replace(
                template,
                name=instance,
                instance_of=None if instance == name else name,
                index=index,
                requirements=requirements,
            )

    def _led(
        self, links: tuple[RequirementLink, ...], index: int, template: NodeTemplate
    ) -> Iterator[RequirementAssignment]:
        """Return the requirements of one instance, each with the target instance."""
        for link in links:
            if link.target is None or self._counts[link.target] == 1:
                if not link.automatic:
                    yield link.assignment
                continue
            names = self._names(link.target)
            chosen = self._choose_indexes(link, index, template)
            for position in chosen:
                if position < len(names):
                    yield replace(
                        link.assignment, node=names[position], node_index=None, count=None, node_filter=None
                    )
                elif not link.assignment.optional:
                    message = f"{link.name!r} of {template.name!r} leads to instance {position} of {link.target!r}, which has {len(names)}"
                    self._report(link.assignment.place, message, NO_INSTANCE)

    def _choose_indexes(self, link: RequirementLink, index: int, template: NodeTemplate) -> list[int]:
        assert link.target is not None
        number = self._counts[link.target]
        written = link.assignment.node_index
        if written is not None:
            return [self._whole(written, self._stand_in(template, index), f"index in {link.name!r}")]
        if template.name in self._guests and self.ensemble.model.hosts.get(template.name) == link.target:
            return [index]
        if not template.origin.second:
            is_host = self.ensemble.model.hosts.get(template.name) == link.target
            return [index % number] if is_host and number else [*range(number)]
        return self._by_count(link, index, template)

    def _by_count(self, link: RequirementLink, index: int, template: NodeTemplate) -> list[int]:
        """Choose as many different target instances as a 2.0 requirement counts.

        The search starts at a position that depends on the index of the source, so that sources are spread
        round-robin. Targets without enough capacity for the allocation are skipped.
        """
        assert link.target is not None
        number = self._counts[link.target]
        count = link.assignment.count
        wanted = 1 if count is None else self._whole(count, self._stand_in(template, index), "count")
        offered = ((index * wanted + step) % number for step in range(number))
        chosen: list[int] = []
        for position in offered:
            if len(chosen) == wanted:
                break
            if self._capacities.take(link, position):
                chosen.append(position)
        if len(chosen) < wanted and not link.assignment.optional:
            message = f"{link.name!r} of {template.name!r} needs {wanted} of {link.target!r}, and only {len(chosen)} can be had"
            self._report(link.assignment.place, message, NO_INSTANCE)
        return chosen

    def _stand_in(self, template: NodeTemplate, index: int) -> NodeInstance:
        """Return a provisional instance, so that expressions can read the index of the source."""
        here = replace(template, index=index, instance_of=template.name)
        return NodeInstance(self.ensemble, here, self.ensemble.model.flat[template.name])
