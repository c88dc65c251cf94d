"""Evaluation of a package, and the tree that queries of the result use.

A package is read, checked, instantiated and turned into a graph. `sabir query` works on the tree of that
graph. The graph provides the structure (which instance owns which), the values, and what deployments
observed. Inherited types, planned values, artifacts, inputs and target capabilities are asked of the live
instance, so that a query returns what the same expression in the template would.
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
from sabir.expressions.query.resource import Artifact, QueryResource
from sabir.expressions.query.session import QuerySession
from sabir.expressions.query.values import NodeState
from sabir.graph.graph import Graph, Instance
from sabir.graph.values import Sensitive
from sabir.interpreter import collector_paused
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.languages.tosca.check.models import CheckedModel, CheckedModels
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.entities import REFLECTED
from sabir.languages.tosca.evaluate.evaluation import instantiate_model
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.evaluate.parts import CapabilityInstance, RelationshipInstance
from sabir.languages.tosca.evaluate.request import Request, request_of, with_overrides
from sabir.languages.tosca.graph.build import GraphBuildResult, build_graph
from sabir.languages.tosca.graph.origins import Live
from sabir.languages.tosca.syntax.documents import LoadedTopology
from sabir.languages.tosca.syntax.imports import REMOTE_IMPORT, UNFETCHED_IMPORT
from sabir.languages.tosca.syntax.package import LoadContext, load_entry
from sabir.resources.resource import DesiredResources
from sabir.source.catalogue import ImportCatalog
from sabir.source.packages import LoadedPackage


def build_query_tree(
    ensemble: Ensemble, built: GraphBuildResult, graph: Graph, session: QuerySession
) -> QueryResource:
    """Return the root of the query tree.

    `graph` is the graph built from the ensemble, or one that was completed with observed values since.
    """
    tree = _QueryTree(graph, session, built.live, built.plain if graph is built.graph else None)
    inner = ensemble.session
    session.project = inner.project
    session.externals = inner.externals
    session.input = lambda name: tree.value(inner.input(name))
    session.input_names = inner.input_names
    session.counts_from_first = inner.counts_from_first
    session.named = lambda name: tree.find_resource(inner.named(name))
    session.instances = lambda name: tree.find_resources(inner.instances(name))
    return tree.root


class _QueryTree(GraphTree):
    """The mapping between instances of the graph and live instances."""

    __slots__ = ("_ids", "live")

    def __init__(
        self, graph: Graph, session: QuerySession, live: Mapping[str, Live], plain: Sequence[Instance] | None
    ) -> None:
        self.live = live
        self._ids: dict[QueryResource, str] | None = None
        super().__init__(graph, session, plain)

    def make(self, instance: Instance) -> GraphResource:
        # The graph holds everything about artifacts, operations and groups.
        return _KINDS.get(type(self.live.get(instance.id)), GraphResource)(instance, self)

    def find_resource(self, live: QueryResource | None) -> QueryResource | None:
        if live is None:
            return None
        if self._ids is None:
            self._ids = {resource: id_ for id_, resource in self.live.items()}
        id_ = self._ids.get(live)
        return None if id_ is None else self.resource(id_)

    def find_resources(self, several: Sequence[QueryResource]) -> Sequence[QueryResource]:
        return [resource for live in several if (resource := self.find_resource(live)) is not None]

    def value(self, value: Any) -> Any:
        """Replace live instances in a value by those of the tree."""
        if isinstance(value, QueryResource):
            return self.find_resource(value)
        if isinstance(value, Sensitive):
            return Sensitive(self.value(value.value))
        if isinstance(value, Mapping):
            return {key: self.value(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        return value


class _QueryNode(GraphResource):
    """A node of the query tree."""

    tree: _QueryTree

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
        # Facts about the instance (its id, its state) are attributes in the template, but not in the graph.
        return self.live.get(key) if key in REFLECTED else super().elsewhere(key)

    def get_planned(self, key: str) -> Any:
        return self._compute_value(key, self.live.get_planned)

    def available(self, key: str) -> Any:
        return self._compute_value(key, self.live.available)

    def _compute_value(self, key: str, compute: Callable[[str], Any]) -> Any:
        """Return what the live instance computes; unknown if that fails.

        The failure was reported when the graph was built.
        """
        try:
            return self.tree.value(compute(key))
        except QueryError:
            return self.get(key)

    def has_property(self, key: str) -> bool:
        return self.live.has_property(key)

    @property
    def relationships(self) -> Sequence[QueryResource]:
        return self.tree.find_resources(self.live.relationships)

    @property
    def sources(self) -> Mapping[str, Any]:
        # In the graph groups, policies and substitutions also lead to nodes; only requirements count here.
        return {name: self.tree.value(source) for name, source in self.live.sources.items()}

    @property
    def artifacts(self) -> Mapping[str, Artifact]:
        return self.live.artifacts

    def operation_output(self, interface: str, operation: str, output: str) -> Any:
        return self.tree.value(self.live.operation_output(interface, operation, output))

    @property
    def source_directory(self) -> Path | None:
        return self.live.source_directory


class _QueryCapability(_QueryNode):
    kind: ClassVar[str] = "capability"


class _QueryRelationship(_QueryNode):
    kind: ClassVar[str] = "relationship"

    @property
    def parent(self) -> QueryResource | None:
        return self.tree.find_resource(self.live.parent)

    @property
    def target_capability(self) -> QueryResource | None:
        return self.tree.find_resource(self.live.target_capability)


_KINDS: Final[Mapping[type[Any], type[_QueryNode]]] = {
    NodeInstance: _QueryNode,
    CapabilityInstance: _QueryCapability,
    RelationshipInstance: _QueryRelationship,
}


def evaluate_package(package: LoadedPackage, request: EvaluationRequest) -> Evaluation:
    """Evaluate the service template of a package.

    The graph is empty if the template cannot be read. Otherwise it is built as far as values can be computed,
    even if there are errors. Desired resources are computed on demand, because most commands do not need
    them.
    """
    load_plugins()
    reading = LoadContext(request.session, ImportCatalog.of(request.imports, request.search_path))
    loaded = with_overrides(load_entry(package, reading), request.overrides)
    topology = loaded.topology
    if topology is None or loaded.broken:
        return Evaluation(graph=Graph(()), findings=loaded.findings)
    checked = CheckedModel.of(topology) if request.overrides else package.attached(CheckedModels).of(topology)
    ensemble, findings = _instantiate_checked(checked, request_of(loaded, topology, request))
    built = build_graph(ensemble, full_provenance=request.full_provenance)
    errors = _select_errors([*loaded.findings, *findings])
    # Without an import many values cannot be computed; only the finding about the import helps.
    return Evaluation(
        graph=built.graph,
        findings=(*errors, *(built.findings if topology.complete else ())),
        resources=partial(build_query_tree, ensemble, built),
        wanted=lambda: _build_desired_resources(ensemble, request),
    )


def _build_desired_resources(ensemble: Ensemble, request: EvaluationRequest) -> DesiredResources:
    from sabir.languages.tosca.graph.resources import build_desired_operations

    return build_desired_operations(ensemble, request.observed, {target.name for target in request.targets})


def instantiate_topology(loaded: LoadedTopology, request: Request) -> Ensemble:
    """Return the instances of a loaded topology; raise FindingError if it has errors."""
    if loaded.topology is None or loaded.broken:
        raise FindingError(loaded.findings)
    ensemble, findings = _instantiate_checked(CheckedModel.of(loaded.topology), request)
    errors = _select_errors([*loaded.findings, *findings])
    if errors:
        raise FindingError(errors)
    return ensemble


def _instantiate_checked(checked: CheckedModel, request: Request) -> tuple[Ensemble, list[Finding]]:
    with collector_paused():
        ensemble, findings = instantiate_model(checked.model, request)
        return ensemble, [*checked.findings, *findings]


def _select_errors(findings: list[Finding]) -> list[Finding]:
    """Return the findings that prevent an evaluation.

    Parts that cannot be checked without a missing import may be left open; values that cannot be computed are
    errors.
    """
    return [
        REMOTE_IMPORT.at(finding.place, finding.message, hint=finding.hint)
        if finding.code == UNFETCHED_IMPORT.code
        else finding
        for finding in findings
        if finding.severity is Severity.ERROR or finding.code == UNFETCHED_IMPORT.code
    ]
