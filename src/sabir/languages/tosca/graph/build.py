"""The instance graph of an ensemble.

Contains nodes, capabilities, relationships, artifacts and the substitution mapping. The kind of an edge
follows from the normative type that the relationship type derives from. Values that cannot be computed become
unknown values with one finding each, so that one mistake does not cost the whole graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.functions.folders import NO_TASK
from sabir.expressions.query.graphs import plain_instances
from sabir.expressions.query.values import MISSING, NodeState
from sabir.graph.address import escape_name
from sabir.graph.edges import EdgeKind, EdgeKinds, edge_kinds
from sabir.graph.graph import Graph, Instance
from sabir.graph.origin import AttributeRead, How, Origin
from sabir.graph.record import Record
from sabir.graph.values import UNKNOWN, Unknown, Value, reveal_value
from sabir.interpreter import collector_paused
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.entities import REFLECTED
from sabir.languages.tosca.evaluate.groups import NodeCollection, PolicyInstance, groups_of, policies_of
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.evaluate.parts import CapabilityInstance, RelationshipInstance
from sabir.languages.tosca.graph.addresses import id_of, ids_of_requirements
from sabir.languages.tosca.graph.operations import operations_of
from sabir.languages.tosca.graph.origins import Live, ToscaOrigins, literal_value, plain_value
from sabir.languages.tosca.graph.workflows import triggers_of, workflows_of
from sabir.languages.tosca.model.requirements import HOSTED_ON
from sabir.languages.tosca.model.types import TypeTable
from sabir.languages.tosca.syntax.nodes import ArtifactDefinition, MappedEntry
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.provenance import ReadTracker, Sources

_BASES: Final = {
    HOSTED_ON: EdgeKind.HOSTED_ON,
    "tosca.relationships.AttachesTo": EdgeKind.ATTACHES_TO,
    "tosca.relationships.ConnectsTo": EdgeKind.CONNECTS_TO,
    "tosca.relationships.DependsOn": EdgeKind.DEPENDS_ON,
}


class RelationshipKinds:
    """Edge kinds by relationship type, computed once per type."""

    def __init__(self, types: TypeTable) -> None:
        self.types = types
        self._kinds: dict[str, EdgeKind] = {}

    def of_type(self, name: str) -> EdgeKind:
        kind = self._kinds.get(name)
        if kind is None:
            bases = (base for base in _BASES if self.types.is_a(TypeKind.RELATIONSHIP, name, base))
            base = next(bases, None)
            kind = self._kinds[name] = EdgeKind.REQUIREMENT if base is None else _BASES[base]
        return kind

    def of_requirement(self, relationship: RelationshipInstance) -> EdgeKinds:
        """Return the edges of a requirement: to the node that owns it and to its target."""
        link = relationship.link
        target = () if relationship.target is None else (("target", self.of_type(link.relationship_type)),)
        return edge_kinds(EdgeKind.REQUIREMENT_OF, target)

    def of_node(self, node: NodeInstance, *, is_hosted: bool) -> EdgeKinds:
        relations: dict[str, EdgeKind] = {}
        for relationship in node.requirements:
            link = relationship.link
            if relationship.target is None:
                continue
            kind = self.of_type(link.relationship_type)
            # Requirements of one name may have relationships of several types.
            if relations.setdefault(link.name, kind) is not kind:
                relations[link.name] = EdgeKind.REQUIREMENT
        owner = EdgeKind.HOSTED_ON if is_hosted else EdgeKind.PART_OF
        return edge_kinds(owner, tuple(relations.items()))


_SECTION = "substitution_mappings"


def mapping_of(ensemble: Ensemble) -> Iterator[Instance]:
    """Return the substitution mapping of a topology as an instance; nothing if it has none.

    Its attributes hold the mapped names by section, its relations the inner nodes that they lead to.
    """
    mapping = ensemble.model.topology.substitution
    if mapping is None:
        return
    sections: dict[str, dict[str, Value]] = {}
    relations: dict[str, dict[str, None]] = {}
    origins: dict[str, Origin] = {}
    for entry in mapping.entries:
        sections.setdefault(entry.section, {})[".".join((*entry.part, entry.name))] = _stands_for(entry)
        origins.setdefault(entry.section, Origin(entry.place, How.LITERAL))
        for target in entry.targets:
            nodes = relations.setdefault(entry.section, {})
            nodes.update((id_of(node), None) for node in ensemble.instances(target[0]))
    outer = ensemble.outer
    owner = None if outer is None else outer.node
    yield Instance(
        id=escape_name(_SECTION if owner is None else f"{owner.key}.{_SECTION}"),
        type=mapping.name,
        language="tosca",
        name=_SECTION,
        owner=None if owner is None else id_of(owner),
        attributes=Record.of(dict(sections)),
        relations=Record.of({f"{section}_of": tuple(nodes) for section, nodes in relations.items() if nodes}),
        origin=Origin(mapping.place, How.LITERAL),
        origins=Record.of(origins),
    )


def _stands_for(entry: MappedEntry) -> Value:
    """Return the path to the mapped entry, or the value that is given instead."""
    if entry.value is not None:
        return literal_value(entry.value.data)
    targets: list[Value] = [list(target) for target in entry.targets]
    return targets[0] if len(targets) == 1 else targets


_IN_A_JOB: Final = Unknown(why="it names a folder of the operation that reads it")


class GraphBuildResult(Struct, frozen=True, kw_only=True, eq=False):
    """The graph as far as values could be computed, and a finding for each that could not."""

    graph: Graph
    findings: Sequence[Finding]
    live: Mapping[str, Live]
    """By graph id: the node, capability or relationship that the instance was built from."""
    plain: Sequence[Instance]
    """Instances of the graph that are not part of a node."""


def build_graph(ensemble: Ensemble, *, full_provenance: bool = False) -> GraphBuildResult:
    """Build the graph of an ensemble.

    With `full_provenance` the origins of values include everything that they were computed from, which costs
    time and memory.
    """
    builder = _Builder(ensemble, full_provenance)
    with collector_paused():
        instances = [*_deduplicate_ids(builder.instances())]
        outputs = builder.outputs()
    graph = Graph(instances, outputs=outputs, output_origins=builder.output_origins)
    return GraphBuildResult(
        graph=graph, findings=builder.findings, live=builder.live, plain=plain_instances(graph)
    )


class _Builder:
    def __init__(self, ensemble: Ensemble, full: bool) -> None:  # noqa: FBT001
        self.ensemble = ensemble
        self.full = full
        self.origins = ToscaOrigins(ensemble, full=full)
        self.kinds = RelationshipKinds(ensemble.model.types)
        self.findings: list[Finding] = []
        self.output_origins: dict[str, Origin] = {}
        self.live: dict[str, Live] = {}
        self._failed: set[tuple[str, str, str]] = set()
        self.computing = ensemble.session.computing = ReadTracker() if full else None

    def instances(self) -> Iterator[Instance]:
        for node in self.ensemble.nodes.values():
            id_ = id_of(node)
            yield self._node(id_, node)
            for capability in node.capabilities:
                if isinstance(capability, CapabilityInstance):
                    yield self._capability(capability, id_)
            ids = ids_of_requirements(node)
            for relationship, relationship_id in ids.items():
                yield self._relationship(relationship, relationship_id, id_)
            for artifact in node.artifact_definitions.values():
                yield self._artifact(node, artifact, id_)
            yield from operations_of(node, id_, id_, self._evaluate)
            for relationship, relationship_id in ids.items():
                yield from operations_of(relationship, relationship_id, id_, self._evaluate)
            if node.substitution is not None:
                yield from self._inside(node.substitution.ensemble)
        yield from self._beside()

    def _beside(self) -> Iterator[Instance]:
        """Return groups, policies, workflows and the substitution mapping."""
        for gathering in (*groups_of(self.ensemble), *policies_of(self.ensemble)):
            yield self._build_collection(gathering)
            if isinstance(gathering, PolicyInstance):
                yield from triggers_of(gathering, self._evaluate)
        yield from workflows_of(self.ensemble, self._evaluate)
        yield from mapping_of(self.ensemble)

    def _inside(self, ensemble: Ensemble) -> Iterator[Instance]:
        """Return the instances of the topology that substitutes a node."""
        builder = _Builder(ensemble, self.full)
        builder.live = self.live
        yield from builder.instances()
        for finding in builder.findings:
            self._note(finding)

    def _node(self, id_: str, node: NodeInstance) -> Instance:
        self.live.setdefault(id_, node)
        attributes, origins = self._attributes(node)
        relations: dict[str, list[str]] = {}
        for relationship in node.requirements:
            target = relationship.target
            if target is not None:
                relations.setdefault(relationship.name, []).append(id_of(target))
        host = node.parent if isinstance(node.parent, NodeInstance) else None
        outer = self.ensemble.outer
        for relationship in node.requirements:
            if relationship.name in relations:
                origins[relationship.name] = Origin(relationship.link.assignment.place, How.RELATION)
        is_known = self.ensemble.request.lifetimes is not None or node.name in self.ensemble.request.live
        if is_known and node.state is not None:
            attributes["state"] = _state_of(node, node.state)
            origins["state"] = Origin(node.template.place, How.ASSIGNMENT, note="recorded")
        owner = host if host is not None else None if outer is None else outer.node
        return Instance(
            id=id_,
            type=node.type,
            language="tosca",
            name=node.name,
            owner=None if owner is None else id_of(owner),
            attributes=Record.of(attributes),
            relations=Record.of({key: tuple(ids) for key, ids in relations.items()}),
            requires=tuple(dict.fromkeys(id_ for ids in relations.values() for id_ in ids)),
            status=node.status.name if is_known else None,
            origin=Origin(node.template.place, How.LITERAL),
            origins=Record.of(origins),
            kinds=self.kinds.of_node(node, is_hosted=host is not None),
        )

    def _build_collection(self, gathering: NodeCollection) -> Instance:
        attributes, origins = self._attributes(gathering)
        outer = self.ensemble.outer
        named = tuple(dict.fromkeys(map(id_of, gathering.named)))
        place = gathering.template.place
        if named:
            origins[gathering.relation] = Origin(place, How.RELATION)
        return Instance(
            id=id_of(gathering),
            type=gathering.type,
            language="tosca",
            name=gathering.name,
            owner=None if outer is None else id_of(outer.node),
            attributes=Record.of(attributes),
            relations=Record.of({gathering.relation: named} if named else {}),
            origin=Origin(place, How.LITERAL),
            origins=Record.of(origins),
        )

    def _capability(self, capability: CapabilityInstance, owner: str) -> Instance:
        origin = Origin(capability.node.template.place, How.LITERAL)
        return self._part(capability, id_of(capability), owner, origin, edge_kinds(EdgeKind.CAPABILITY_OF))

    def _relationship(self, relationship: RelationshipInstance, id_: str, owner: str) -> Instance:
        link = relationship.link
        origin, kinds = Origin(link.assignment.place, How.RELATION), self.kinds.of_requirement(relationship)
        return self._part(relationship, id_, owner, origin, kinds, target=relationship.target)

    def _part(
        self,
        live: Live,
        id_: str,
        owner: str,
        origin: Origin,
        kinds: EdgeKinds,
        *,
        target: NodeInstance | None = None,
    ) -> Instance:
        """Build a capability or requirement: a part of a node with attributes of its own."""
        self.live.setdefault(id_, live)
        attributes, origins = self._attributes(live)
        targets = () if target is None else (id_of(target),)
        return Instance(
            id=id_,
            type=live.type,
            language="tosca",
            name=live.name,
            owner=owner,
            attributes=Record.of(attributes),
            relations=Record.of({"target": targets} if targets else {}),
            requires=targets,
            origin=origin,
            origins=Record.of(origins),
            kinds=kinds,
        )

    def _artifact(self, node: NodeInstance, artifact: ArtifactDefinition, owner: str) -> Instance:
        keys = {key: literal_value(value) for key, value in artifact.keys.items() if key != "type"}
        return Instance(
            id=escape_name(f"{node.key}.artifacts.{artifact.name}"),
            type=artifact.type or "tosca.artifacts.Root",
            language="tosca",
            name=artifact.name,
            owner=owner,
            attributes=Record.of({"file": artifact.file, **keys} if artifact.file else keys),
            origin=Origin(artifact.whole_place, How.LITERAL),
            kinds=edge_kinds(EdgeKind.ARTIFACT_OF),
        )

    # Values

    def _attributes(self, live: Live) -> tuple[dict[str, Value], dict[str, Origin]]:
        attributes: dict[str, Value] = {}
        origins: dict[str, Origin] = {}
        for key in live.keys():  # noqa: SIM118  # a resource is no mapping
            if key in REFLECTED:  # fields of the graph instance itself
                continue
            value = self._value(live, key)
            if value is MISSING:
                continue
            definition = live.definition(key)
            is_attribute = definition is not None and definition.is_attribute
            # An attribute without a value is known once the node runs.
            if isinstance(value, Unknown) or (value is None and is_attribute):
                value = self._build_unknown(live, key, value)
            attributes[key] = value
            origin = self.origins.of_value(live, key)
            if origin is not None:
                origins[key] = origin
        return attributes, origins

    def _build_unknown(self, live: Live, key: str, value: Any) -> Unknown:
        if isinstance(value, Unknown) and value.of is not None:
            return value
        why = "it is known once the node runs" if value is None else value.why or "it could not be computed"
        return Unknown(of=f"{id_of(live)}|{escape_name(key)}", why=why)

    def _value(self, live: Live, key: str) -> Any:
        try:
            value = live.get(key)
            return value if value is MISSING else plain_value(value)
        except QueryError as error:
            if error.finding.code == NO_TASK.code:
                return _IN_A_JOB
            self._note(error.finding)
            return UNKNOWN
        except RecursionError:
            return UNKNOWN

    def _evaluate(self, compute: Callable[[], Any]) -> tuple[Value, tuple[Origin | AttributeRead, ...]]:
        """Return a value that is not an attribute of an instance, and what it was read from."""
        value, reads = self._read_by(compute)
        return value, self.origins.sources(reads)

    def _read_by(self, compute: Callable[[], Any]) -> tuple[Value, Sources]:
        computing = self.computing
        before = [] if computing is None else computing.open()
        try:
            value = plain_value(compute())
        except QueryError as error:
            self._note(error.finding)
            value = UNKNOWN
        return value, () if computing is None else computing.close(before)

    def _note(self, finding: Finding) -> None:
        key = (finding.code, str(finding.location), finding.message)
        if key not in self._failed:
            self._failed.add(key)
            self.findings.append(finding)

    def outputs(self) -> dict[str, Value]:
        outputs: dict[str, Value] = {}
        values = self.ensemble.root.get("outputs")
        for name, output in self.ensemble.model.topology.outputs.items():
            outputs[name], reads = self._read_by(partial(values.__getitem__, name))
            origin = self.origins.of_output(output, reads)
            if origin is not None:
                self.output_origins[name] = origin
        return outputs


def _state_of(node: NodeInstance, state: NodeState) -> str:
    """Return the state of a node; one that a workflow set wins, unless an operation failed."""
    told = reveal_value(node.live("state"))
    return told if isinstance(told, str) and state is not NodeState.error else state.name


def _deduplicate_ids(instances: Iterable[Instance]) -> Iterator[Instance]:
    """Append a number to ids that occur again.

    A name may contain dots and thus equal the id of a part of another node.
    """
    numbers: dict[str, int] = {}
    for instance in instances:
        number = numbers[instance.id] = numbers.get(instance.id, 0) + 1
        yield instance if number == 1 else replace(instance, id=f"{instance.id}#{number}")
