"""Order by reads: operations run after those that produce their inputs.

Reads need not follow requirements. Where operations would wait for each other, because of reads alone or
because the lifecycle of a node demands another order, they run one after the other in the order of the
template, and a finding reports the cycle.

The net has operations and values as vertices. Its strongly connected components are visited in topological
order, so when an operation is reached, all operations before it, except those of its own cycle, have been
numbered. Sets of operations are bit masks over these numbers. That makes it cheap to add only the
requirements that do not follow from others.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from itertools import islice
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.graph.address import Address
from sabir.graph.order import strongly_connected, topological_order
from sabir.resources.resource import Resource

MOST: Final = 4
"""The maximum number of operations of a cycle that a message names."""


class ReadDependencies(Struct, frozen=True, eq=False):
    """Which operation produces and which reads which value."""

    gives: Mapping[str, list[Address]]
    """By the text of an attribute's address: the operations that produce it."""
    edges: Iterable[tuple[Hashable, Hashable]]
    """Pairs of a source and a value or operation computed from it; operations are given by address."""


class ReadCycle(Struct, frozen=True, eq=False):
    """An operation that would have to run after others that run after it."""

    reader: Address
    others: tuple[Address, ...]
    """The other operations; `MOST` + 1 of them if there are more."""
    attributes: frozenset[str]
    """The attributes that connect them."""


def order_by_reads(
    resources: Mapping[Address, Resource], reads: ReadDependencies
) -> tuple[Mapping[Address, Resource], list[ReadCycle]]:
    """Return the operations in order, with their reads added to what they require, and the cycles.

    Requirements that would close a cycle are left out, so the result can always be ordered.
    """
    net = _Net(resources, reads)
    added = net.derive_requirements()
    if not added and not net.feedback:
        return resources, net.circles
    ordered = {
        address: replace(
            resource,
            requires=(*resource.requires, *added.get(address, ())),
            feedback=net.feedback.get(address, {}),
        )
        for address, resource in resources.items()
    }
    return _sort_resources(ordered), net.circles


def _sort_resources(resources: Mapping[Address, Resource]) -> Mapping[Address, Resource]:
    addresses = [*resources]
    numbers = {address: number for number, address in enumerate(addresses)}
    behind: list[list[int]] = [[] for _ in addresses]
    for number, resource in enumerate(resources.values()):
        for other in dict.fromkeys(resource.requires):
            if other in numbers:
                behind[numbers[other]].append(number)
    order = topological_order(behind)
    assert order is not None  # requirements that would close a cycle were left out
    return {addresses[number]: resources[addresses[number]] for number in order}


class _Net:
    """Operations, the values between them, and their order. Operations have the lowest numbers."""

    def __init__(self, resources: Mapping[Address, Resource], reads: ReadDependencies) -> None:
        self._operations = [*resources]
        self._numbers: dict[Hashable, int] = {}
        self._sources: list[list[int]] = []
        """By number: the sources of a value or an operation."""
        for address in self._operations:
            self._number(address)
        self._required = [
            [self._numbers[other] for other in resource.requires if other in self._numbers]
            for resource in resources.values()
        ]
        for source, reader in reads.edges:
            self._sources[self._number(reader)].append(self._number(source))
        for attribute, givers in reads.gives.items():
            if attribute in self._numbers:
                self._sources[self._numbers[attribute]] += (
                    self._numbers[giver] for giver in givers if giver in self._numbers
                )
        self._attributes = {
            self._numbers[attribute]: attribute for attribute in reads.gives if attribute in self._numbers
        }
        self.circles: list[ReadCycle] = []
        self.feedback: dict[Address, dict[Address, tuple[Address, ...]]] = {}
        """Attributes that operations both read and produce, with the operations of the cycle that produce them."""
        # Sets of operations are bit masks, numbered in the order in which operations are visited.
        self._come_to: list[int] = []
        self._rests: list[int] = []
        """The operations that a value is computed from; for an operation, itself."""
        self._reach: list[int] = []
        """By operation: all operations that run before it."""

    def _number(self, key: Hashable) -> int:
        number = self._numbers.setdefault(key, len(self._sources))
        if number == len(self._sources):
            self._sources.append([])
        return number

    def derive_requirements(self) -> dict[Address, list[Address]]:
        """Return the requirements that follow from reads and not from other requirements."""
        count = len(self._operations)
        before = [
            [*sources, *self._required[number]] if number < count else sources
            for number, sources in enumerate(self._sources)
        ]
        self._rests, self._reach = [0] * len(before), [0] * count
        added: dict[Address, list[Address]] = {}
        for group in strongly_connected(before):
            values = [number for number in group if number >= count]
            circle = frozenset(group) if len(group) > 1 else frozenset[int]()
            entering = self._collect_sources(values)  # operations of the group itself are not included yet
            givers = {source for value in values for source in self._sources[value]}
            for number in group[
                : len(group) - len(values)
            ]:  # operations come first, in an order that satisfies their requirements
                extra = self._find_new_requirements(number, circle, entering)
                if extra:
                    added[self._operations[number]] = extra
                if number in givers:  # later readers of the group wait for it
                    entering |= self._rests[number]
                if not circle.isdisjoint(self._sources[number]):
                    self._note(number, group)
            if circle:
                self._note_feedback(values, circle)
            gathered = self._collect_sources(values)
            for number in values:
                self._rests[number] = gathered
        return added

    def _collect_sources(self, values: Iterable[int]) -> int:
        gathered = 0
        for value in values:
            for source in self._sources[value]:
                gathered |= self._rests[source]
        return gathered

    def _find_new_requirements(self, number: int, circle: frozenset[int], entering: int) -> list[Address]:
        """Return the requirements to add for an operation.

        Takes the latest operation that it waits for, then the latest of those that this one does not wait
        for, and so on. That is a minimal set: an operation that is reachable from a later one is never added.
        """
        reached = waits = 0
        for other in self._required[number]:
            reached |= self._reach[other] | self._rests[other]
        for source in self._sources[number]:
            waits |= entering if source in circle else self._rests[source]
        extra: list[Address] = []
        waits &= ~reached
        while waits:
            latest = self._come_to[waits.bit_length() - 1]
            extra.append(self._operations[latest])
            reached |= self._reach[latest] | self._rests[latest]
            waits &= ~reached
        self._reach[number], self._rests[number] = reached, 1 << len(self._come_to)
        self._come_to.append(number)
        return extra

    def _note_feedback(self, values: Iterable[int], circle: frozenset[int]) -> None:
        for value in values:
            attribute = self._attributes.get(value)
            if attribute is None:
                continue
            givers = [
                self._operations[source]
                for source in dict.fromkeys(self._sources[value])
                if source in circle and source < len(self._operations)
            ]
            for giver in givers:
                self.feedback.setdefault(giver, {})[Address.parse(attribute)] = tuple(givers)

    def _note(self, number: int, group: list[int]) -> None:
        """Record the cycle of an operation.

        An operation that reads only its own earlier output is not a cycle: it reads the previous value.
        """
        operations = (other for other in group if other < len(self._operations) and other != number)
        others = tuple(self._operations[other] for other in islice(operations, MOST + 1))
        if others:
            attributes = frozenset(self._attributes[value] for value in group if value in self._attributes)
            self.circles.append(ReadCycle(self._operations[number], others, attributes))
