"""Selection of nodes by filter, and allocation of capacities.

`select` replaces a node template by an existing node that passes its filter; a requirement with a filter
targets the first candidate that passes. Filters are tested on computed values here; the model has already
tested 1.x filters on literal values. In 2.0 a requirement may take a part of the properties of a capability
(`allocation`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec.structs import replace

from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.live import AssignedValue
from sabir.expressions.query.resource import QueryResource
from sabir.expressions.query.values import MISSING, reveal_deep
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.evaluate.parts import RelationshipInstance
from sabir.languages.tosca.model.filters import filter_holds
from sabir.languages.tosca.model.requirements import RequirementLink
from sabir.languages.tosca.model.scalars import is_number
from sabir.languages.tosca.syntax.nodes import NodeTemplate, RequirementAssignment, SourceValue, Topology
from sabir.languages.tosca.syntax.scopes import TypeKind

SELECT: Final = frozenset({"select", "selectable"})


def is_selected(template: NodeTemplate) -> bool:
    """Return whether the node is to be selected from existing ones."""
    return not SELECT.isdisjoint(template.directives)


class NodeSelection:
    """The choices made in a topology, and the topology with these choices applied."""

    def __init__(self, ensemble: Ensemble) -> None:
        self._ensemble = ensemble
        self._model = ensemble.model
        self._selected: dict[str, str] = {}
        self._pinned: dict[int, str] = {}
        """The target of a requirement, by the identity of its assignment."""
        for name, template in self._model.nodes.items():
            if is_selected(template):
                chosen = self._choose_node(name, template)
                if chosen is not None:
                    self._selected[name] = chosen
        for name, links in self._model.links.items():
            for link in links:
                self._pin(name, link)

    @property
    def is_needed(self) -> bool:
        return bool(self._selected or self._pinned)

    def topology(self) -> Topology:
        """Return the topology without selected templates, and with their names replaced."""
        topology = self._model.topology
        return replace(
            topology,
            node_templates={
                name: replace(template, requirements=tuple(self._requirements(name, template)))
                for name, template in self._model.nodes.items()
                if name not in self._selected
            },
            groups={
                name: replace(group, members=tuple(self._replace_names(group.members)))
                for name, group in topology.groups.items()
            },
            policies=tuple(
                replace(policy, targets=tuple(self._replace_names(policy.targets)))
                for policy in topology.policies
            ),
            selected={**topology.selected, **self._selected},
        )

    # Choices

    def _choose_node(self, name: str, template: NodeTemplate) -> str | None:
        nodes = self._ensemble.nodes
        candidates = (
            other
            for other in self._model.of_type(template.type)
            if other != name and not is_selected(self._model.nodes[other])
        )
        return next(
            (
                other
                for other in candidates
                if passes_filter(template.node_filter, nodes[other], nodes[other])
            ),
            None,
        )

    def _pin(self, name: str, link: RequirementLink) -> None:
        """Set the target of a requirement to the first candidate whose values pass its filters."""
        filters = [link.assignment.node_filter, link.definition.node_filter if link.definition else None]
        written = [node_filter for node_filter in filters if node_filter is not None]
        if not written or link.target is None or link.assignment.node in self._model.nodes:
            return
        source = self._ensemble.nodes[name]
        for candidate in self._model.candidates(name, link):
            there = RelationshipInstance(source, replace(link, target=candidate))
            node = self._ensemble.nodes[candidate]
            if all(passes_filter(node_filter, node, there) for node_filter in written):
                if candidate != link.target:
                    self._pinned[id(link.assignment)] = candidate
                return

    # Application of the choices

    def _requirements(self, name: str, template: NodeTemplate) -> Iterator[RequirementAssignment]:
        for assignment in template.requirements:
            node = self._pinned.get(id(assignment)) or self._selected.get(assignment.node or "")
            yield assignment if node is None else replace(assignment, node=node, node_filter=None)
        for link in self._model.links[name]:
            node = self._pinned.get(id(link.assignment)) or self._selected.get(link.target or "")
            if link.automatic and node is not None:
                yield replace(link.assignment, node=node)

    def _replace_names(self, names: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
        return ((self._selected.get(name, name), span) for name, span in names)


def passes_filter(node_filter: SourceValue | None, node: NodeInstance, here: QueryResource) -> bool:
    """Return whether a node passes a filter.

    A 1.x filter tests values of the node. A 2.0 filter is a condition in which SELF is `here`.
    """
    if node_filter is None:
        return True
    data = node_filter.data
    if isinstance(data, Mapping) and ("properties" in data or "capabilities" in data):
        return filter_holds(data, _Values(node), lambda name: _find_capability(node, name))
    try:
        return reveal_deep(AssignedValue(data, place=node_filter.place).value(here)) is True
    except QueryError:
        return False


def _find_capability(node: NodeInstance, name: str) -> Mapping[str, Any] | None:
    """Return the properties of a capability, found by its name or by the name of its type."""
    for capability in node.capabilities:
        if capability.name == name or name in capability.types:
            return _Values(capability)
    return None


class _Values(Mapping[str, Any]):
    """The values of an instance as a mapping, computed on access."""

    def __init__(self, resource: QueryResource) -> None:
        self._resource = resource

    def __getitem__(self, key: str) -> Any:
        try:
            value = self._resource.get(key)
        except QueryError:
            value = MISSING
        if value is MISSING:
            raise KeyError(key)
        return reveal_deep(value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._resource.keys())

    def __len__(self) -> int:
        return len(self._resource.keys())


_NUMBER = r"\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*(\S*)\s*"


class Capacities:
    """The amount taken of each capability property, per instance."""

    def __init__(self, ensemble: Ensemble) -> None:
        self._ensemble = ensemble
        self._taken: dict[tuple[str, int, str, str], float] = {}

    def take(self, link: RequirementLink, position: int) -> bool:
        """Take the allocation of a requirement from one target instance, if there is enough of everything."""
        target = self._ensemble.nodes.get(link.target or "")
        if target is None or link.capability is None or not link.assignment.allocation:
            return True
        after: dict[tuple[str, int, str, str], float] = {}
        for name, written in link.assignment.allocation.items():
            key = (target.name, position, link.capability, name)
            offered = self._worth(target, link.capability, name, None)
            wanted = self._worth(target, link.capability, name, written)
            if offered is None or wanted is None:
                continue  # reported by the checks
            after[key] = self._taken.get(key, 0) + wanted
            if after[key] > offered:
                return False
        self._taken.update(after)
        return True

    def _worth(
        self, node: NodeInstance, capability: str, name: str, written: SourceValue | None
    ) -> float | None:
        """Return the numeric value of a property of the capability, or of what is written for it."""
        part = node.capability(capability)
        if part is None:
            return None
        try:
            value = (
                part.get(name) if written is None else self._ensemble.assignment(written, None).value(node)
            )
        except QueryError:
            return None
        return self._number(node, capability, name, reveal_deep(value))

    def _number(self, node: NodeInstance, capability: str, name: str, value: Any) -> float | None:
        if is_number(value):
            return float(value)
        types = self._ensemble.model.types
        declared = node.flat.capabilities[capability].type if node.flat is not None else ""
        flat = types.find(TypeKind.CAPABILITY, declared)
        definition = None if flat is None else flat.properties.get(name)
        schema = None if definition is None else definition.schema
        data = None if schema is None else types.find(TypeKind.DATA, schema.name)
        if data is not None and data.scalar is not None:
            return data.scalar.in_base_unit(value)
        match = re.fullmatch(_NUMBER, value) if isinstance(value, str) else None
        return None if match is None else float(match[1])
