"""The instance graph, desired resources and operations of a resource file.

A field that is computed from others is evaluated when those are. Operations are computed when they are
called, with their arguments and what is known by then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from sabir.diagnostics.suggestions import join_names
from sabir.errors import FindingError, UsageError
from sabir.graph.address import Address
from sabir.graph.graph import Graph, Instance
from sabir.graph.origin import How, Origin
from sabir.graph.record import Record
from sabir.graph.values import UNKNOWN, Unknown, Value
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.languages.resources.syntax import (
    DescribedOperation,
    DescribedResource,
    Description,
    load_description,
)
from sabir.languages.resources.values import FieldValues, PendingValueError, holds_expression
from sabir.resources.resource import DesiredResources, Lifecycle, Operation, Resource
from sabir.source.packages import LoadedPackage
from sabir.source.yaml.nodes import YamlNode
from sabir.text import Place


def build_operations(description: Description, graph: Graph, values: FieldValues) -> Iterator[Operation]:
    """Return every operation; nothing is computed before one is called."""
    for described in description.operations:
        yield Operation(
            address=Address("" if described.of is None else described.of.text),
            name=described.name.text,
            arguments={
                name.text: _default_argument(values.value(node, graph)[0])
                for name, node in described.arguments
            },
            resources=_Runs(described, graph, values),
            about=described.about,
            events=tuple(event.text for event in described.events),
        )


def _default_argument(value: Value) -> Value:
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
            except PendingValueError:
                values.report_no_value(node)
        place = Place(values.source, resource.name.span)
        return Resource(
            address=self._address(resource.name.text),
            kind=resource.kind.text,
            desired=desired,
            target=None if resource.target is None else resource.target.text,
            requires=tuple(self._resolve_address(other.text) for other in resource.requires),
            reacts_to=tuple(self._resolve_address(other.text) for other in resource.reacts_to),
            results=self._results(resource),
            origin=Origin(place, How.LITERAL),
            timeout=resource.timeout,
            retries=resource.retries,
        )

    def _results(self, resource: DescribedResource) -> dict[str, Address]:
        """Return the outputs, which become attributes of the resource the operation belongs to."""
        of = self.described.of
        owner = self._address(resource.name.text) if of is None else Address(of.text)
        return {name.text: owner.of(name.text) for name in resource.results}

    def _address(self, name: str) -> Address:
        return Address(self.described.name.text, item=name)

    def _resolve_address(self, name: str) -> Address:
        ours = any(resource.name.text == name for resource in self.described.run)
        return self._address(name) if ours else Address(name)


_LANGUAGE: Final = "resources"


def evaluate_package(package: LoadedPackage, request: EvaluationRequest) -> Evaluation:
    description, findings = load_description(package, request.documents.get("model"))
    if description is None:
        return Evaluation(graph=Graph(()), findings=findings)
    _check_overrides(description, request)
    values = FieldValues(package, request, description.source)
    work = _Work(description, values, request)
    work.compute()
    graph = work.graph()
    return Evaluation(
        graph=graph,
        findings=(*findings, *values.findings),
        wanted=lambda: DesiredResources(
            resources=work.build_resources(), operations=tuple(build_operations(description, graph, values))
        ),
    )


def _check_overrides(description: Description, request: EvaluationRequest) -> None:
    names = {resource.name.text for resource in description.resources}
    for subject in request.overrides:
        name, _, field = subject.rpartition(".")
        if name not in names or not field:
            raise UsageError(
                f"--set {subject}: write it as RESOURCE.FIELD=VALUE; there are {join_names(sorted(names))}"
            )


class _Work:
    def __init__(self, description: Description, values: FieldValues, request: EvaluationRequest) -> None:
        self.description = description
        self.values = values
        self.request = request
        self.fields: dict[str, dict[str, Value]] = {}
        self.origins: dict[str, dict[str, Origin]] = {}

    def compute(self) -> None:
        """Plain values first; then expressions, in rounds, as long as another one gives something."""
        waiting: list[tuple[str, str, YamlNode]] = []
        for resource in self.description.resources:
            name = resource.name.text
            self.fields[name], self.origins[name] = {}, {}
            for field, node in resource.fields:
                override = self.request.overrides.get(f"{name}.{field.text}")
                if override is not None:
                    self.fields[name][field.text] = override
                    self.origins[name][field.text] = Origin(self._place(node), How.OVERRIDE)
                elif holds_expression(node):
                    waiting.append((name, field.text, node))
                else:
                    self._set(name, field.text, node, None)
        while waiting:
            graph = self.graph()
            left = [item for item in waiting if not self._set(*item, graph)]
            if len(left) == len(waiting):
                for _, _, node in left:
                    self.values.report_no_value(node)
                return
            waiting = left

    def _set(self, name: str, field: str, node: YamlNode, graph: Graph | None) -> bool:
        try:
            value, origin = self.values.value(node, graph)
        except PendingValueError:
            return False
        self.fields[name][field], self.origins[name][field] = value, origin
        return True

    def graph(self) -> Graph:
        return Graph(map(self._instance, self.description.resources))

    def _instance(self, resource: DescribedResource) -> Instance:
        name = resource.name.text
        given_back = {field.text: self._result(name, field.text) for field in resource.results}
        requires = tuple(str(Address(other.text)) for other in (*resource.requires, *resource.reacts_to))
        return Instance(
            id=str(Address(name)),
            type=resource.kind.text,
            language=_LANGUAGE,
            name=name,
            attributes=Record.of({**given_back, **self.fields[name]}),
            relations=Record.of({"requires": requires} if requires else {}),
            requires=requires,
            origin=self._origin(resource),
            origins=Record.of(self.origins[name]),
        )

    def _result(self, name: str, field: str) -> Value:
        address = str(Address(name).of(field))
        return self.request.observed.get(
            address, Unknown(of=address, why=f"it is known once {name} is deployed")
        )

    def _origin(self, resource: DescribedResource) -> Origin:
        return Origin(Place(self.description.source, resource.name.span), How.LITERAL)

    def _place(self, node: YamlNode) -> Place:
        return Place(self.description.source, node.span)

    def build_resources(self) -> tuple[Resource, ...]:
        return tuple(map(self._resource, self.description.resources))

    def _resource(self, resource: DescribedResource) -> Resource:
        name = resource.name.text
        return Resource(
            address=Address(name),
            kind=resource.kind.text,
            desired=self.fields[name],
            target=None if resource.target is None else resource.target.text,
            requires=_to_addresses(other.text for other in resource.requires),
            reacts_to=_to_addresses(other.text for other in resource.reacts_to),
            origin=self._origin(resource),
            origins=self.origins[name],
            lifecycle=Lifecycle(
                prevent_destroy=resource.prevent_destroy, ignore_changes=resource.ignore_changes
            ),
            timeout=resource.timeout,
            retries=resource.retries,
        )


def _to_addresses(names: Iterable[str]) -> tuple[Address, ...]:
    return tuple(map(Address, names))
