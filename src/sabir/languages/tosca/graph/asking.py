"""Questions from outside, as `sabir query` asks them: the tree of the graph, whose resources know what only the template says.

The graph gives the shape (who owns whom), the values, and what deployments have seen. Types that a type derives from, planned
values, artifacts, inputs and the capability that a requirement leads to are asked of the live instance, so that a question
from outside is answered as an expression in the template is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.graphs import GraphResource, GraphTree, resources_of
from sabir.expressions.query.resource import Artifact, Resource
from sabir.expressions.query.session import Session
from sabir.expressions.query.values import MISSING, NodeState
from sabir.graph.graph import Graph
from sabir.graph.instance import Instance
from sabir.graph.values import Sensitive
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.entities import REFLECTED
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.evaluate.parts import CapabilityInstance, RelationshipInstance
from sabir.languages.tosca.graph.addresses import id_of, ids_of_requirements
from sabir.languages.tosca.graph.origins import Live

__all__ = ["asked_resources"]


def asked_resources(ensemble: Ensemble, graph: Graph, session: Session) -> Resource:
    """The root of the tree, over a graph that was built from these instances."""
    links = _Links(ensemble)
    inner = ensemble.session
    session.project = inner.project
    session.externals = inner.externals
    session.input = lambda name: links.value(inner.input(name))
    session.input_names = inner.input_names
    session.counts_from_first = inner.counts_from_first
    session.named = lambda name: links.asked(inner.named(name))
    session.instances = lambda name: links.asked_all(inner.instances(name))
    return resources_of(graph, session, links.make)


class _Links:
    """From instances of the graph to live ones and back."""

    def __init__(self, ensemble: Ensemble) -> None:
        self._live: dict[str, Live] = {}
        self._asked: dict[Resource, _Asked] = {}
        for node in ensemble.everything():
            self._live[id_of(node)] = node
            for capability in node.capabilities:
                if isinstance(capability, CapabilityInstance):
                    self._live[id_of(capability)] = capability
            self._live.update({id_: relationship for relationship, id_ in ids_of_requirements(node).items()})

    def make(self, instance: Instance, tree: GraphTree) -> GraphResource:
        live = self._live.get(instance.id)
        if live is None:  # an artifact or operation: the graph has all there is
            return GraphResource(instance, tree)
        asked = self._asked[live] = _KINDS[type(live)](instance, tree, live, self)
        return asked

    def asked(self, live: Resource | None) -> Resource | None:
        return None if live is None else self._asked.get(live)

    def asked_all(self, several: Sequence[Resource]) -> Sequence[Resource]:
        return [self._asked[live] for live in several if live in self._asked]

    def value(self, value: Any) -> Any:
        """A value that an expression of the template gave: instances in it are those of the tree."""
        if isinstance(value, Resource):
            return self._asked.get(value)
        if isinstance(value, Sensitive):
            return Sensitive(self.value(value.value))
        if isinstance(value, Mapping):
            return {key: self.value(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        return value


class _Asked(GraphResource):
    """A node."""

    __slots__ = ("_links", "live")

    def __init__(self, instance: Instance, tree: GraphTree, live: Live, links: _Links) -> None:
        super().__init__(instance, tree)
        self.live = live
        self._links = links

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

    def get(self, key: str) -> Any:
        value = super().get(key)
        # What mirrors the instance itself (its id, its state) is an attribute in the template and none in the graph.
        return self.live.get(key) if value is MISSING and key in REFLECTED else value

    def planned(self, key: str) -> Any:
        return self._computed(key, self.live.planned)

    def available(self, key: str) -> Any:
        return self._computed(key, self.live.available)

    def _computed(self, key: str, compute: Callable[[str], Any]) -> Any:
        """What the live instance computes; one that fails was reported when the graph was built, and is unknown there."""
        try:
            return self._links.value(compute(key))
        except QueryError:
            return self.get(key)

    def has_property(self, key: str) -> bool:
        return self.live.has_property(key)

    @property
    def relationships(self) -> Sequence[Resource]:
        return self._links.asked_all(self.live.relationships)

    @property
    def sources(self) -> Mapping[str, Any]:
        # In the graph groups, policies and substitutions lead to nodes, too; here only requirements count.
        return {name: self._links.value(source) for name, source in self.live.sources.items()}

    @property
    def artifacts(self) -> Mapping[str, Artifact]:
        return self.live.artifacts

    def operation_output(self, interface: str, operation: str, output: str) -> Any:
        return self._links.value(self.live.operation_output(interface, operation, output))

    @property
    def source_directory(self) -> Path | None:
        return self.live.source_directory


class _AskedCapability(_Asked):
    __slots__ = ()

    kind: ClassVar[str] = "capability"


class _AskedRelationship(_Asked):
    __slots__ = ()

    kind: ClassVar[str] = "relationship"

    @property
    def parent(self) -> Resource | None:
        return self._links.asked(self.live.parent)

    @property
    def target_capability(self) -> Resource | None:
        return self._links.asked(self.live.target_capability)


_KINDS: Final[Mapping[type[Live], type[_Asked]]] = {
    NodeInstance: _Asked,
    CapabilityInstance: _AskedCapability,
    RelationshipInstance: _AskedRelationship,
}
