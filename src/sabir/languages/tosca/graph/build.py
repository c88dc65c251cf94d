"""Nodes, capabilities, relationships and artifacts as instances of the graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from enum import Enum
from typing import Any, Final

from sabir.diagnostics.finding import Finding
from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.live import Assigned
from sabir.expressions.query.resource import Artifact, Resource
from sabir.expressions.query.session import Read
from sabir.expressions.query.values import MISSING, External
from sabir.graph.graph import Graph
from sabir.graph.instance import Instance
from sabir.graph.origin import AttributeRead, How, Origin
from sabir.graph.record import Record
from sabir.graph.values import UNKNOWN, Ref, Sensitive, Unknown, Value
from sabir.languages.tosca.check.values import holds_expression
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.instances import CapabilityInstance, NodeInstance, RelationshipInstance
from sabir.languages.tosca.syntax.nodes import ArtifactDefinition
from sabir.source.collector import collector_paused

__all__ = ["build_graph"]

_SCALARS: Final = (str, int, float, bool, bytes, type(None))
# They say again what the instance is; the graph has them elsewhere.
_REFLECTED: Final = frozenset({"tosca_id", "tosca_name", "state"})
_Live = NodeInstance | CapabilityInstance | RelationshipInstance


def build_graph(ensemble: Ensemble, *, full_provenance: bool = False) -> tuple[Graph, list[Finding]]:
    """The graph as far as values could be computed, and a finding for each that could not."""
    builder = _Builder(ensemble, full_provenance)
    if full_provenance:
        ensemble.session.reads = []
    with collector_paused():
        instances = list(builder.instances())
        outputs = builder.outputs()
    return Graph(instances, outputs=outputs, output_origins=builder.output_origins), builder.findings


class _Builder:
    def __init__(self, ensemble: Ensemble, full: bool) -> None:  # noqa: FBT001
        self.ensemble = ensemble
        self.full = full
        self.findings: list[Finding] = []
        self.output_origins: dict[str, Origin] = {}
        self._failed: set[tuple[str, str, str]] = set()

    def instances(self) -> Iterator[Instance]:
        for name, node in self.ensemble.nodes.items():
            yield self._node(name, node)
            for capability in node.capabilities:
                if isinstance(capability, CapabilityInstance):
                    yield self._part(capability, f"{name}.capabilities.{capability.name}", name)
            seen: dict[str, int] = {}
            for relationship in node.requirements:
                seen[relationship.name] = count = seen.get(relationship.name, 0) + 1
                suffix = "" if count == 1 else f".{count}"
                yield self._relationship(
                    relationship, f"{name}.requirements.{relationship.name}{suffix}", name
                )
            flat = node.flat
            for artifact in {**(flat.artifacts if flat else {}), **node.template.artifacts}.values():
                yield self._artifact(node, artifact)

    def _node(self, name: str, node: NodeInstance) -> Instance:
        attributes, origins = self._attributes(node)
        relations: dict[str, list[str]] = {}
        for one in node.requirements:
            if one.link.target is not None:
                relations.setdefault(one.name, []).append(one.link.target)
        host = self.ensemble.model.hosts.get(name)
        for one in node.requirements:
            if one.name in relations:
                origins[one.name] = Origin(one.link.assignment.place, How.RELATION)
        live = self.ensemble.request.live.get(name)
        return Instance(
            id=name,
            type=node.type,
            language="tosca",
            name=name,
            owner=host,
            attributes=Record.of(attributes),
            relations=Record.of({key: tuple(ids) for key, ids in relations.items()}),
            requires=tuple(dict.fromkeys(id_ for ids in relations.values() for id_ in ids)),
            status=live.status.name if live is not None else None,
            origin=Origin(node.template.place, How.LITERAL),
            origins=Record.of(origins),
        )

    def _part(self, one: _Live, id_: str, owner: str) -> Instance:
        attributes, origins = self._attributes(one)
        template = self.ensemble.nodes[owner].template
        return Instance(
            id=id_,
            type=one.type,
            language="tosca",
            name=one.name,
            owner=owner,
            attributes=Record.of(attributes),
            origin=Origin(template.place, How.LITERAL),
            origins=Record.of(origins),
        )

    def _relationship(self, one: RelationshipInstance, id_: str, owner: str) -> Instance:
        attributes, origins = self._attributes(one)
        target = one.link.target
        return Instance(
            id=id_,
            type=one.type,
            language="tosca",
            name=one.name,
            owner=owner,
            attributes=Record.of(attributes),
            relations=Record.of({} if target is None else {"target": (target,)}),
            requires=() if target is None else (target,),
            origin=Origin(one.link.assignment.place, How.RELATION),
            origins=Record.of(origins),
        )

    def _artifact(self, node: NodeInstance, artifact: ArtifactDefinition) -> Instance:
        known = {key: _plain(value) for key, value in artifact.keys.items() if key != "type"}
        return Instance(
            id=f"{node.name}.artifacts.{artifact.name}",
            type=artifact.type or "tosca.artifacts.Root",
            language="tosca",
            name=artifact.name,
            owner=node.name,
            attributes=Record.of({"file": artifact.file, **known} if artifact.file else known),
            origin=Origin(artifact.place, How.LITERAL),
        )

    # Values

    def _attributes(self, one: _Live) -> tuple[dict[str, Value], dict[str, Origin]]:
        attributes: dict[str, Value] = {}
        origins: dict[str, Origin] = {}
        for key in one.keys():  # noqa: SIM118  # a resource is no mapping
            if key in _REFLECTED:
                continue
            value = self._value(one, key)
            if value is MISSING:
                continue
            definition = one.definition(key)
            is_attribute = definition is not None and definition.is_attribute
            # An attribute without a value is known once the node runs.
            attributes[key] = UNKNOWN if value is None and is_attribute else value
            origin = self._origin(one, key)
            if origin is not None:
                origins[key] = origin
        return attributes, origins

    def _value(self, one: _Live, key: str) -> Any:
        try:
            value = one.get(key)
            return value if value is MISSING else self._plain_value(value)
        except QueryError as error:
            self._note(error)
            return UNKNOWN
        except RecursionError:
            return UNKNOWN

    def _note(self, error: QueryError) -> None:
        finding = error.finding
        key = (finding.code, str(finding.location), finding.message)
        if key not in self._failed:
            self._failed.add(key)
            self.findings.append(finding)

    def _plain_value(self, value: Any) -> Value:
        if type(value) in _SCALARS or isinstance(value, date | Unknown):
            return value  # type: ignore[no-any-return]
        if isinstance(value, Sensitive):
            return Sensitive(self._plain_value(value.value))
        if isinstance(value, Enum):
            return value.name
        if isinstance(value, Resource):
            return Ref(_id_of(value))
        if isinstance(value, Artifact):
            return value.location
        if isinstance(value, External):
            return self._plain_value(value.result())
        if isinstance(value, Mapping):
            return {str(key): self._plain_value(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._plain_value(item) for item in value]
        return str(value)

    def outputs(self) -> dict[str, Value]:
        found: dict[str, Value] = {}
        values = self.ensemble.root.get("outputs")
        session = self.ensemble.session
        for name, output in self.ensemble.model.topology.outputs.items():
            if self.full:
                session.reads = []
            try:
                found[name] = self._plain_value(values[name])
            except QueryError as error:
                self._note(error)
                found[name] = UNKNOWN
            written = output.value
            if written is not None:
                how = How.EXPRESSION if holds_expression(written.data) else How.LITERAL
                sources = tuple(self._source(read) for read in dict.fromkeys(session.reads or ()))
                self.output_origins[name] = Origin(written.place, how, sources)
        return found

    # Where values came from

    def _origin(self, one: _Live, key: str) -> Origin | None:
        if one.live(key) is not MISSING:
            place = one.template.place if isinstance(one, NodeInstance) else None
            how = (
                How.OVERRIDE if key in self.ensemble.request.overridden.get(one.name, ()) else How.ASSIGNMENT
            )
            return (
                None
                if place is None
                else Origin(place, how, note="recorded" if how is How.ASSIGNMENT else key)
            )
        described = one.described(key)
        if described is None or described.place is None:
            return None
        how = How.LITERAL if one.assigned(key) is not None else How.DEFAULT
        if not described.is_constant and how is How.LITERAL:
            how = How.EXPRESSION
        return Origin(described.place, how, self._sources(one, key, described))

    def _sources(self, one: _Live, key: str, described: Assigned) -> tuple[Origin | AttributeRead, ...]:
        if not self.full or described.is_constant:
            return ()
        reads = self.ensemble.session.computed.get((one, key), ())
        return tuple(self._source(read) for read in dict.fromkeys(reads))

    def _source(self, read: Read) -> Origin | AttributeRead:
        resource, key = read
        name = key.removeprefix("inputs::")
        definition = self.ensemble.model.topology.inputs.get(name) if name != key else None
        if definition is not None:
            given = name in self.ensemble.request.inputs
            origin = self.ensemble.request.input_origins.get(name)
            sources = () if origin is None else (origin,)
            how = How.INPUT if given else How.DEFAULT
            return Origin(definition.place, how, sources, note=f"input {name}")
        return AttributeRead(_id_of(resource), key)


def _id_of(resource: Resource) -> str:
    if isinstance(resource, CapabilityInstance):
        return f"{resource.node.name}.capabilities.{resource.name}"
    if isinstance(resource, RelationshipInstance):
        return f"{resource.source.name}.requirements.{resource.name}"
    return resource.name


def _plain(value: Any) -> Value:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value
