"""Instances of node templates, and the root instance that contains them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sabir.expressions.query.resource import Artifact, QueryResource
from sabir.expressions.query.session import QuerySession
from sabir.expressions.query.values import MISSING, InstanceStatus, LazyMap, NodeState
from sabir.interpreter import collector_paused
from sabir.languages.tosca.evaluate.entities import EntityInstance, FileArtifact
from sabir.languages.tosca.evaluate.observations import quote_literal
from sabir.languages.tosca.evaluate.parts import CapabilityInstance, RelationshipInstance
from sabir.languages.tosca.model.behaviour import Interface
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.syntax.nodes import (
    ArtifactDefinition,
    NodeTemplate,
    SourceValue,
)

if TYPE_CHECKING:
    from sabir.languages.tosca.evaluate.ensemble import Ensemble
    from sabir.languages.tosca.evaluate.substitution import Substitution


class NodeInstance(EntityInstance):
    """An instance of a node template."""

    __slots__ = (
        "_capabilities",
        "_children",
        "_live",
        "_parent",
        "_relationships",
        "_state",
        "_status",
        "substitution",
        "template",
    )

    def __init__(self, ensemble: Ensemble, template: NodeTemplate, flat: FlatType | None) -> None:
        super().__init__(ensemble, flat)
        self.template = template
        self._children: list[QueryResource] | None = None
        self._parent: QueryResource | None = None
        self._capabilities: list[QueryResource] | None = None
        self._relationships: list[RelationshipInstance] | None = None
        self.substitution: Substitution | None = None
        """The topology in its place."""
        live = ensemble.request.live.get(template.name)
        self._live: Mapping[str, Any] = live.attributes if live else {}
        self._status = live.status if live else InstanceStatus.ok
        self._state = live.state if live else None

    @property
    def name(self) -> str:
        return self.template.name

    @property
    def key(self) -> str:
        return f"{self.ensemble.prefix}{self.template.key}"

    @property
    def template_name(self) -> str:
        return self.template.symbolic_name

    @property
    def index(self) -> int:
        return self.template.index

    @property
    def type(self) -> str:
        return self.flat.name if self.flat is not None else self.template.type

    @property
    def path(self) -> tuple[str, ...]:
        """The name of the node, after the names of the nodes that the topologies around it substitute."""
        outer = self.ensemble.outer
        return (self.name,) if outer is None else (*outer.node.path, self.name)

    @property
    def parent(self) -> QueryResource:
        """The host of the node, or the root if it has none."""
        if self._parent is None:
            host = self.ensemble.model.hosts.get(self.name)
            self._parent = self.ensemble.root if host is None else self.ensemble.nodes[host]
        return self._parent

    @property
    def children(self) -> Sequence[QueryResource]:
        if self._children is None:
            guests = self.ensemble.model.guests.get(self.name, ())
            self._children = [self.ensemble.nodes[guest] for guest in guests]
        return self._children

    @property
    def status(self) -> InstanceStatus:
        lifetimes = self.ensemble.request.lifetimes
        return self._status if lifetimes is None else lifetimes.status(self)

    @property
    def state(self) -> NodeState | None:
        lifetimes = self.ensemble.request.lifetimes
        return self._state if lifetimes is None else lifetimes.state(self)

    def find_template_value(self, key: str) -> SourceValue | None:
        template = self.template
        return template.properties.get(key) or template.attributes.get(key)

    def live(self, key: str) -> Any:
        if self.substitution is not None:
            given = self.substitution.attribute((), key)
            if given is not MISSING:
                return quote_literal(given)
        observed = self.ensemble.request.observed.value(self.key, key)
        return self._live.get(key, MISSING) if observed is MISSING else observed

    def keys(self) -> Sequence[str]:
        flat = self.flat
        return tuple(
            dict.fromkeys(
                [
                    *(flat.properties if flat else ()),
                    *self.template.properties,
                    *(flat.attributes if flat else ()),
                    *self.template.attributes,
                    *self._live,
                    *self.ensemble.request.observed.keys(self.key),
                ]
            )
        )

    @property
    def capabilities(self) -> Sequence[QueryResource]:
        if self._capabilities is None:
            declared = self.flat.capabilities if self.flat is not None else {}
            assigned = self.template.capabilities
            # Capabilities that the template assigns come first, in its order.
            names = dict.fromkeys([name for name in assigned if name in declared] + list(declared))
            self._capabilities = [
                CapabilityInstance(self, declared[name], assigned.get(name)) for name in names
            ]
        return self._capabilities

    def capability(self, name: str | None) -> QueryResource | None:
        return next((capability for capability in self.capabilities if capability.name == name), None)

    @property
    def requirements(self) -> Sequence[RelationshipInstance]:
        if self._relationships is None:
            self._relationships = [
                RelationshipInstance(self, link) for link in self.ensemble.model.links.get(self.name, ())
            ]
        return self._relationships

    def bridge(self, name: str, target: NodeInstance) -> None:
        """Connect a requirement to a node outside the topology.

        Uses a requirement of this name without a target if there is one, and adds a requirement otherwise.
        """
        model = self.ensemble.model
        requirements = [*self.requirements]
        link = model.open_link(self.template, name)
        for position, relationship in enumerate(requirements):
            if relationship.name == name and relationship.target is None:
                link = relationship.link
                del requirements[position]
                break
        self._relationships = [*requirements, RelationshipInstance(self, link, target)]
        if model.is_hosting(link.relationship_type) and self.parent is self.ensemble.root:
            self._parent = target
            target._children = [*target.children, self]

    @property
    def artifacts(self) -> Mapping[str, Artifact]:
        return {
            name: FileArtifact(artifact, self.ensemble)
            for name, artifact in self.artifact_definitions.items()
        }

    @property
    def artifact_definitions(self) -> Mapping[str, ArtifactDefinition]:
        """The artifacts of its type and its own, by name."""
        inherited = self.flat.artifacts if self.flat is not None else {}
        own = self.template.artifacts
        return {**inherited, **own} if inherited and own else inherited or own

    @property
    def interfaces(self) -> Mapping[str, Interface]:
        return self.ensemble.model.interfaces(self.flat, self.template.interfaces)

    def operation_output(self, interface: str, operation: str, output: str) -> Any:
        seen = self.ensemble.request.observed.value(f"{self.key}.interfaces.{interface}.{operation}", output)
        if seen is not MISSING:
            return seen
        interfaces = self.interfaces
        definition = interfaces[interface].operations.get(operation) if interface in interfaces else None
        mapping = definition.outputs.get(output) if definition is not None else None
        is_own = mapping is not None and len(mapping.target) == 2 and mapping.target[0] == "SELF"
        return self.live(mapping.target[1]) if mapping is not None and is_own else MISSING

    @property
    def source_directory(self) -> Path | None:
        return self.template.origin.directory


class RootInstance(QueryResource):
    """The root of an ensemble, which owns the inputs and outputs."""

    __slots__ = ("_children", "_maps", "ensemble")

    def __init__(self, ensemble: Ensemble) -> None:
        super().__init__()
        self.ensemble = ensemble
        self._children: list[QueryResource] | None = None
        self._maps: dict[str, LazyMap] = ensemble.session.make_cache()

    @property
    def session(self) -> QuerySession:
        return self.ensemble.session

    @property
    def name(self) -> str:
        return "root"

    @property
    def children(self) -> Sequence[QueryResource]:
        if self._children is None:
            # This creates all instances and keeps them.
            with collector_paused():
                nodes = self.ensemble.nodes.values()
                self._children = [node for node in nodes if node.parent is self]
        return self._children

    @property
    def status(self) -> InstanceStatus:
        return InstanceStatus.ok

    def keys(self) -> Sequence[str]:
        return ("inputs", "outputs")

    def get(self, key: str) -> Any:
        if key not in ("inputs", "outputs"):
            return MISSING
        values = self._maps.get(key)
        if values is None:
            values = self._maps[key] = self._map(key)
        return values

    def _map(self, key: str) -> LazyMap:
        thunks = self.ensemble.inputs() if key == "inputs" else self.ensemble.outputs()
        dependents = self.session.dependents
        if dependents is not None:
            with dependents.track_computation(self._maps, key):  # type: ignore[arg-type]  # then it is `Kept`
                thunks = {name: dependents.later(thunk) for name, thunk in thunks.items()}
        return LazyMap(thunks, {})
