"""Origins of values: the template, the default of a type, inputs, and other values.

Also converts values of expressions to plain values of the graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from enum import Enum
from typing import Any, Final

from sabir.expressions.query.live import AssignedValue
from sabir.expressions.query.resource import Artifact, QueryResource
from sabir.expressions.query.values import MISSING, External
from sabir.graph.origin import AttributeRead, How, Origin
from sabir.graph.values import Ref, Sensitive, Unknown, Value
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.groups import GroupInstance, NodeCollection, PolicyInstance
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.evaluate.parts import CapabilityInstance, RelationshipInstance
from sabir.languages.tosca.graph.addresses import id_of
from sabir.languages.tosca.model.values import holds_expression
from sabir.languages.tosca.syntax.nodes import (
    OutputDefinition,
    PropertyDefinition,
    SourceValue,
    TypeDefinition,
)
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.provenance import Cell, Chains, Sources
from sabir.text import Place

Live = NodeInstance | CapabilityInstance | RelationshipInstance | NodeCollection
_Sources = tuple[Origin | AttributeRead, ...]
_KINDS: Final[Mapping[type[Live], TypeKind]] = {
    NodeInstance: TypeKind.NODE,
    CapabilityInstance: TypeKind.CAPABILITY,
    RelationshipInstance: TypeKind.RELATIONSHIP,
    GroupInstance: TypeKind.GROUP,
    PolicyInstance: TypeKind.POLICY,
}


class ToscaOrigins(Chains):
    """Origins of the values of an ensemble.

    Reads of a query session are cells: an attribute of an instance, or an input of the template.
    """

    def __init__(self, ensemble: Ensemble, *, full: bool) -> None:
        super().__init__()
        self.ensemble = ensemble
        self.full = full
        """Whether origins include what values were computed from."""

    def of_value(self, live: Live, key: str) -> Origin | None:
        if isinstance(live, NodeInstance) and key in self.ensemble.request.overridden.get(
            live.template_name, ()
        ):
            return Origin(live.template.place, How.OVERRIDE, note=key)
        if live.live(key) is not MISSING:
            return self._of_live(live)
        described = live.find_declared_value(key)
        if described is None or described.place is None:
            return None
        if live.find_template_value(key) is None:
            return Origin(described.place, How.DEFAULT, self._default_sources(live, key, described))
        how = How.LITERAL if described.is_constant else How.EXPRESSION
        return Origin(described.place, how, self._assignment_sources(live, key, described))

    def _of_live(self, live: Live) -> Origin | None:
        if not isinstance(live, NodeInstance):
            return None
        return Origin(live.template.place, How.ASSIGNMENT, note="recorded")

    def of_output(self, output: OutputDefinition, reads: Sources) -> Origin | None:
        written = output.value
        if written is None:
            return None
        how = How.EXPRESSION if holds_expression(written.data) else How.LITERAL
        return Origin(written.place, how, self.sources(reads))

    # Sources of values

    def _assignment_sources(self, live: Live, key: str, described: AssignedValue) -> _Sources:
        if not self.full:
            return ()
        assigned = live.find_template_value(key)
        return (
            *self._expression_sources(live, key, described),
            *self._field_defaults(live.definition(key), assigned),
            *_put_in(assigned),
        )

    def _default_sources(self, live: Live, key: str, described: AssignedValue) -> _Sources:
        """Return what a default reads, and the types on the path to the one that defines it."""
        if not self.full:
            return ()
        definition = live.definition(key)
        said = None if definition is None else definition.value or definition.default
        return (
            *self._expression_sources(live, key, described),
            *self._field_defaults(definition, said),
            *self._types(live, key, said),
        )

    def _expression_sources(self, live: Live, key: str, described: AssignedValue) -> _Sources:
        if described.is_constant:
            return ()
        return self.sources(self.ensemble.session.computed.get((live, key), ()))

    def attribute_of(self, cell: Cell) -> AttributeRead | Origin:
        resource, key = cell
        name = key.removeprefix("inputs::")
        definition = self.ensemble.model.topology.inputs.get(name) if name != key else None
        if definition is None:
            return AttributeRead(id_of(resource), key)
        note = f"input {name}"
        if name in self.ensemble.request.inputs:
            origin = self.ensemble.request.input_origins.get(name)
            return Origin(definition.place, How.INPUT, () if origin is None else (origin,), note)
        said = definition.value or definition.default
        return Origin(definition.place if said is None else said.place, How.DEFAULT, (), note)

    def _field_defaults(
        self, definition: PropertyDefinition | None, said: SourceValue | None
    ) -> Iterator[Origin]:
        """Return the defaults of a data type for the fields that a value omits.

        Includes the location where that data type is named.
        """
        schema = None if definition is None else definition.schema
        flat = None if schema is None else self.ensemble.model.types.find(TypeKind.DATA, schema.name)
        if schema is None or flat is None or said is None:
            return
        data = said.data
        if not isinstance(data, Mapping) or holds_expression(data):
            return
        left_out = [
            field for name, field in flat.properties.items() if name not in data and field.default is not None
        ]
        for field in left_out:
            assert field.default is not None
            yield Origin(field.default.place, How.DEFAULT, note=f"{schema.name}.{field.name}")
        if left_out:
            yield Origin(schema.place, How.LITERAL, note=f"type {schema.name}")

    def _types(self, live: Live, key: str, said: SourceValue | None) -> Iterator[Origin]:
        kind, name = _KINDS[type(live)], live.type
        if isinstance(live, NodeInstance):
            template = live.template
            yield Origin(Place(template.origin.source, template.type_span), How.LITERAL, note=f"type {name}")
        seen: set[str] = set()
        while name not in seen:
            seen.add(name)
            type_ = self.ensemble.model.types.definition(kind, name)
            if type_ is None or type_.derived_from is None or _is_default_of(type_, key, said):
                return
            if type_.derived_from_span is not None and not type_.origin.shipped:
                place = Place(type_.origin.source, type_.derived_from_span)
                yield Origin(place, How.LITERAL, note=f"{name} derives from {type_.derived_from}")
            name = type_.derived_from


def _put_in(written: SourceValue | None) -> Iterator[Origin]:
    """Return the alias or merge key that inserted a value here."""
    if written is not None and written.through is not None:
        yield Origin(Place(written.origin.source, written.through), How.LITERAL, note="alias")


def _is_default_of(type_: TypeDefinition, key: str, said: SourceValue | None) -> bool:
    """Return whether this type defines the default."""
    definition = type_.properties.get(key) or type_.attributes.get(key)
    return (
        definition is not None
        and said is not None
        and (definition.default is said or definition.value is said)
    )


_SCALARS: Final = (str, int, float, bool, bytes, type(None))


def plain_value(value: Any) -> Value:
    """Return a value without references to live instances or lazily computed parts."""
    if type(value) in _SCALARS or isinstance(value, date | Unknown):
        return value  # type: ignore[no-any-return]
    if isinstance(value, Sensitive):
        return Sensitive(plain_value(value.value))
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, QueryResource):
        return Ref(id_of(value))
    if isinstance(value, Artifact):
        return value.location
    if isinstance(value, External):
        return plain_value(value.result())
    if isinstance(value, Mapping):
        return {str(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]
    return str(value)


def literal_value(data: Any) -> Value:
    """Return a value as written; expressions in it are not evaluated."""
    if isinstance(data, Mapping):
        return {str(key): literal_value(item) for key, item in data.items()}
    return [literal_value(item) for item in data] if isinstance(data, list) else data
