"""Refinement in 2.0: what a derived type, or a capability of a node type, may change of what it inherits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.near import did_you_mean
from sabir.diagnostics.rules import Rule
from sabir.languages.tosca.model.model import Model
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.model.values import FORBIDDEN_VALUE, holds_expression
from sabir.languages.tosca.syntax.examples import SECOND
from sabir.languages.tosca.syntax.nodes import (
    UNBOUNDED,
    CapabilityDefinition,
    InterfaceDefinition,
    Kind,
    PropertyDefinition,
    RequirementDefinition,
    Schema,
    TypeDefinition,
)
from sabir.languages.tosca.syntax.schemas import PRIMITIVES
from sabir.text import Place

__all__ = ["check_refinements"]

_ENDPOINT = "capability_types:\n  Endpoint:\n    properties: {port: {type: integer}}\n"
WRONG_REFINEMENT: Final = Rule(
    code="TOSCA:E038",
    title="a refinement that changes what is inherited",
    why="A type derived from another is used in its place. So a property may only get a narrower type and keeps a fixed value, what is "
    "required stays so, and a type of TOSCA's own gets no properties.",
    bad={
        "template.yaml": SECOND
        + _ENDPOINT
        + "  Admin: {derived_from: Endpoint, properties: {port: {type: string}}}\n"
    },
    good={
        "template.yaml": SECOND
        + _ENDPOINT
        + "  Admin: {derived_from: Endpoint, properties: {port: {type: integer, default: 22}}}\n"
    },
    language="tosca",
)

NO_TYPE: Final = Rule(
    code="TOSCA:E039",
    title="a definition without a type",
    why="Only the refinement of a definition that is inherited may leave out the type. Here there is nothing to inherit.",
    bad={"template.yaml": SECOND + "node_types:\n  A: {properties: {size: {required: true}}}\n"},
    good={
        "template.yaml": SECOND + "node_types:\n  A: {properties: {size: {type: integer, required: true}}}\n"
    },
    language="tosca",
)


def check_refinements(model: Model) -> Iterator[Finding]:
    if not model.topology.complete:
        return
    for kind, table in model.topology.types.items():
        for type_ in {id(type_): type_ for type_ in table.values()}.values():
            if type_.origin.second:
                yield from _Refinement(model, kind, type_).findings()
            elif not type_.origin.shipped:
                yield from _Refinement(model, kind, type_).native_types()


class _Refinement:
    """A type held against its parent."""

    def __init__(self, model: Model, kind: Kind, type_: TypeDefinition) -> None:
        self.model = model
        self.type = type_
        self.kind = kind
        has_parent = type_.derived_from is not None and type_.derived_from != type_.name
        self.parent: FlatType | None = (
            model.types.find(kind, type_.derived_from or "") if has_parent else None
        )
        self.subject = f"{kind.word} type {type_.name!r}"

    def findings(self) -> Iterator[Finding]:
        type_, parent = self.type, self.parent
        yield from self._native()
        inherited = {} if parent is None else parent.properties
        yield from self._properties(type_.properties, inherited, self.subject)
        inherited = {} if parent is None else parent.attributes
        yield from self._properties(type_.attributes, inherited, self.subject)
        for capability in type_.capabilities.values():
            yield from self._capability(capability)
        seen: set[str] = set()
        for requirement in type_.requirements:
            yield from self._requirement(requirement)
            if requirement.name in seen:
                message = f"requirement {requirement.name!r} of {self.subject} is defined twice"
                yield WRONG_REFINEMENT.at(requirement.place, message)
            seen.add(requirement.name)
        for interface in type_.interfaces.values():
            yield from self._interface(interface)
        for artifact in type_.artifacts.values():
            old_artifact = None if parent is None else parent.artifacts.get(artifact.name)
            if old_artifact is not None and artifact.type and old_artifact.type:
                subject = f"artifact {artifact.name!r} of {self.subject}"
                yield from self._named(
                    Kind.ARTIFACT, artifact.type, old_artifact.type, subject, artifact.place
                )
        yield from self._valid_types()

    def native_types(self) -> Iterator[Finding]:
        """Before 2.0: a property of one of TOSCA's own types stays of it. Of other types much more is written than is allowed."""
        parent = self.parent
        pairs = (
            ()
            if parent is None
            else ((self.type.properties, parent.properties), (self.type.attributes, parent.attributes))
        )
        for definitions, inherited in pairs:
            for name, new in definitions.items():
                old = inherited.get(name)
                names = [schema.name for schema in (old and old.schema, new.schema) if schema is not None]
                if (
                    len(names) == 2
                    and all(map(self.model.types.is_primitive, names))
                    and names[0] != names[1]
                ):
                    kind = "attribute" if new.is_attribute else "property"
                    message = f"{kind} {name!r} of {self.subject} is of type {names[1]!r}, and inherits {names[0]!r}"
                    yield WRONG_REFINEMENT.at(new.place, message)

    def _valid_types(self) -> Iterator[Finding]:
        """Lists of types that go with this one may only get narrower."""
        type_, parent = self.type, self.parent
        if parent is None:
            return
        lists = (
            ("valid_source_node_types", Kind.NODE, type_.valid_source_types, parent.valid_source_types),
            ("valid_capability_types", Kind.CAPABILITY, type_.valid_target_types, parent.valid_target_types),
            ("targets", Kind.NODE, type_.targets, parent.targets),
            ("members", Kind.NODE, type_.members, parent.members),
        )
        for word, kind, names, wide in lists:
            for name in names if wide else ():
                if not any(self._is_a(kind, name, other) for other in wide):
                    message = f"{word} of {self.subject} has {name!r}, which is not among those it inherits"
                    yield WRONG_REFINEMENT.at(type_.place, message)

    def _interface(self, new: InterfaceDefinition) -> Iterator[Finding]:
        subject = f"interface {new.name!r} of {self.subject}"
        old = None if self.parent is None else self.parent.interfaces.get(new.name)
        old_type = None if old is None else old.type
        if old is None and new.type is None:
            yield NO_TYPE.at(new.place, f"{subject} has no type", hint="add 'type:'")
            return
        if old_type is not None and new.type is not None:
            yield from self._named(Kind.INTERFACE, new.type, old_type, subject, new.place)
        flat = self.model.types.find(Kind.INTERFACE, new.type or old_type or "")
        for definition in () if flat is None else flat.chain:
            yield from self._operations(definition.behaviour, new, subject)

    def _operations(
        self, declared: InterfaceDefinition | None, new: InterfaceDefinition, subject: str
    ) -> Iterator[Finding]:
        """Inputs that the interface type declares keep their types."""
        if declared is None:
            return
        pairs = [(declared.inputs, new.inputs)]
        for name, operation in new.operations.items():
            if name in declared.operations:
                pairs.append((declared.operations[name].inputs, operation.inputs))
        for old_inputs, inputs in pairs:
            for name, parameter in inputs.items():
                old = old_inputs.get(name)
                if old is not None and old.schema is not None and parameter.schema is not None:
                    yield from self._schema(f"input {name!r} of {subject}", old.schema, parameter.schema)

    def _native(self) -> Iterator[Finding]:
        """TOSCA's own types hold one value; there is no place in it for properties."""
        flat = self.model.types.find(self.kind, self.type.name)
        base = None if flat is None else flat.primitive
        if self.kind is Kind.DATA and base is not None and base != "scalar" and self.type.properties:
            message = f"{self.subject} derives from {base} and cannot have properties"
            yield WRONG_REFINEMENT.at(self.type.place, message)

    def _properties(
        self,
        definitions: Mapping[str, PropertyDefinition],
        inherited: Mapping[str, PropertyDefinition],
        owner: str,
    ) -> Iterator[Finding]:
        for name, new in definitions.items():
            subject = f"{'attribute' if new.is_attribute else 'property'} {name!r} of {owner}"
            old = inherited.get(name)
            if old is not None:
                yield from self._property(subject, old, new)
            elif new.schema is None:
                yield self._without_type(subject, new)

    def _without_type(self, subject: str, new: PropertyDefinition) -> Finding:
        data = None if new.value is None or not new.is_short else new.value.data
        types = [*PRIMITIVES, *self.model.types.names(Kind.DATA)]
        near = did_you_mean(data, types) if isinstance(data, str) else None
        return NO_TYPE.at(new.place, f"{subject} has no type", hint=near or "add 'type:'")

    def _property(self, subject: str, old: PropertyDefinition, new: PropertyDefinition) -> Iterator[Finding]:
        if old.value is not None and not _says_the_same(old, new):
            yield WRONG_REFINEMENT.at(new.place, f"{subject} has a fixed value, which cannot be changed")
            return
        if new.says_required and not new.required and old.required:
            yield WRONG_REFINEMENT.at(new.place, f"{subject} is required and cannot become optional")
        if old.schema is not None and new.schema is not None:
            yield from self._schema(subject, old.schema, new.schema)
            yield from self._value(subject, old, new)

    def _value(self, subject: str, old: PropertyDefinition, new: PropertyDefinition) -> Iterator[Finding]:
        """What was asked of a value before holds for the new one, too."""
        written = new.value or new.default
        if written is None or holds_expression(written.data):
            return
        for misfit in self.model.values.misfits(old, written.data):
            if misfit.rule is FORBIDDEN_VALUE:
                yield misfit.rule.at(written.place, f"{subject}: {misfit.message}", hint=misfit.hint)

    def _schema(self, subject: str, old: Schema, new: Schema) -> Iterator[Finding]:
        if not self._is_a(Kind.DATA, new.name, old.name):
            message = (
                f"the type {new.name!r} of {subject} does not derive from {old.name!r}, which it inherits"
            )
            yield WRONG_REFINEMENT.at(new.place, message)
        elif old.entry_schema is not None and new.entry_schema is not None:
            yield from self._schema(f"the entries of {subject}", old.entry_schema, new.entry_schema)

    def _is_a(self, kind: Kind, name: str, ancestor: str) -> bool:
        types = self.model.types
        if name == ancestor or types.is_a(kind, name, ancestor):
            return True
        flat = types.find(kind, name)
        if flat is None:
            # A type that is not there is reported as such; that is enough.
            return not (kind is Kind.DATA and types.is_primitive(name))
        return kind is Kind.DATA and flat.primitive == ancestor

    def _capability(self, new: CapabilityDefinition) -> Iterator[Finding]:
        subject = f"capability {new.name!r} of {self.subject}"
        old = None if self.parent is None else self.parent.capabilities.get(new.name)
        if old is None and not new.type:
            yield NO_TYPE.at(new.place, f"{subject} has no type", hint="add 'type:'")
        if old is not None and new.type and old.type:
            yield from self._named(Kind.CAPABILITY, new.type, old.type, subject, new.place)
        flat = self.model.types.find(Kind.CAPABILITY, new.type or (old.type if old is not None else ""))
        if flat is not None:
            refined = {} if old is None else old.properties
            for name, definition in new.properties.items():
                if name not in flat.properties and name not in refined:
                    message = f"{flat.name} has no property {name!r} that {subject} could refine"
                    hint = did_you_mean(name, flat.properties)
                    yield WRONG_REFINEMENT.at(definition.place, message, hint=hint)
            yield from self._properties(new.properties, flat.properties, subject)
            yield from self._properties(new.attributes, flat.attributes, subject)

    def _named(self, kind: Kind, name: str, ancestor: str, subject: str, place: Place) -> Iterator[Finding]:
        if not self._is_a(kind, name, ancestor):
            message = (
                f"{kind.word} type {name!r} of {subject} does not derive from {ancestor!r}, which it inherits"
            )
            yield WRONG_REFINEMENT.at(place, message)

    def _requirement(self, new: RequirementDefinition) -> Iterator[Finding]:
        old = None if self.parent is None else self.parent.requirements.get(new.name)
        subject = f"requirement {new.name!r} of {self.subject}"
        if old is None:
            # The conformance files leave out the relationship, which is said to be mandatory, too.
            if new.capability is None:
                yield NO_TYPE.at(
                    new.place, f"{subject} has no capability", hint="add 'capability:' with a type"
                )
            return
        pairs = (
            (Kind.CAPABILITY, new.capability, old.capability),
            (Kind.NODE, new.node, old.node),
            (Kind.RELATIONSHIP, new.relationship, old.relationship),
        )
        for kind, name, ancestor in pairs:
            if name is not None and ancestor is not None:
                yield from self._named(kind, name, ancestor, subject, new.place)
        if new.says_occurrences and not _within(new.occurrences, old.occurrences):
            yield WRONG_REFINEMENT.at(
                new.place, f"the count_range of {subject} is not within the one it inherits"
            )


def _says_the_same(old: PropertyDefinition, new: PropertyDefinition) -> bool:
    """A refinement that repeats the value, or says nothing about it, changes nothing."""
    value = new.value or new.default
    return value is None or (old.value is not None and value.data == old.value.data)


def _within(new: tuple[int, int], old: tuple[int, int]) -> bool:
    low, high = new
    return low >= old[0] and (old[1] == UNBOUNDED or (high != UNBOUNDED and high <= old[1]))
