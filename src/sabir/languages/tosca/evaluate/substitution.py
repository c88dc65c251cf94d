"""Substitution: a topology in the place of a node.

The topology is a separate ensemble under the node. Its inputs are computed lazily from properties of the
node, and attributes of the node are read from its outputs. Mapped requirements of the node become
requirements of nodes inside, with the same targets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sabir.expressions.query.resource import QueryResource
from sabir.expressions.query.values import MISSING
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.evaluate.parts import CapabilityInstance
from sabir.languages.tosca.evaluate.selection import passes_filter
from sabir.languages.tosca.model.model import TopologyModel
from sabir.languages.tosca.syntax.nodes import MappedEntry, NodeTemplate, Topology
from sabir.languages.tosca.syntax.scopes import TypeKind

SUBSTITUTE: Final = frozenset({"substitute", "substitutable"})


def is_substituted(template: NodeTemplate) -> bool:
    """Return whether a topology is to be put in the place of the node."""
    return not SUBSTITUTE.isdisjoint(template.directives)


def find_substitute(node: NodeInstance) -> Topology | None:
    """Return the first topology for a type of the node whose filter the node passes, or None."""
    model = node.ensemble.model
    for topology in model.topology.substitutes():
        mapping = topology.substitution
        if mapping is None or not model.types.is_a(TypeKind.NODE, node.template.type, mapping.name):
            continue
        if passes_filter(mapping.filter, node, node):
            return topology
    return None


class Substitution:
    """The mapping between a node and the topology in its place."""

    def __init__(self, node: NodeInstance, model: TopologyModel) -> None:
        assert model.topology.substitution is not None
        self.node = node
        self.mapping = model.topology.substitution
        self.model = model
        self._inputs = {
            target[0]: entry
            for entry in self.mapping.of("properties")
            for target in entry.targets
            if len(target) == 1
        }
        self._inner: Ensemble | None = None

    @property
    def ensemble(self) -> Ensemble:
        assert self._inner is not None
        return self._inner

    def stand_in(self, ensemble: Ensemble) -> None:
        """Put an instantiated topology in the place of the node and connect its requirements."""
        self._inner = ensemble
        self.node.substitution = self
        for source, requirement, target in self._bridges():
            source.bridge(requirement, target)

    # Inputs

    def input(self, name: str) -> Any:
        """Return the value of an input of the topology, or MISSING if the node does not provide it."""
        entry = self._inputs.get(name)
        if entry is None:
            # Up to 1.2 properties are not mapped: an input takes the property of the same name.
            return self._read(self.node, name) if not self.mapping.of("properties") else MISSING
        if entry.value is not None:
            return self.node.ensemble.assignment(entry.value, None).value(self.node)
        part = self._part(entry)
        return MISSING if part is None else self._read(part, entry.name)

    def maps_input(self, name: str) -> bool:
        return name in self._inputs or (
            not self.mapping.of("properties") and self.node.definition(name) is not None
        )

    def _part(self, entry: MappedEntry) -> QueryResource | None:
        match entry.part:
            case ("CAPABILITY", capability):
                return self.node.capability(capability)
            case ("RELATIONSHIP", requirement, *rest):
                led = [link for link in self.node.requirements if link.name == requirement]
                index = int(rest[0]) if rest and rest[0].isdigit() else 0
                return led[index] if index < len(led) else None
            case _:
                return self.node

    def _read(self, resource: QueryResource, key: str) -> Any:
        value = resource.get(key)
        if value is not MISSING:
            self.ensemble.session.record(resource, key)
        return value

    # Attributes

    def attribute(self, part: tuple[str, ...], key: str) -> Any:
        """Return the mapped value of an attribute of the node or of a part of it, or MISSING."""
        for entry in self.mapping.of("attributes"):
            if entry.name == key and entry.part[:2] == part and entry.targets:
                return self._find_mapped_value(entry.targets[0])
        return MISSING

    def _find_mapped_value(self, target: tuple[str, ...]) -> Any:
        inner = self.ensemble
        if len(target) == 1:
            outputs = inner.root.get("outputs")
            return outputs.get(target[0], MISSING)
        nodes = inner.instances(target[0])
        value: Any = nodes[0] if nodes else MISSING
        for word in target[1:]:
            if value is MISSING or value is None:
                return MISSING
            value = self._step(value, word)
        return value

    def _step(self, value: Any, word: str) -> Any:
        if (
            isinstance(value, NodeInstance)
            and value.capability(word) is not None
            and value.definition(word) is None
        ):
            return value.capability(word)
        if isinstance(value, QueryResource):
            self.node.session.record(value, word)
            return value.get(word)
        return value.get(word, MISSING) if isinstance(value, Mapping) else MISSING

    def capability(self, name: str) -> CapabilityInstance | None:
        """Return the inner capability that a capability of the node is mapped to, or None."""
        for entry in self.mapping.of("capabilities"):
            pair = entry.template_and_entry
            if entry.name == name and pair is not None:
                nodes = self.ensemble.instances(pair[0])
                part = nodes[0].capability(pair[1]) if nodes else None
                return part if isinstance(part, CapabilityInstance) else None
        return None

    # Requirements

    def _bridges(self) -> Iterator[tuple[NodeInstance, str, NodeInstance]]:
        """Return inner nodes, their requirements, and the outer nodes that these target."""
        entries = self.mapping.of("requirements")
        for name in dict.fromkeys(entry.name for entry in entries):
            targets = [
                link.target
                for link in self.node.requirements
                if link.name == name and link.target is not None
            ]
            mine = [entry for entry in entries if entry.name == name]
            for entry, target in _distribute_targets(mine, targets):
                yield from self._led(entry, target)

    def _led(
        self, entry: MappedEntry, target: NodeInstance
    ) -> Iterator[tuple[NodeInstance, str, NodeInstance]]:
        for words in entry.targets:
            if len(words) == 2 and words[1] not in self.model.nodes:
                for source in self.ensemble.instances(words[0]):
                    yield source, words[1], target
            else:
                for selectable in words:
                    yield from self._selectable(selectable, target)

    def _selectable(
        self, name: str, target: NodeInstance
    ) -> Iterator[tuple[NodeInstance, str, NodeInstance]]:
        """Redirect inner requirements from a node that is to be selected to the outer node."""
        self.ensemble.nodes.leave_out(name)
        for source in self.ensemble.nodes.values():
            for link in source.requirements:
                if link.link.target == name:
                    yield source, link.name, target


def _distribute_targets(
    entries: list[MappedEntry], targets: list[NodeInstance]
) -> Iterator[tuple[MappedEntry, NodeInstance]]:
    """Assign the targets of a requirement to its mappings.

    A single mapping takes all of them. Of several mappings each takes one, or as many as it counts.
    """
    if len(entries) == 1 and entries[0].count is None:
        yield from ((entries[0], target) for target in targets)
        return
    waiting = iter(targets)
    for entry in entries:
        count = len(targets) if entry.count == "UNBOUNDED" else int(entry.count or 1)
        for _ in range(count):
            target = next(waiting, None)
            if target is not None:
                yield entry, target
