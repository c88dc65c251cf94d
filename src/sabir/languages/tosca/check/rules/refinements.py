"""Checks of derived types: what a type may change of its parent."""

from __future__ import annotations

from collections.abc import Iterator

from sabir.diagnostics.finding import Finding
from sabir.languages.tosca.check.rules.refined_members import (
    WRONG_REFINEMENT,
    RefinedBehaviour,
    RefinedLinks,
    RefinementChecker,
)
from sabir.languages.tosca.model.model import TopologyModel
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.syntax.nodes import TypeDefinition
from sabir.languages.tosca.syntax.scopes import TypeKind


def check_refinements(model: TopologyModel) -> Iterator[Finding]:
    """Check each type of the topology against its parent.

    Types of 2.0 documents are checked completely, others by `native_types` only.
    """
    if not model.topology.complete:
        return
    for kind, table in model.topology.types.items():
        for type_ in {id(type_): type_ for type_ in table.values()}.values():
            if type_.origin.second:
                yield from _Refinement(model, kind, type_).findings()
            elif not type_.origin.shipped:
                yield from _Refinement(model, kind, type_).native_types()


class _Refinement:
    """Comparison of a type with its parent."""

    def __init__(self, model: TopologyModel, kind: TypeKind, type_: TypeDefinition) -> None:
        self.model = model
        self.type = type_
        self.kind = kind
        has_parent = type_.derived_from is not None and type_.derived_from != type_.name
        self.parent: FlatType | None = (
            model.types.find(kind, type_.derived_from or "") if has_parent else None
        )
        self.subject = f"{kind.word} type {type_.name!r}"
        self.refining = RefinementChecker(model)

    def findings(self) -> Iterator[Finding]:
        type_, parent, refining = self.type, self.parent, self.refining
        yield from self._native()
        inherited = {} if parent is None else parent.properties
        yield from refining.properties(type_.properties, inherited, self.subject)
        inherited = {} if parent is None else parent.attributes
        yield from refining.properties(type_.attributes, inherited, self.subject)
        yield from RefinedLinks(refining).findings(type_, parent, self.subject)
        yield from RefinedBehaviour(refining).findings(type_, parent, self.subject)
        for artifact in type_.artifacts.values():
            old_artifact = None if parent is None else parent.artifacts.get(artifact.name)
            if old_artifact is not None and artifact.type and old_artifact.type:
                subject = f"artifact {artifact.name!r} of {self.subject}"
                yield from refining.check_type_name(
                    TypeKind.ARTIFACT, artifact.type, old_artifact.type, subject, artifact.place
                )
        yield from self._triggers()
        yield from self._schemas()
        yield from self._valid_types()

    def native_types(self) -> Iterator[Finding]:
        """Check that a property or attribute of a primitive type keeps that type (before 2.0).

        Other types are not checked: published templates change more there than the profile allows.
        """
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

    def _triggers(self) -> Iterator[Finding]:
        """Check that triggers of policy types are unchanged; new ones are allowed."""
        for above in () if self.parent is None else self.parent.chain:
            for name, trigger in self.type.triggers.items():
                if name in above.triggers:
                    message = f"trigger {name!r} of {self.subject} is inherited and cannot be changed"
                    yield WRONG_REFINEMENT.at(trigger.place, message)

    def _schemas(self) -> Iterator[Finding]:
        """Check the entry and key schemas of a data type that is a list or a map."""
        above = () if self.parent is None else self.parent.chain
        for word, new, old in (
            ("entries", self.type.schema, next((type_.schema for type_ in above if type_.schema), None)),
            (
                "keys",
                self.type.key_schema,
                next((type_.key_schema for type_ in above if type_.key_schema), None),
            ),
        ):
            if new is not None and old is not None:
                yield from self.refining.schema(f"the {word} of {self.subject}", old, new)

    def _valid_types(self) -> Iterator[Finding]:
        type_ = self.type
        above = () if self.parent is None else self.parent.chain
        for word, kind, names, lists in (
            ("valid_source_node_types", TypeKind.NODE, type_.valid_source_types, [each.valid_source_types for each in above]),
            ("valid_capability_types", TypeKind.CAPABILITY, type_.valid_target_types, [each.valid_target_types for each in above]),
            ("valid_target_node_types", TypeKind.NODE, type_.valid_target_node_types, [each.valid_target_node_types for each in above]),
            ("valid_relationship_types", TypeKind.RELATIONSHIP, type_.valid_relationship_types, [each.valid_relationship_types for each in above]),
            ("targets", TypeKind.NODE, type_.targets, [each.targets for each in above]),
            ("members", TypeKind.NODE, type_.members, [each.members for each in above]),
        ):  # fmt: skip
            wide = next(filter(None, lists), ())
            yield from self.refining.narrower(word, kind, names, wide, self.subject, type_.place)

    def _native(self) -> Iterator[Finding]:
        """Report properties in data types that derive from a primitive type, which holds one value."""
        flat = self.model.types.find(self.kind, self.type.name)
        base = None if flat is None else flat.primitive
        if self.kind is TypeKind.DATA and base is not None and base != "scalar" and self.type.properties:
            message = f"{self.subject} derives from {base} and cannot have properties"
            yield WRONG_REFINEMENT.at(self.type.place, message)
