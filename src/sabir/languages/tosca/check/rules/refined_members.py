"""Checks of refined members of types (TOSCA 2.0).

Covers properties, interfaces, capabilities and requirements. A refinement may only narrow what it inherits: a
value of the derived type must be valid wherever a value of the parent type is. Hence types may be replaced by
derived types only, ranges by subranges, and fixed values and required properties may not change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.model.model import TopologyModel
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.model.values import FORBIDDEN_VALUE, MISSING_VALUE, holds_expression
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import (
    UNBOUNDED,
    CapabilityDefinition,
    InterfaceDefinition,
    OperationDefinition,
    PropertyDefinition,
    RequirementDefinition,
    Schema,
    TypeDefinition,
)
from sabir.languages.tosca.syntax.reader import WRONG_SHAPE
from sabir.languages.tosca.syntax.schemas import PRIMITIVES
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.text import Place

WRONG_REFINEMENT: Final = tosca_rule(
    code="TOSCA:E038",
    title="a refinement that changes what is inherited",
    why="A type derived from another is used in its place. So a property may only get a narrower type and keeps a fixed value, what is "
    "required stays so, and a type of TOSCA's own gets no properties.",
)

NO_TYPE: Final = tosca_rule(
    code="TOSCA:E039",
    title="a definition without a type",
    why="Only the refinement of a definition that is inherited may leave out the type. Here there is nothing to inherit.",
)


class RefinementChecker:
    """Comparison of definitions with the definitions that they refine."""

    def __init__(self, model: TopologyModel) -> None:
        self.model = model

    def properties(
        self,
        definitions: Mapping[str, PropertyDefinition],
        inherited: Mapping[str, PropertyDefinition],
        owner: str,
    ) -> Iterator[Finding]:
        """Check properties or attributes of a type; new ones must have a type."""
        for name, new in definitions.items():
            subject = f"{_member_kind(new)} {name!r} of {owner}"
            old = inherited.get(name)
            if old is not None:
                yield from self.property(subject, old, new)
            elif new.schema is None:
                yield self._without_type(subject, new)

    def only_refined(
        self,
        definitions: Mapping[str, PropertyDefinition],
        inherited: Mapping[str, PropertyDefinition],
        owner: str,
        type_name: str,
    ) -> Iterator[Finding]:
        """Check definitions where none may be added.

        This is the case for capabilities of node types and relationships of requirements.
        """
        for name, new in definitions.items():
            old = inherited.get(name)
            if old is not None:
                yield from self.property(f"{_member_kind(new)} {name!r} of {owner}", old, new)
                continue
            message = f"{type_name} has no {_member_kind(new)} {name!r} that {owner} could refine"
            yield WRONG_REFINEMENT.at(new.place, message, hint=did_you_mean(name, inherited))

    def parameters(
        self,
        definitions: Mapping[str, PropertyDefinition],
        inherited: Mapping[str, PropertyDefinition],
        word: str,
        owner: str,
    ) -> Iterator[Finding]:
        """Check inputs or outputs; new ones are allowed, also without a type."""
        for name, new in definitions.items():
            old = inherited.get(name)
            if old is not None:
                yield from self.property(f"{word} {name!r} of {owner}", old, new)

    def property(self, subject: str, old: PropertyDefinition, new: PropertyDefinition) -> Iterator[Finding]:
        if old.value is not None and not _says_the_same(old, new):
            yield WRONG_REFINEMENT.at(new.place, f"{subject} has a fixed value, which cannot be changed")
            return
        if new.says_required and not new.required and old.required:
            yield WRONG_REFINEMENT.at(new.place, f"{subject} is required and cannot become optional")
        schema = new.schema or new.refined_schema
        if old.schema is not None and schema is not None:
            yield from self.schema(subject, old.schema, schema)
        if old.schema is not None:
            yield from self._value(subject, old, new)

    def schema(self, subject: str, old: Schema, new: Schema) -> Iterator[Finding]:
        if new.name and not self.is_a(TypeKind.DATA, new.name, old.name):
            message = (
                f"the type {new.name!r} of {subject} does not derive from {old.name!r}, which it inherits"
            )
            yield WRONG_REFINEMENT.at(new.place, message)
            return
        for word, outer, inner in (
            ("entries", old.entry_schema, new.entry_schema),
            ("keys", old.key_schema, new.key_schema),
        ):
            if outer is not None and inner is not None:
                yield from self.schema(f"the {word} of {subject}", outer, inner)

    def check_type_name(
        self, kind: TypeKind, name: str, ancestor: str, subject: str, place: Place
    ) -> Iterator[Finding]:
        if not self.is_a(kind, name, ancestor):
            message = (
                f"{kind.word} type {name!r} of {subject} does not derive from {ancestor!r}, which it inherits"
            )
            yield WRONG_REFINEMENT.at(place, message)

    def narrower(
        self,
        word: str,
        kind: TypeKind,
        names: tuple[str, ...],
        wide: tuple[str, ...],
        subject: str,
        place: Place,
    ) -> Iterator[Finding]:
        """Check that a list of valid types only becomes narrower."""
        for name in names if wide else ():
            if not any(self.is_a(kind, name, other) for other in wide):
                message = f"{word} of {subject} has {name!r}, which is not among those it inherits"
                yield WRONG_REFINEMENT.at(place, message, hint="those are " + ", ".join(wide))

    def is_a(self, kind: TypeKind, name: str, ancestor: str) -> bool:
        types = self.model.types
        if name == ancestor or types.is_a(kind, name, ancestor):
            return True
        flat = types.find(kind, name)
        if flat is None:
            # An unknown type is reported elsewhere.
            return not (kind is TypeKind.DATA and types.is_primitive(name))
        return kind is TypeKind.DATA and flat.primitive == ancestor

    def _value(self, subject: str, old: PropertyDefinition, new: PropertyDefinition) -> Iterator[Finding]:
        """Check that the new value satisfies the constraints of the old definition.

        A definition with its own type has been checked against that type already.
        """
        written = new.value or new.default
        if written is None or holds_expression(written.data):
            return
        for misfit in self.model.values.misfits(old, written.data):
            if misfit.rule is FORBIDDEN_VALUE or (new.schema is None and misfit.rule is not MISSING_VALUE):
                yield misfit.rule.at(written.place, f"{subject}: {misfit.message}", hint=misfit.hint)

    def _without_type(self, subject: str, new: PropertyDefinition) -> Finding:
        data = None if new.value is None or not new.is_short else new.value.data
        types = self.model.types.names(TypeKind.DATA)
        near = did_you_mean(data, types, PRIMITIVES) if isinstance(data, str) else None
        return NO_TYPE.at(new.place, f"{subject} has no type", hint=near or "add 'type:'")


def _member_kind(definition: PropertyDefinition) -> str:
    return "attribute" if definition.is_attribute else "property"


def _says_the_same(old: PropertyDefinition, new: PropertyDefinition) -> bool:
    """Return whether a refinement repeats the value or does not mention it."""
    value = new.value or new.default
    return value is None or (old.value is not None and value.data == old.value.data)


class RefinedBehaviour:
    """Checks of the interfaces of a type against its interface types and its parent."""

    def __init__(self, refining: RefinementChecker) -> None:
        self.refining = refining
        self.types = refining.model.types
        self.is_lost = False
        """Whether a key of the type is misspelled, which is reported elsewhere."""

    def findings(self, type_: TypeDefinition, parent: FlatType | None, owner: str) -> Iterator[Finding]:
        """Check an interface type itself, or the interfaces of a node or relationship type."""
        self.is_lost = type_.loses
        if type_.behaviour is not None:
            for above in () if parent is None else parent.chain:
                yield from self._operations(above.behaviour, type_.behaviour, owner)
        for interface in type_.interfaces.values():
            yield from self.interface(interface, parent, owner)

    def interface(
        self, new: InterfaceDefinition, inherited: FlatType | None, owner: str
    ) -> Iterator[Finding]:
        """Check one interface.

        `inherited` is the type that may already have an interface of this name.
        """
        subject = f"interface {new.name!r} of {owner}"
        old = None if inherited is None else inherited.interfaces.get(new.name)
        chain = () if inherited is None else inherited.chain
        layers = [type_.interfaces[new.name] for type_ in chain if new.name in type_.interfaces]
        old_type = next((layer.type for layer in layers if layer.type), None)
        if old is None and new.type is None:
            if not self.is_lost:
                yield NO_TYPE.at(new.place, f"{subject} has no type", hint="add 'type:'")
            return
        if old_type is not None and new.type is not None:
            yield from self.refining.check_type_name(
                TypeKind.INTERFACE, new.type, old_type, subject, new.place
            )
        flat = self.types.find(TypeKind.INTERFACE, new.type or old_type or "")
        for layer in (*layers, *(definition.behaviour for definition in (flat.chain if flat else ()))):
            yield from self._operations(layer, new, subject)

    def _operations(
        self, declared: InterfaceDefinition | None, new: InterfaceDefinition, subject: str
    ) -> Iterator[Finding]:
        """Check that inherited inputs and outputs keep their types."""
        if declared is None:
            return
        yield from self.refining.parameters(new.inputs, declared.inputs, "input", subject)
        for operations, above in (
            (new.operations, declared.operations),
            (new.notifications, declared.notifications),
        ):
            for name, operation in operations.items():
                if name in above:
                    yield from self._operation(above[name], operation, f"{name!r} of {subject}")

    def _operation(
        self, old: OperationDefinition, new: OperationDefinition, subject: str
    ) -> Iterator[Finding]:
        yield from self.refining.parameters(new.inputs, old.inputs, "input", subject)
        yield from self.refining.parameters(
            _output_definitions(new), _output_definitions(old), "output", subject
        )
        for name, output in new.outputs.items():
            before = old.outputs.get(name)
            if before is not None and before.target and output.target and before.target != output.target:
                way = ", ".join(before.target)
                message = f"output {name!r} of {subject} goes to [{way}] already, which cannot be changed"
                yield WRONG_REFINEMENT.at(output.place, message)


def _output_definitions(operation: OperationDefinition) -> Mapping[str, PropertyDefinition]:
    return {
        name: output.definition for name, output in operation.outputs.items() if output.definition is not None
    }


class RefinedLinks:
    """Checks of the capabilities and requirements of a node type against its parent."""

    def __init__(self, refining: RefinementChecker) -> None:
        self.refining = refining
        self.types = refining.model.types
        self.is_lost = False
        """Whether a key of the type is misspelled, which is reported elsewhere."""

    def findings(self, type_: TypeDefinition, parent: FlatType | None, owner: str) -> Iterator[Finding]:
        self.is_lost = type_.loses
        for capability in type_.capabilities.values():
            inherited = None if parent is None else parent.capabilities.get(capability.name)
            subject = f"capability {capability.name!r} of {owner}"
            yield from self._capability(capability, inherited, subject)
        names: set[str] = set()
        for requirement in type_.requirements:
            subject = f"requirement {requirement.name!r} of {owner}"
            if requirement.name in names:
                yield WRONG_SHAPE.at(requirement.place, f"{subject} is defined twice")
            names.add(requirement.name)
            above = None if parent is None else parent.requirements.get(requirement.name)
            yield from self._requirement(requirement, above, subject)

    def _capability(
        self, new: CapabilityDefinition, old: CapabilityDefinition | None, subject: str
    ) -> Iterator[Finding]:
        refining = self.refining
        if old is None and not new.type and not self.is_lost:
            yield NO_TYPE.at(new.place, f"{subject} has no type", hint="add 'type:'")
        if old is not None and new.type and old.type:
            yield from refining.check_type_name(TypeKind.CAPABILITY, new.type, old.type, subject, new.place)
        flat = self.types.find(TypeKind.CAPABILITY, new.type or (old.type if old is not None else ""))
        if flat is None:
            return
        yield from refining.only_refined(new.properties, flat.properties, subject, flat.name)
        yield from refining.only_refined(new.attributes, flat.attributes, subject, flat.name)
        for word, kind, names, lists in (
            (
                "valid_source_node_types",
                TypeKind.NODE,
                new.valid_source_types,
                (type_.valid_source_types for type_ in flat.chain),
            ),
            (
                "valid_relationship_types",
                TypeKind.RELATIONSHIP,
                new.valid_relationship_types,
                (type_.valid_relationship_types for type_ in flat.chain),
            ),
        ):
            wide = next(filter(None, lists), ())
            yield from refining.narrower(word, kind, names, wide, subject, new.place)

    def _requirement(
        self, new: RequirementDefinition, old: RequirementDefinition | None, subject: str
    ) -> Iterator[Finding]:
        yield from self._relationship(new, old, subject)
        if old is None:
            # The conformance files omit the relationship, although the specification calls it mandatory.
            if new.capability is None:
                yield NO_TYPE.at(
                    new.place, f"{subject} has no capability", hint="add 'capability:' with a type"
                )
            return
        if new.capability is not None and old.capability is not None:
            yield from self._same_capability(new.capability, old.capability, new, subject)
        for kind, name, ancestor in (
            (TypeKind.NODE, new.node, old.node),
            (TypeKind.RELATIONSHIP, new.relationship, old.relationship),
        ):
            if name is not None and ancestor is not None:
                yield from self.refining.check_type_name(kind, name, ancestor, subject, new.place)
        if new.says_occurrences and not _is_subrange(new.occurrences, old.occurrences):
            yield WRONG_REFINEMENT.at(
                new.place, f"the count_range of {subject} is not within the one it inherits"
            )

    def _same_capability(
        self, name: str, inherited: str, new: RequirementDefinition, subject: str
    ) -> Iterator[Finding]:
        if self.types.definition(TypeKind.CAPABILITY, inherited) is not None:
            yield from self.refining.check_type_name(TypeKind.CAPABILITY, name, inherited, subject, new.place)
        elif name != inherited:
            message = f"{subject} is for the capability {inherited!r}, which cannot be changed to {name!r}"
            yield WRONG_REFINEMENT.at(new.place_of("capability"), message)

    def _relationship(
        self, new: RequirementDefinition, old: RequirementDefinition | None, owner: str
    ) -> Iterator[Finding]:
        """Check what a requirement states about its relationship against the relationship type."""
        refined = new.refinement
        if refined is None:
            return
        name = new.relationship or (None if old is None else old.relationship)
        subject = f"the relationship of {owner}"
        if name is None:
            yield NO_TYPE.at(refined.place, f"{subject} has no type", hint="add 'type:'")
            return
        flat = self.types.find(TypeKind.RELATIONSHIP, name)
        if flat is None:
            return
        yield from self.refining.only_refined(refined.properties, flat.properties, subject, flat.name)
        yield from self.refining.only_refined(refined.attributes, flat.attributes, subject, flat.name)
        behaviour = RefinedBehaviour(self.refining)
        for interface in refined.interfaces.values():
            if interface.name in flat.interfaces:
                yield from behaviour.interface(interface, flat, subject)
                continue
            message = f"{flat.name} has no interface {interface.name!r} that {subject} could refine"
            hint = did_you_mean(interface.name, flat.interfaces)
            yield WRONG_REFINEMENT.at(interface.place, message, hint=hint)


def _is_subrange(new: tuple[int, int], old: tuple[int, int]) -> bool:
    low, high = new
    return low >= old[0] and (old[1] == UNBOUNDED or (high != UNBOUNDED and high <= old[1]))
