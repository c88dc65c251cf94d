"""A package, evaluated: read, checked, instantiated, turned into the graph.

Questions from outside, as `sabir query` asks them: the tree of the graph, whose resources know what only the template says.

The graph gives the shape (who owns whom), the values, and what deployments have seen. Types that a type derives from, planned
values, artifacts, inputs and the capability that a requirement leads to are asked of the live instance, so that a question
from outside is answered as an expression in the template is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

from sabir.diagnostics.finding import Finding, Severity
from sabir.errors import FindingError
from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.functions.registry import load_plugins
from sabir.expressions.query.graphs import GraphResource, GraphTree
from sabir.expressions.query.resource import Artifact, Resource
from sabir.expressions.query.session import Session
from sabir.expressions.query.values import NodeState
from sabir.graph.graph import Graph, Instance
from sabir.graph.values import Sensitive
from sabir.interpreter import collector_paused
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.languages.tosca.check.models import CheckedModel, CheckedModels
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.entities import REFLECTED
from sabir.languages.tosca.evaluate.evaluation import elaborated
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.evaluate.parts import CapabilityInstance, RelationshipInstance
from sabir.languages.tosca.evaluate.request import Request, request_of, with_overrides
from sabir.languages.tosca.graph.build import Built, build_graph
from sabir.languages.tosca.graph.origins import Live
from sabir.languages.tosca.syntax.documents import Loaded
from sabir.languages.tosca.syntax.imports import REMOTE_IMPORT, UNFETCHED_IMPORT
from sabir.languages.tosca.syntax.package import Reading, load_entry
from sabir.resources.resource import Wanted
from sabir.source.catalogue import Catalogue
from sabir.source.packages import LoadedPackage


def asked_resources(ensemble: Ensemble, built: Built, graph: Graph, session: Session) -> Resource:
    """The root of the tree, over the graph that was built from an ensemble, or one that was filled in since."""
    tree = _AskedTree(graph, session, built.live, built.plain if graph is built.graph else None)
    inner = ensemble.session
    session.project = inner.project
    session.externals = inner.externals
    session.input = lambda name: tree.value(inner.input(name))
    session.input_names = inner.input_names
    session.counts_from_first = inner.counts_from_first
    session.named = lambda name: tree.asked(inner.named(name))
    session.instances = lambda name: tree.asked_all(inner.instances(name))
    return tree.root


class _AskedTree(GraphTree):
    """From instances of the graph to live ones and back."""

    __slots__ = ("_ids", "live")

    def __init__(
        self, graph: Graph, session: Session, live: Mapping[str, Live], plain: Sequence[Instance] | None
    ) -> None:
        self.live = live
        self._ids: dict[Resource, str] | None = None
        super().__init__(graph, session, plain)

    def make(self, instance: Instance) -> GraphResource:
        # Of an artifact, an operation or a group the graph has all there is.
        return _KINDS.get(type(self.live.get(instance.id)), GraphResource)(instance, self)

    def asked(self, live: Resource | None) -> Resource | None:
        if live is None:
            return None
        if self._ids is None:
            self._ids = {resource: id_ for id_, resource in self.live.items()}
        id_ = self._ids.get(live)
        return None if id_ is None else self.resource(id_)

    def asked_all(self, several: Sequence[Resource]) -> Sequence[Resource]:
        return [resource for live in several if (resource := self.asked(live)) is not None]

    def value(self, value: Any) -> Any:
        """A value that an expression of the template gave: instances in it are those of the tree."""
        if isinstance(value, Resource):
            return self.asked(value)
        if isinstance(value, Sensitive):
            return Sensitive(self.value(value.value))
        if isinstance(value, Mapping):
            return {key: self.value(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        return value


class _Asked(GraphResource):
    """A node."""

    tree: _AskedTree

    @property
    def live(self) -> Live:
        return self.tree.live[self.instance.id]

    @property
    def types(self) -> Sequence[str]:
        return self.live.types

    @property
    def tosca_id(self) -> str:
        return self.live.id

    @property
    def template_name(self) -> str:
        return self.live.template_name

    @property
    def state(self) -> NodeState | None:
        return self.live.state

    @property
    def index(self) -> int:
        return self.live.index

    def elsewhere(self, key: str) -> Any:
        # What mirrors the instance itself (its id, its state) is an attribute in the template and none in the graph.
        return self.live.get(key) if key in REFLECTED else super().elsewhere(key)

    def planned(self, key: str) -> Any:
        return self._computed(key, self.live.planned)

    def available(self, key: str) -> Any:
        return self._computed(key, self.live.available)

    def _computed(self, key: str, compute: Callable[[str], Any]) -> Any:
        """What the live instance computes; one that fails was reported when the graph was built, and is unknown there."""
        try:
            return self.tree.value(compute(key))
        except QueryError:
            return self.get(key)

    def has_property(self, key: str) -> bool:
        return self.live.has_property(key)

    @property
    def relationships(self) -> Sequence[Resource]:
        return self.tree.asked_all(self.live.relationships)

    @property
    def sources(self) -> Mapping[str, Any]:
        # In the graph groups, policies and substitutions lead to nodes, too; here only requirements count.
        return {name: self.tree.value(source) for name, source in self.live.sources.items()}

    @property
    def artifacts(self) -> Mapping[str, Artifact]:
        return self.live.artifacts

    def operation_output(self, interface: str, operation: str, output: str) -> Any:
        return self.tree.value(self.live.operation_output(interface, operation, output))

    @property
    def source_directory(self) -> Path | None:
        return self.live.source_directory


class _AskedCapability(_Asked):
    kind: ClassVar[str] = "capability"


class _AskedRelationship(_Asked):
    kind: ClassVar[str] = "relationship"

    @property
    def parent(self) -> Resource | None:
        return self.tree.asked(self.live.parent)

    @property
    def target_capability(self) -> Resource | None:
        return self.tree.asked(self.live.target_capability)


_KINDS: Final[Mapping[type[Any], type[_Asked]]] = {
    NodeInstance: _Asked,
    CapabilityInstance: _AskedCapability,
    RelationshipInstance: _AskedRelationship,
}


def evaluate_package(package: LoadedPackage, request: EvaluationRequest) -> Evaluation:
    load_plugins()
    reading = Reading(request.session, Catalogue.of(request.imports, request.search_path))
    loaded = with_overrides(load_entry(package, reading), request.overrides)
    topology = loaded.topology
    if topology is None or loaded.broken:
        return Evaluation(graph=Graph(()), findings=loaded.findings)
    checked = CheckedModel.of(topology) if request.overrides else package.attached(CheckedModels).of(topology)
    ensemble, findings = _instantiated(checked, request_of(loaded, topology, request))
    built = build_graph(ensemble, full_provenance=request.full_provenance)
    errors = _errors([*loaded.findings, *findings])
    # Without an import many a value cannot be computed; the finding about the import is the one that helps.
    return Evaluation(
        graph=built.graph,
        findings=(*errors, *(built.findings if topology.complete else ())),
        resources=partial(asked_resources, ensemble, built),
        wanted=lambda: _wanted(ensemble, request),
    )


def _wanted(ensemble: Ensemble, request: EvaluationRequest) -> Wanted:
    from sabir.languages.tosca.graph.resources import wanted_operations

    return wanted_operations(ensemble, request.observed, {target.name for target in request.targets})


def instantiate(loaded: Loaded, request: Request) -> Ensemble:
    """The instances of a loaded topology without errors; FindingError with them otherwise."""
    if loaded.topology is None or loaded.broken:
        raise FindingError(loaded.findings)
    ensemble, findings = _instantiated(CheckedModel.of(loaded.topology), request)
    errors = _errors([*loaded.findings, *findings])
    if errors:
        raise FindingError(errors)
    return ensemble


def _instantiated(checked: CheckedModel, request: Request) -> tuple[Ensemble, list[Finding]]:
    with collector_paused():
        ensemble, findings = elaborated(checked.model, request)
        return ensemble, [*checked.findings, *findings]


def _errors(findings: list[Finding]) -> list[Finding]:
    """What cannot be checked without an import may be left open; what cannot be computed is an error."""
    return [
        REMOTE_IMPORT.at(finding.place, finding.message, hint=finding.hint)
        if finding.code == UNFETCHED_IMPORT.code
        else finding
        for finding in findings
        if finding.severity is Severity.ERROR or finding.code == UNFETCHED_IMPORT.code
    ]
