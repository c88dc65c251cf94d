"""Live instances of a topology: nodes, their capabilities, the relationships between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from sabir.expressions.query.live import Assigned, LiveResource
from sabir.expressions.query.resource import Artifact, Resource
from sabir.expressions.query.session import Session
from sabir.expressions.query.values import MISSING, LazyMap, NodeState, Status
from sabir.languages.tosca.evaluate.artifacts import FileArtifact
from sabir.languages.tosca.model.requirements import Link
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.syntax.nodes import (
    CapabilityAssignment,
    CapabilityDefinition,
    NodeTemplate,
    PropertyDefinition,
    Written,
)

if TYPE_CHECKING:
    from sabir.languages.tosca.evaluate.ensemble import Ensemble

__all__ = ["CapabilityInstance", "NodeInstance", "RelationshipInstance", "RootInstance"]

_NO_VALUE: Final = Assigned(None)
_PENDING: Final = object()


class _Entity(LiveResource):
    """What nodes, capabilities and relationships have in common: assigned, default and live values."""

    __slots__ = ("_planned", "ensemble", "flat")

    def __init__(self, ensemble: Ensemble, flat: FlatType | None) -> None:
        super().__init__()
        self.ensemble = ensemble
        self.flat = flat
        self._planned: dict[str, Any] = {}

    @property
    def session(self) -> Session:
        return self.ensemble.session

    @property
    def types(self) -> Sequence[str]:
        return self.flat.names if self.flat is not None else (self.type,)

    def definition(self, key: str) -> PropertyDefinition | None:
        flat = self.flat
        return None if flat is None else flat.properties.get(key) or flat.attributes.get(key)

    def assigned(self, key: str) -> Written | None:
        """What the template assigns to a property or attribute."""
        raise NotImplementedError

    def has_property(self, key: str) -> bool:
        definition = self.definition(key)
        return self.assigned(key) is not None if definition is None else not definition.is_attribute

    def live(self, key: str) -> Any:
        """The live value of an attribute, or MISSING."""
        del key
        return MISSING

    def written(self, key: str) -> Assigned | None:
        live = self.live(key)
        if live is not MISSING:
            definition = self.definition(key)
            return Assigned(live, sensitive=definition is not None and definition.sensitive)
        return self.described(key)

    def described(self, key: str) -> Assigned | None:
        """What the description says: the assignment, else the default of the type."""
        definition = self.definition(key)
        assigned = self.assigned(key)
        if assigned is not None:
            return self.ensemble.assignment(assigned, definition)
        if definition is None:
            return None
        default = self.ensemble.default(definition)
        if default is None and definition.is_attribute:
            # A declared attribute without a value is a match that holds null; an optional property is none.
            return self.reflected(key) or _NO_VALUE
        return default

    def reflected(self, key: str) -> Assigned | None:
        """Attributes of TOSCA that mirror the instance itself."""
        match key:
            case "tosca_name":
                return Assigned(self.template_name)
            case "tosca_id":
                return Assigned(self.id)
            case "state" if self.state is not None:
                return Assigned(self.state.name)
            case _:
                return None

    def planned(self, key: str) -> Any:
        if self.live(key) is MISSING:
            return self.get(key)
        value = self._planned.get(key, MISSING)
        if value is MISSING:
            described = self.described(key)
            if described is None:
                return MISSING
            self._planned[key] = _PENDING
            value = self._planned[key] = described.value(self)
        return None if value is _PENDING else value


class NodeInstance(_Entity):
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
        self._live: Mapping[str, Any] = live.attributes if live else {}
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

    @property
    def source_directory(self) -> Path | None:
        return self.template.origin.directory


class CapabilityInstance(_Entity):
    __slots__ = ("_assignment", "_definition", "node")

    kind: ClassVar[str] = "capability"

    def __init__(
        self, node: NodeInstance, definition: CapabilityDefinition, assignment: CapabilityAssignment | None
    ) -> None:
        super().__init__(node.ensemble, node.ensemble.capability_type(definition.type))
        self.node = node
        self._definition = definition
        self._assignment = assignment

    @property
    def name(self) -> str:
        return self._definition.name

    @property
    def type(self) -> str:
        return self.flat.name if self.flat is not None else self._definition.type

    @property
    def id(self) -> str:
        return f"{self.node.id}::.capabilities::[.name={self.name}]"

    @property
    def template_name(self) -> str:
        return self.name

    @property
    def parent(self) -> Resource | None:
        return self.node

    @property
    def status(self) -> Status:
        return self.node.status

    @property
    def children(self) -> Sequence[Resource]:
        return ()

    def definition(self, key: str) -> PropertyDefinition | None:
        declared = self._definition
        refined = declared.properties.get(key) or declared.attributes.get(key)
        inherited = super().definition(key)
        if (
            refined is not None
            and inherited is not None
            and refined.default is None
            and refined.value is None
        ):
            return inherited
        return refined or inherited

    def assigned(self, key: str) -> Written | None:
        assignment = self._assignment
        return (
            None if assignment is None else assignment.properties.get(key) or assignment.attributes.get(key)
        )

    def keys(self) -> Sequence[str]:
        flat = self.flat
        return tuple(
            dict.fromkeys(
                [
                    *(flat.properties if flat else ()),
                    *self._definition.properties,
                    *(flat.attributes if flat else ()),
                ]
            )
        )

    @property
    def relationships(self) -> Sequence[Resource]:
        return self.ensemble.relationships_to(self.node.name, self.name)

    @property
    def source_directory(self) -> Path | None:
        return self.node.source_directory


class RelationshipInstance(_Entity):
    """A requirement of a node and what it leads to."""

    __slots__ = ("_source", "link")

    kind: ClassVar[str] = "relationship"

    def __init__(self, source: NodeInstance, link: Link) -> None:
        super().__init__(source.ensemble, source.ensemble.relationship_type(link.relationship_type))
        self._source = source
        self.link = link

    @property
    def name(self) -> str:
        return self.link.name

    @property
    def type(self) -> str:
        return self.flat.name if self.flat is not None else self.link.relationship_type

    @property
    def id(self) -> str:
        """A path that leads here and nowhere else: by the name, or by the index where the name is there twice."""
        siblings = self._source.requirements
        if sum(sibling.name == self.name for sibling in siblings) > 1:
            return f"{self._source.id}::.requirements::{siblings.index(self)}"
        return f"{self._source.id}::.requirements::[.name={self.name}]"

    @property
    def template_name(self) -> str:
        template = self.link.relationship
        is_named = (
            template is not None and template.name in self.ensemble.model.topology.relationship_templates
        )
        return template.name if template is not None and is_named else self.name

    @property
    def parent(self) -> Resource | None:
        """What it leads to, as Unfurl has it: a relationship is found below the capability it targets."""
        return self.target_capability or self.target or self._source

    @property
    def status(self) -> Status:
        return self._source.status

    @property
    def children(self) -> Sequence[Resource]:
        return ()

    @property
    def source(self) -> NodeInstance:
        return self._source

    @property
    def target(self) -> NodeInstance | None:
        return None if self.link.target is None else self.ensemble.nodes.get(self.link.target)

    @property
    def target_capability(self) -> Resource | None:
        target = self.target
        return None if target is None else target.capability(self.link.capability)

    def assigned(self, key: str) -> Written | None:
        template = self.link.relationship
        return None if template is None else template.properties.get(key) or template.attributes.get(key)

    def keys(self) -> Sequence[str]:
        flat = self.flat
        return tuple(flat.properties) + tuple(flat.attributes) if flat else ()

    @property
    def source_directory(self) -> Path | None:
        return self._source.source_directory


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
