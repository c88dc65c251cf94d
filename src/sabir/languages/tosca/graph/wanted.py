"""What a topology asks to be done: every operation that something carries out, in the order of the profile.

An operation is a command that runs when it is new and again when its inputs change. Its opposite (`delete` of `create`) is a
command that runs when it is taken away; it is recorded before the operation begins, so that one which failed is undone, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Final

import msgspec
from msgspec.structs import replace

from sabir.errors import DeployError
from sabir.expressions.query.errors import QueryError
from sabir.graph.address import Address
from sabir.graph.origin import How, Origin
from sabir.graph.values import UNKNOWN, Sensitive, Unknown, Value, reveal_all
from sabir.languages.tosca.evaluate.artifacts import FileArtifact
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.evaluate.parts import RelationshipInstance
from sabir.languages.tosca.evaluate.request import observed_by_instance
from sabir.languages.tosca.graph.origins import ids_of_requirements
from sabir.languages.tosca.graph.plain import plain_value
from sabir.languages.tosca.graph.programs import INPUTS, is_variable, words
from sabir.languages.tosca.model.behaviour import Interface, Operation, interfaces_of
from sabir.languages.tosca.model.lifecycle import (
    CHANGED,
    CONFIGURE,
    LINKED,
    OPPOSITES,
    STAGES,
    STANDARD,
    required_first,
)
from sabir.languages.tosca.syntax.nodes import Implementation, Kind
from sabir.resources.resource import Lifecycle, Resource, Wanted

__all__ = ["wanted_operations"]

_COMPUTE: Final = "tosca.nodes.Compute"
_ORCHESTRATOR: Final = "ORCHESTRATOR"
_HERE: Final = frozenset({"", "localhost", "127.0.0.1", "::1"})
_OWN_WORKFLOWS: Final = ("deploy", "undeploy")

Subject = NodeInstance | RelationshipInstance


def wanted_operations(ensemble: Ensemble) -> Wanted:
    """Operations as resources. What cannot be carried out yet is refused before anything runs."""
    _refuse_unsupported(ensemble)
    resources: dict[Address, Resource] = {}
    for resource in _Lifecycles(ensemble).resources():
        resources[resource.address] = resource
    return Wanted(resources=tuple(resources.values()))


def _refuse_unsupported(ensemble: Ensemble) -> None:
    for name in _OWN_WORKFLOWS:
        if name in ensemble.model.topology.workflows:
            raise DeployError(f"the template has a workflow {name!r} of its own: workflows cannot be run yet")
    for name, node in ensemble.nodes.items():
        template = node.template
        if template.directives:
            raise DeployError(f"node {name!r} is selected or substituted: such nodes cannot be deployed yet")
        if template.count is not None or _instances(node) > 1:
            raise DeployError(f"node {name!r} has several instances: such nodes cannot be deployed yet")


def _instances(node: NodeInstance) -> int:
    scalable = node.capability("scalable")
    number = None if scalable is None else scalable.get("default_instances")
    return number if isinstance(number, int) else 1


class _Lifecycles:
    """The operations of all nodes and relationships, each with what comes before it."""

    def __init__(self, ensemble: Ensemble) -> None:
        self.ensemble = ensemble
        self.late = _Late(ensemble)
        self._interfaces: dict[str, dict[str, Operation]] = {}
        self._ends: dict[str, tuple[Address, ...]] = {}
        self._own: dict[str, tuple[Address, ...]] = {}
        """The operations of each node itself."""
        self._incoming: dict[str, list[tuple[str, RelationshipInstance]]] = {}
        self._ids = {name: ids_of_requirements(node) for name, node in ensemble.nodes.items()}
        for ids in self._ids.values():
            for relationship, id_ in ids.items():
                if relationship.link.target is not None:
                    self._incoming.setdefault(relationship.link.target, []).append((id_, relationship))

    def resources(self) -> Iterator[Resource]:
        for name in required_first(self.ensemble.model.links):
            yield from self._of_node(name, self.ensemble.nodes[name])
        for ids in self._ids.values():
            for relationship, id_ in ids.items():
                yield from self._of_link(id_, relationship)

    def _of_node(self, name: str, node: NodeInstance) -> Iterator[Resource]:
        outgoing = [(id_, link) for link, id_ in self._ids[name].items() if link.link.target is not None]
        tail = _unique(
            address
            for _, relationship in outgoing
            for address in self._ends.get(relationship.link.target or "", ())
        )
        stages: list[tuple[list[Resource], list[Resource]]] = []
        for own, of_source, of_target in STAGES:
            mine = [*self._carried_out(name, node, own, tail)]
            linked = [
                *self._linked(outgoing, of_source, tail),
                *self._linked(self._incoming.get(name, ()), of_target, tail),
            ]
            stages.append((mine, linked))
            tail = _unique(resource.address for resource in (*mine, *linked)) or tail
        self._ends[name] = tail
        for number, (mine, linked) in enumerate(stages):
            behind = _unique(later.address for group, _ in stages[number + 1 :] for later in group)
            yield from mine
            yield from (replace(resource, unless=behind) for resource in linked)
        self._own[name] = _unique(resource.address for mine, _ in stages for resource in mine)

    def _linked(
        self,
        relationships: Iterable[tuple[str, RelationshipInstance]],
        operation: str,
        requires: tuple[Address, ...],
    ) -> Iterator[Resource]:
        for id_, relationship in relationships if operation else ():
            yield from self._carried_out(id_, relationship, operation, requires)

    def _of_link(self, id_: str, relationship: RelationshipInstance) -> Iterator[Resource]:
        target = relationship.link.target
        if target is None:
            return
        ends = _unique((*self._ends[relationship.source.name], *self._ends[target]))
        linked = [
            resource
            for operation in LINKED
            for resource in self._carried_out(id_, relationship, operation, ends)
        ]
        yield from linked
        established = _unique((*ends, *(resource.address for resource in linked)))
        for resource in self._carried_out(id_, relationship, CHANGED, ends):
            yield replace(resource, reacts_to=self._own[target], established=established)

    def _carried_out(
        self, id_: str, subject: Subject, name: str, requires: tuple[Address, ...]
    ) -> Iterator[Resource]:
        """The opposite of an operation, and behind it the operation: those of them that have an implementation."""
        operations = self._operations(id_, subject)
        for wanted, undoes in ((OPPOSITES.get(name, ""), True), (name, False)):
            operation = operations.get(wanted)
            if operation is None:
                continue
            title = f"{name}.undone-by-{wanted}" if undoes else name
            resource = self.late.resource(id_, subject, operation, title, undoes=undoes)
            yield replace(resource, requires=requires)
            requires = (*requires, resource.address)

    def _operations(self, id_: str, subject: Subject) -> Mapping[str, Operation]:
        """By name, those of the interfaces that deployments know."""
        if id_ not in self._interfaces:
            self._interfaces[id_] = {
                name: operation
                for interface in _interfaces(subject).values()
                if self._is_lifecycle(interface)
                for name, operation in interface.operations.items()
                if operation.implementation is not None and not operation.implementation.origin.shipped
            }
        return self._interfaces[id_]

    def _is_lifecycle(self, interface: Interface) -> bool:
        types = self.ensemble.model.types
        return interface.name in ("Standard", "Configure") or any(
            interface.type is not None and types.is_a(Kind.INTERFACE, interface.type, known)
            for known in (STANDARD, CONFIGURE)
        )


def _interfaces(subject: Subject) -> dict[str, Interface]:
    types = subject.ensemble.model.types
    if isinstance(subject, NodeInstance):
        return interfaces_of(types, subject.flat, subject.template.interfaces)
    template = subject.link.relationship
    return interfaces_of(types, subject.flat, {} if template is None else template.interfaces)


class _Late:
    """Operations as commands, whose inputs are computed when they are about to run."""

    def __init__(self, ensemble: Ensemble) -> None:
        self._ensemble = ensemble
        self._seen: tuple[dict[str, Value], Ensemble] | None = None

    def resource(
        self, id_: str, subject: Subject, operation: Operation, title: str, *, undoes: bool
    ) -> Resource:
        implementation = operation.implementation
        assert implementation is not None
        address = _below(id_, f"interfaces.{operation.interface}.{title}")
        host = _host(subject, operation.name, implementation)
        variables = _surroundings(subject, operation, host)
        fixed = self._fixed(subject, operation, variables, undoes=undoes)
        timeout = implementation.timeout.data if implementation.timeout is not None else None
        return Resource(
            address=address,
            kind="command",
            desired={},
            target=_target(subject.ensemble, host),
            lane=None if host is None else f"host {host}",
            results={
                name: _attribute(subject, output.target)
                for name, output in operation.outputs.items()
                if len(output.target) > 1
            },
            late=partial(self._desired, _key(subject), operation, fixed),
            origin=Origin(operation.definition.place, How.LITERAL),
            lifecycle=Lifecycle() if undoes else Lifecycle(ignore_changes=("run", "directory", "outputs")),
            timeout=float(timeout) if isinstance(timeout, int | float) else None,
        )

    def _fixed(
        self, subject: Subject, operation: Operation, variables: Mapping[str, str], *, undoes: bool
    ) -> dict[str, Value]:
        """What does not count as a change of the operation: the program and what it is told of where it runs."""
        assert operation.implementation is not None
        file, type_ = _program(subject, operation.implementation)
        command = words(file, type_, inputs=operation.inputs, outputs=operation.outputs, variables=variables)
        fields: dict[str, Value] = {"undo" if undoes else "run": list(command)}
        directory = subject.ensemble.model.topology.origin.directory
        if directory is not None:
            fields["directory"] = str(directory)
        if operation.outputs and not undoes:
            fields["outputs"] = [*operation.outputs]
        return fields

    def _desired(
        self,
        key: tuple[str, int | None],
        operation: Operation,
        fixed: Mapping[str, Value],
        observed: Mapping[str, Value],
    ) -> dict[str, Value]:
        inputs = self._inputs(self._subject(key, observed), operation)
        if "undo" in fixed:  # what is not known when it is recorded is not set
            inputs = {name: value for name, value in inputs.items() if not isinstance(value, Unknown)}
        variables = {name: value for name, value in inputs.items() if value is not None and is_variable(name)}
        return {**fixed, "environment": {**variables, INPUTS: _as_text(inputs)}}

    def _subject(self, key: tuple[str, int | None], observed: Mapping[str, Value]) -> Subject:
        """The subject in an ensemble that has seen this."""
        if self._seen is None or self._seen[0] != observed:
            request = replace(self._ensemble.request, observed=observed_by_instance(observed))
            self._seen = (dict(observed), Ensemble(self._ensemble.model, request))
        node = self._seen[1].nodes[key[0]]
        return node if key[1] is None else node.requirements[key[1]]

    @staticmethod
    def _inputs(subject: Subject, operation: Operation) -> dict[str, Value]:
        values: dict[str, Value] = {}
        for name, parameter in operation.inputs.items():
            assigned = subject.ensemble.default(parameter)
            if assigned is None:
                continue
            try:
                values[name] = plain_value(assigned.value(subject))
            except QueryError:
                values[name] = UNKNOWN
        return values


def _as_text(inputs: Mapping[str, Value]) -> Value:
    """All inputs as one JSON object, secret when one of them is."""
    if any(isinstance(value, Unknown) for value in inputs.values()):
        return UNKNOWN
    plain = reveal_all(dict(inputs))
    text = msgspec.json.encode(plain).decode("utf-8")
    return text if plain == dict(inputs) else Sensitive(text)


def _key(subject: Subject) -> tuple[str, int | None]:
    if isinstance(subject, NodeInstance):
        return subject.name, None
    return subject.source.name, list(subject.source.requirements).index(subject)


def _below(id_: str, name: str) -> Address:
    address = Address.parse(id_)
    return address._replace(instance=f"{address.instance}.{name}")


def _unique(addresses: Iterable[Address]) -> tuple[Address, ...]:
    return tuple(dict.fromkeys(addresses))


def _program(subject: Subject, implementation: Implementation) -> tuple[str, str | None]:
    """The file of an implementation and the type of its artifact: written in place, an artifact of the node, or a file."""
    artifact = implementation.artifact
    node = subject if isinstance(subject, NodeInstance) else subject.source
    if artifact is None:
        flat = node.flat
        artifact = {**(flat.artifacts if flat else {}), **node.template.artifacts}.get(implementation.name)
    if artifact is not None:
        return FileArtifact(artifact, node.ensemble).location or implementation.name, artifact.type
    directory = implementation.origin.directory
    name = implementation.name
    return (name if directory is None else str(directory / name)), None


def _host(subject: Subject, operation: str, implementation: Implementation) -> str | None:
    """The Compute that an operation runs on; None: where sabir runs."""
    if implementation.operation_host == _ORCHESTRATOR:
        return None
    node: NodeInstance | None
    if isinstance(subject, NodeInstance):
        node = subject
    else:
        wanted = implementation.operation_host
        at_target = operation in ("add_source", "remove_source") or operation.endswith("configure_target")
        node = subject.target if wanted == "TARGET" or (wanted != "SOURCE" and at_target) else subject.source
    hosts = subject.ensemble.model.hosts
    types = subject.ensemble.model.types
    while node is not None and not types.is_a(Kind.NODE, node.type, _COMPUTE):
        node = subject.ensemble.nodes.get(hosts.get(node.name, ""))
    return None if node is None else node.name


def _target(ensemble: Ensemble, host: str | None) -> str | None:
    """A Compute with an address of another machine is a target by the name of the node."""
    if host is None:
        return None
    template = ensemble.nodes[host].template
    addresses = {**template.properties, **template.attributes}
    written = [addresses[key].data for key in ("public_address", "private_address") if key in addresses]
    return None if all(not isinstance(text, str) or text in _HERE for text in written) else host


def _attribute(subject: Subject, target: tuple[str, ...]) -> Address:
    """The attribute that an output goes to."""
    first, *path, attribute = target
    node: NodeInstance | None
    if isinstance(subject, NodeInstance):
        node = subject if first == "SELF" else subject.ensemble.nodes.get(first)
    else:
        node = subject.target if first == "TARGET" else subject.source
    name = first if node is None else node.name
    return Address(".capabilities.".join([name, *path[:1]])).of(attribute)


def _surroundings(subject: Subject, operation: Operation, host: str | None) -> dict[str, str]:
    node = subject if isinstance(subject, NodeInstance) else subject.source
    variables = {
        "SABIR_NODE": node.name,
        "SABIR_INSTANCE": node.name,
        "SABIR_INTERFACE": operation.interface,
        "SABIR_OPERATION": operation.name,
        "SABIR_HOST": host or _ORCHESTRATOR,
    }
    if isinstance(subject, RelationshipInstance):
        target = subject.link.target or ""
        sources = [other.name for other in node.ensemble.nodes.values() if _leads(other, subject, target)]
        targets = [link.link.target for link in node.requirements if link.name == subject.name]
        variables |= {"SOURCE": node.name, "TARGET": target}
        variables |= {"SOURCES": ",".join(sources), "TARGETS": ",".join(name for name in targets if name)}
    return variables


def _leads(node: NodeInstance, like: RelationshipInstance, target: str) -> bool:
    return any(link.name == like.name and link.link.target == target for link in node.requirements)
