"""The operations of all nodes and relationships, with their order.

An operation is a command that runs when it is new, and again when its inputs change. Its opposite (`delete`
of `create`) is a command that runs when it is removed. The opposite is recorded before the operation starts,
so that a failed operation is undone as well.

For a substituted node, the nodes of the topology in its place run: after what the node requires, before what
requires the node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec.structs import replace

from sabir.graph.address import Address
from sabir.graph.values import Value
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.evaluate.observations import undo_record_name
from sabir.languages.tosca.evaluate.parts import RelationshipInstance
from sabir.languages.tosca.graph.addresses import Subject, child_address, ids_of_requirements, node_of
from sabir.languages.tosca.graph.commands import OperationCommand, OperationCommands
from sabir.languages.tosca.graph.read_order import ReadCycle, order_by_reads
from sabir.languages.tosca.model.behaviour import (
    CHANGED,
    LINKED,
    OPPOSITES,
    STAGES,
    NodeOperation,
    find_implemented_operations,
    sort_by_requirements,
)
from sabir.resources.resource import Resource


class Lifecycles:
    """The operations that deploy a topology, as resources in order."""

    def __init__(self, ensemble: Ensemble, observed: Mapping[str, Value]) -> None:
        self.ensemble = ensemble
        self._observed = observed
        self.commands = OperationCommands(ensemble)
        self.nodes = {node.key: node for node in ensemble.everything()}
        self._commands_at: dict[Address, OperationCommand] = {}
        self._operations_of: dict[str, dict[str, NodeOperation]] = {}
        self._ends: dict[str, tuple[Address, ...]] = {}
        self._own: dict[str, tuple[Address, ...]] = {}
        """The operations of each node, without those of its relationships."""
        self._incoming: dict[str, list[tuple[str, RelationshipInstance]]] = {}
        self._ids = {key: ids_of_requirements(node) for key, node in self.nodes.items()}
        for ids in self._ids.values():
            for relationship, id_ in ids.items():
                if relationship.target is not None:
                    self._incoming.setdefault(relationship.target.key, []).append((id_, relationship))

    @cached_property
    def resources(self) -> Mapping[Address, Resource]:
        """The resources by address, each after those that it requires."""
        return self._ordered[0]

    @property
    def circles(self) -> Sequence[ReadCycle]:
        """Cycles of operations that read values which are produced only after them."""
        return self._ordered[1]

    @cached_property
    def _ordered(self) -> tuple[Mapping[Address, Resource], Sequence[ReadCycle]]:
        resources = {resource.address: resource for resource in self._resources()}
        commands = {
            address: self._commands_at[address]
            for address, resource in resources.items()
            if resource.established is None
        }
        return order_by_reads(resources, self.commands.reads(commands, self._observed))

    def command(self, address: Address) -> OperationCommand:
        return self._commands_at[address]

    def compute_fields(self, command: OperationCommand) -> Mapping[str, Value]:
        """Return the fields of a command, as far as they are known now."""
        return self.commands.compute_fields(command, self._observed)

    def all_commands(self) -> Iterator[tuple[Resource, OperationCommand]]:
        return ((resource, self._commands_at[address]) for address, resource in self.resources.items())

    def commands_of(self, node: NodeInstance) -> Sequence[tuple[Resource, OperationCommand]]:
        """Return the commands of a node and its requirements, in the order in which they run.

        Includes those of the topology that substitutes the node.
        """
        return self._by_node.get(node.key, ())

    @cached_property
    def _by_node(self) -> Mapping[str, list[tuple[Resource, OperationCommand]]]:
        by_node: dict[str, list[tuple[Resource, OperationCommand]]] = {}
        for resource, command in self.all_commands():
            node: NodeInstance | None = node_of(command.subject)
            while node is not None:
                by_node.setdefault(node.key, []).append((resource, command))
                outer = node.ensemble.outer
                node = None if outer is None else outer.node
        return by_node

    def _resources(self) -> Iterator[Resource]:
        required = {key: _list_predecessors(node) for key, node in self.nodes.items()}
        for key in sort_by_requirements(required):
            yield from self._of_node(self.nodes[key], required[key])
        for ids in self._ids.values():
            for relationship, id_ in ids.items():
                yield from self._of_link(id_, relationship)

    def _of_node(self, node: NodeInstance, required: Iterable[str]) -> Iterator[Resource]:
        key = node.key
        outgoing = [(id_, link) for link, id_ in self._ids[key].items() if link.target is not None]
        tail = _unique_addresses(address for other in required for address in self._ends.get(other, ()))
        stages: list[tuple[list[Resource], list[Resource]]] = []
        for own, of_source, of_target in STAGES:
            mine = [*self._build_operation(key, node, own, tail)] if node.substitution is None else []
            linked = [
                *self._build_relationships(outgoing, of_source, tail),
                *self._build_relationships(self._incoming.get(key, ()), of_target, tail),
            ]
            stages.append((mine, linked))
            tail = _unique_addresses(resource.address for resource in (*mine, *linked)) or tail
        self._ends[key] = tail
        for number, (mine, linked) in enumerate(stages):
            behind = _unique_addresses(later.address for group, _ in stages[number + 1 :] for later in group)
            yield from mine
            yield from (replace(resource, unless=behind) for resource in linked)
        self._own[key] = _unique_addresses(resource.address for mine, _ in stages for resource in mine)
        if node.substitution is not None:
            inner = node.substitution.ensemble.nodes.values()
            self._own[key] = _unique_addresses(address for each in inner for address in self._own[each.key])

    def _build_relationships(
        self,
        relationships: Iterable[tuple[str, RelationshipInstance]],
        operation: str,
        requires: tuple[Address, ...],
    ) -> Iterator[Resource]:
        for id_, relationship in relationships if operation else ():
            yield from self._build_operation(id_, relationship, operation, requires)

    def _of_link(self, id_: str, relationship: RelationshipInstance) -> Iterator[Resource]:
        target = relationship.target
        if target is None:
            return
        ends = _unique_addresses((*self._ends[relationship.source.key], *self._ends[target.key]))
        linked = [
            resource
            for operation in LINKED
            for resource in self._build_operation(id_, relationship, operation, ends)
        ]
        yield from linked
        established = _unique_addresses((*ends, *(resource.address for resource in linked)))
        for resource in self._build_operation(id_, relationship, CHANGED, ends):
            yield replace(resource, reacts_to=self._own[target.key], established=established)

    def _build_operation(
        self, id_: str, subject: Subject, name: str, requires: tuple[Address, ...]
    ) -> Iterator[Resource]:
        """Return the undo command of an operation, then the operation, if implemented."""
        operations = self._operations(id_, subject)
        for wanted, undoes in ((OPPOSITES.get(name, ""), True), (name, False)):
            operation = operations.get(wanted)
            if operation is None:
                continue
            title = undo_record_name(name, wanted) if undoes else name
            address = child_address(id_, f"interfaces.{operation.interface}.{title}")
            command = self.commands.command(subject, operation, undoes=undoes)
            self._commands_at[address] = command
            yield replace(self.commands.build_resource(address, command), requires=requires)
            requires = (*requires, address)

    def _operations(self, id_: str, subject: Subject) -> Mapping[str, NodeOperation]:
        """Return, by name, the operations of the interfaces that a deployment runs."""
        if id_ not in self._operations_of:
            types = subject.ensemble.model.types
            self._operations_of[id_] = find_implemented_operations(types, subject.interfaces.values())
        return self._operations_of[id_]


def _list_predecessors(node: NodeInstance) -> list[str]:
    """Return the keys of the nodes that come before a node."""
    required = _list_targets(node)
    if node.substitution is not None:
        required += (inner.key for inner in node.substitution.ensemble.nodes.values())
    outer = node.ensemble.outer
    while outer is not None:
        required += _list_targets(outer.node)
        outer = outer.node.ensemble.outer
    return [key for key in dict.fromkeys(required) if key != node.key]


def _list_targets(node: NodeInstance) -> list[str]:
    return [link.target.key for link in node.requirements if link.target is not None]


def _unique_addresses(addresses: Iterable[Address]) -> tuple[Address, ...]:
    return tuple(dict.fromkeys(addresses))
