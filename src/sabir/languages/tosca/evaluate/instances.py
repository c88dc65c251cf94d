"""Live instances of node templates, and the root that holds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sabir.expressions.query.resource import Artifact, Resource
from sabir.expressions.query.session import Session
from sabir.expressions.query.values import MISSING, LazyMap, NodeState, Status
from sabir.graph.address import escaped
from sabir.languages.tosca.evaluate.artifacts import FileArtifact
from sabir.languages.tosca.evaluate.entities import Entity
from sabir.languages.tosca.evaluate.parts import CapabilityInstance, RelationshipInstance
from sabir.languages.tosca.model.behaviour import interfaces_of
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.syntax.nodes import (
    NodeTemplate,
    Written,
)

if TYPE_CHECKING:
    from sabir.languages.tosca.evaluate.ensemble import Ensemble

__all__ = ["NodeInstance", "RootInstance"]


class NodeInstance(Entity):
    """An instance of a node template."""

    __slots__ = (
        "_capabilities",
        "_children",
        "_live",
        "_parent",
        "_relationships",
        "_state",
        "_status",
        "template",
    )

    def __init__(self, ensemble: Ensemble, template: NodeTemplate, flat: FlatType | None) -> None:
        super().__init__(ensemble, flat)
        self.template = template
        self._children: list[Resource] = []
        self._parent: Resource = ensemble.root
        self._capabilities: list[Resource] | None = None
        self._relationships: list[RelationshipInstance] | None = None
        live = ensemble.request.live.get(template.name)
        observed = ensemble.request.observed.get(escaped(template.name), {})
        self._live: Mapping[str, Any] = {**(live.attributes if live else {}), **observed}
        self._status = live.status if live else Status.ok
        self._state = live.state if live else None

    @property
    def name(self) -> str:
        return self.template.name

    @property
    def type(self) -> str:
        return self.flat.name if self.flat is not None else self.template.type

    @property
    def parent(self) -> Resource | None:
        return self._parent

    @property
    def children(self) -> Sequence[Resource]:
        return self._children

    def stand_on(self, host: NodeInstance) -> None:
        """Make the host the parent; until then it is the root."""
        self._parent = host
        host._children.append(self)

    @property
    def status(self) -> Status:
        return self._status

    @property
    def state(self) -> NodeState | None:
        return self._state

    def assigned(self, key: str) -> Written | None:
        template = self.template
        return template.properties.get(key) or template.attributes.get(key)

    def live(self, key: str) -> Any:
        return self._live.get(key, MISSING)

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
                ]
            )
        )

    @property
    def capabilities(self) -> Sequence[Resource]:
        if self._capabilities is None:
            declared = self.flat.capabilities if self.flat is not None else {}
            assigned = self.template.capabilities
            # What the template speaks of comes first, as its author wrote it.
            names = dict.fromkeys([name for name in assigned if name in declared] + list(declared))
            self._capabilities = [
                CapabilityInstance(self, declared[name], assigned.get(name)) for name in names
            ]
        return self._capabilities

    def capability(self, name: str | None) -> Resource | None:
        return next((capability for capability in self.capabilities if capability.name == name), None)

    @property
    def requirements(self) -> Sequence[RelationshipInstance]:
        if self._relationships is None:
            self._relationships = [
                RelationshipInstance(self, link) for link in self.ensemble.model.links.get(self.name, ())
            ]
        return self._relationships

    @property
    def artifacts(self) -> Mapping[str, Artifact]:
        flat = self.flat
        definitions = {**(flat.artifacts if flat else {}), **self.template.artifacts}
        return {name: FileArtifact(artifact, self.ensemble) for name, artifact in definitions.items()}

    def operation_output(self, interface: str, operation: str, output: str) -> Any:
        observed = self.ensemble.request.observed
        seen = observed.get(escaped(f"{self.name}.interfaces.{interface}.{operation}"), {})
        if not observed or output in seen:
            return seen.get(output, MISSING)
        interfaces = interfaces_of(self.ensemble.model.types, self.flat, self.template.interfaces)
        definition = interfaces[interface].operations.get(operation) if interface in interfaces else None
        mapping = definition.outputs.get(output) if definition is not None else None
        is_own = mapping is not None and len(mapping.target) == 2 and mapping.target[0] == "SELF"
        return self.live(mapping.target[1]) if mapping is not None and is_own else MISSING

    @property
    def source_directory(self) -> Path | None:
        return self.template.origin.directory


class RootInstance(Resource):
    """The root of an ensemble: it owns the inputs and outputs."""

    __slots__ = ("_children", "_inputs", "_outputs", "ensemble")

    def __init__(self, ensemble: Ensemble) -> None:
        super().__init__()
        self.ensemble = ensemble
        self._children: list[Resource] = []
        self._inputs: LazyMap | None = None
        self._outputs: LazyMap | None = None

    @property
    def session(self) -> Session:
        return self.ensemble.session

    @property
    def name(self) -> str:
        return "root"

    @property
    def parent(self) -> Resource | None:
        return None

    @property
    def children(self) -> Sequence[Resource]:
        return self._children

    def add_child(self, child: Resource) -> None:
        self._children.append(child)

    @property
    def status(self) -> Status:
        return Status.ok

    def keys(self) -> Sequence[str]:
        return ("inputs", "outputs")

    def get(self, key: str) -> Any:
        if key == "inputs":
            if self._inputs is None:
                self._inputs = self.ensemble.inputs_map()
            return self._inputs
        if key == "outputs":
            if self._outputs is None:
                self._outputs = self.ensemble.outputs_map()
            return self._outputs
        return MISSING
