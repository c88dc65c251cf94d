"""Instances of capabilities and of relationships, which represent the requirements of a node."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sabir.expressions.query.live import AssignedValue
from sabir.expressions.query.resource import QueryResource
from sabir.expressions.query.values import MISSING, InstanceStatus, reveal_deep
from sabir.languages.tosca.evaluate.entities import EntityInstance
from sabir.languages.tosca.evaluate.observations import quote_literal
from sabir.languages.tosca.model.behaviour import Interface
from sabir.languages.tosca.model.requirements import RequirementLink
from sabir.languages.tosca.syntax.nodes import (
    CapabilityAssignment,
    CapabilityDefinition,
    PropertyDefinition,
    SourceValue,
)

if TYPE_CHECKING:
    from sabir.languages.tosca.evaluate.instances import NodeInstance


class CapabilityInstance(EntityInstance):
    """A capability of a node."""

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
    def key(self) -> str:
        return f"{self.node.key}.capabilities.{self.name}"

    def live(self, key: str) -> Any:
        substitution = self.node.substitution
        if substitution is not None:
            given = substitution.attribute(("CAPABILITY", self.name), key)
            return given if given is MISSING else quote_literal(given)
        return self.ensemble.request.observed.value(self.key, key)

    def find_declared_value(self, key: str) -> AssignedValue | None:
        """Return the declared value, else that of the capability it is mapped to.

        The mapping comes from the topology that substitutes the node.
        """
        substitution = self.node.substitution
        inner = (
            substitution.capability(self.name)
            if substitution and self.find_template_value(key) is None
            else None
        )
        value = MISSING if inner is None else inner.get(key)
        return super().find_declared_value(key) if value is MISSING else AssignedValue(quote_literal(value))

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
    def parent(self) -> QueryResource | None:
        return self.node

    @property
    def status(self) -> InstanceStatus:
        return self.node.status

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

    def find_template_value(self, key: str) -> SourceValue | None:
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

    def available(self, key: str) -> Any:
        """Return what is left of a property after all allocations.

        Only allocations without a unit, or with the unit of the property, are subtracted.
        """
        value = reveal_deep(self.get(key))
        number, unit = _number_and_unit(value)
        if number is None:
            return self.get(key)
        for relationship in self.relationships:
            if isinstance(relationship, RelationshipInstance):
                written = relationship.link.assignment.allocation.get(key)
                taken = (
                    None if written is None else self.ensemble.assignment(written, None).value(relationship)
                )
                size, taken_unit = _number_and_unit(reveal_deep(taken))
                if size is None or taken_unit != unit:
                    continue
                number -= size
        return f"{number:g} {unit}" if unit else int(number) if number.is_integer() else number

    @property
    def relationships(self) -> Sequence[QueryResource]:
        return self.ensemble.relationships_to(self.node.key, self.name)

    @property
    def source_directory(self) -> Path | None:
        return self.node.source_directory


def _number_and_unit(value: Any) -> tuple[float | None, str]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value), ""
    match = re.fullmatch(r"\s*([-+]?[0-9.]+)\s*([A-Za-z]+)\s*", value) if isinstance(value, str) else None
    return (None, "") if match is None else (float(match[1]), match[2])


class RelationshipInstance(EntityInstance):
    """A requirement of a node and its target."""

    __slots__ = ("_source", "_target", "link")

    kind: ClassVar[str] = "relationship"

    def __init__(
        self, source: NodeInstance, link: RequirementLink, target: NodeInstance | None = None
    ) -> None:
        """Create the instance of a link.

        `target` is a node outside the topology that a substitution connects the requirement to.
        """
        super().__init__(source.ensemble, source.ensemble.relationship_type(link.relationship_type))
        self._source = source
        self._target = target
        self.link = link

    @property
    def name(self) -> str:
        return self.link.name

    @property
    def index(self) -> int:
        """The position among the relationships of the same requirement."""
        siblings = [sibling for sibling in self._source.requirements if sibling.name == self.name]
        return siblings.index(self)

    @property
    def type(self) -> str:
        return self.flat.name if self.flat is not None else self.link.relationship_type

    @property
    def id(self) -> str:
        """A unique path: by the name, or by the index if the name occurs more than once."""
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
    def parent(self) -> QueryResource | None:
        """The target, as in Unfurl: a relationship is found under the capability it targets."""
        return self.target_capability or self.target or self._source

    @property
    def status(self) -> InstanceStatus:
        return self._source.status

    @property
    def source(self) -> NodeInstance:
        return self._source

    @property
    def target(self) -> NodeInstance | None:
        if self._target is not None or self.link.target is None:
            return self._target
        return self.ensemble.nodes.get(self.link.target)

    @property
    def capability(self) -> str | None:
        """The name of the target capability."""
        wanted = self.link.definition.capability if self.link.definition is not None else None
        if self._target is None or self.link.capability is not None or wanted is None:
            return self.link.capability
        offered = self._target.capabilities
        return next((part.name for part in offered if part.name == wanted or wanted in part.types), None)

    @property
    def target_capability(self) -> QueryResource | None:
        target = self.target
        return None if target is None else target.capability(self.capability)

    @property
    def interfaces(self) -> Mapping[str, Interface]:
        template = self.link.relationship
        return self.ensemble.model.interfaces(self.flat, {} if template is None else template.interfaces)

    def find_template_value(self, key: str) -> SourceValue | None:
        template = self.link.relationship
        return None if template is None else template.properties.get(key) or template.attributes.get(key)

    def keys(self) -> Sequence[str]:
        flat = self.flat
        return tuple(flat.properties) + tuple(flat.attributes) if flat else ()

    @property
    def source_directory(self) -> Path | None:
        return self._source.source_directory
