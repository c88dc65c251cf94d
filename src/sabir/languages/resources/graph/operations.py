"""Operations of a description: what is run when one is called, computed with its arguments and what is known by then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sabir.errors import FindingError
from sabir.graph.address import Address
from sabir.graph.graph import Graph
from sabir.graph.origin import How, Origin
from sabir.graph.values import UNKNOWN, Value
from sabir.languages.resources.evaluate.values import FieldValues, Pending
from sabir.languages.resources.syntax.nodes import DescribedOperation, DescribedResource, Description
from sabir.resources.resource import Operation, Resource
from sabir.text import Place

__all__ = ["described_operations"]


def described_operations(description: Description, graph: Graph, values: FieldValues) -> Iterator[Operation]:
    """Every operation of a description; nothing is computed before one is called."""
    for described in description.operations:
        yield Operation(
            address=Address("" if described.of is None else described.of.text),
            name=described.name.text,
            arguments={
                name.text: _default(values.value(node, graph)[0]) for name, node in described.arguments
            },
            resources=_Runs(described, graph, values),
            about=described.about,
            events=tuple(event.text for event in described.events),
        )


def _default(value: Value) -> Value:
    return UNKNOWN if value is None else value


class _Runs:
    """The resources of one operation, for the arguments of a call."""

    def __init__(self, described: DescribedOperation, graph: Graph, values: FieldValues) -> None:
        self.described = described
        self.graph = graph
        self.values = values

    def __call__(self, arguments: Mapping[str, Value]) -> tuple[Resource, ...]:
        values = self.values.of_call(arguments)
        resources = tuple(self._resource(resource, values) for resource in self.described.run)
        if values.findings:
            raise FindingError(values.findings)
        return resources

    def _resource(self, resource: DescribedResource, values: FieldValues) -> Resource:
        desired: dict[str, Value] = {}
        for field, node in resource.fields:
            try:
                desired[field.text], _ = values.value(node, self.graph)
            except Pending:
                values.nothing(node)
        place = Place(values.source, resource.name.span)
        return Resource(
            address=self._address(resource.name.text),
            kind=resource.kind.text,
            desired=desired,
            target=None if resource.target is None else resource.target.text,
            requires=tuple(self._required(other.text) for other in resource.requires),
            reacts_to=tuple(self._required(other.text) for other in resource.reacts_to),
            results=self._results(resource),
            origin=Origin(place, How.LITERAL),
            timeout=resource.timeout,
            retries=resource.retries,
        )

    def _results(self, resource: DescribedResource) -> dict[str, Address]:
        """What it gives back becomes an attribute of what the operation belongs to."""
        of = self.described.of
        owner = self._address(resource.name.text) if of is None else Address(of.text)
        return {name.text: owner.of(name.text) for name in resource.results}

    def _address(self, name: str) -> Address:
        return Address(self.described.name.text, item=name)

    def _required(self, name: str) -> Address:
        ours = any(resource.name.text == name for resource in self.described.run)
        return self._address(name) if ours else Address(name)
