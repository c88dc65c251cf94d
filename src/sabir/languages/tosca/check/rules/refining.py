"""What a refinement may change of what it refines: types get narrower, fixed values and what is required stay (2.0)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.model.model import Model
from sabir.languages.tosca.model.values import FORBIDDEN_VALUE, MISSING_VALUE, holds_expression
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import PropertyDefinition, Schema
from sabir.languages.tosca.syntax.schemas import PRIMITIVES
from sabir.languages.tosca.syntax.scopes import Kind
from sabir.text import Place

__all__ = ["NO_TYPE", "WRONG_REFINEMENT", "Refining"]

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


class Refining:
    """Holds definitions against those that they refine."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def properties(
        self,
        definitions: Mapping[str, PropertyDefinition],
        inherited: Mapping[str, PropertyDefinition],
        owner: str,
    ) -> Iterator[Finding]:
        """Properties or attributes of a type; those that are new need a type."""
        for name, new in definitions.items():
            subject = f"{_word(new)} {name!r} of {owner}"
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
        """Where nothing may be added: in capabilities of node types, and in relationships of requirements."""
        for name, new in definitions.items():
            old = inherited.get(name)
            if old is not None:
                yield from self.property(f"{_word(new)} {name!r} of {owner}", old, new)
                continue
            message = f"{type_name} has no {_word(new)} {name!r} that {owner} could refine"
            yield WRONG_REFINEMENT.at(new.place, message, hint=did_you_mean(name, inherited))

    def parameters(
        self,
        definitions: Mapping[str, PropertyDefinition],
        inherited: Mapping[str, PropertyDefinition],
        word: str,
        owner: str,
    ) -> Iterator[Finding]:
        """Inputs or outputs: others may be added, without a type, too."""
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
        if new.name and not self.is_a(Kind.DATA, new.name, old.name):
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

    def named(self, kind: Kind, name: str, ancestor: str, subject: str, place: Place) -> Iterator[Finding]:
        if not self.is_a(kind, name, ancestor):
            message = (
                f"{kind.word} type {name!r} of {subject} does not derive from {ancestor!r}, which it inherits"
            )
            yield WRONG_REFINEMENT.at(place, message)

    def narrower(
        self, word: str, kind: Kind, names: tuple[str, ...], wide: tuple[str, ...], subject: str, place: Place
    ) -> Iterator[Finding]:
        """Lists of types that go with a type or capability may only get narrower."""
        for name in names if wide else ():
            if not any(self.is_a(kind, name, other) for other in wide):
                message = f"{word} of {subject} has {name!r}, which is not among those it inherits"
                yield WRONG_REFINEMENT.at(place, message, hint="those are " + ", ".join(wide))

    def is_a(self, kind: Kind, name: str, ancestor: str) -> bool:
        types = self.model.types
        if name == ancestor or types.is_a(kind, name, ancestor):
            return True
        flat = types.find(kind, name)
        if flat is None:
            # A type that is not there is reported as such; that is enough.
            return not (kind is Kind.DATA and types.is_primitive(name))
        return kind is Kind.DATA and flat.primitive == ancestor

    def _value(self, subject: str, old: PropertyDefinition, new: PropertyDefinition) -> Iterator[Finding]:
        """What was asked of a value before holds for the new one, too; a type of its own has been asked already."""
        written = new.value or new.default
        if written is None or holds_expression(written.data):
            return
        for misfit in self.model.values.misfits(old, written.data):
            if misfit.rule is FORBIDDEN_VALUE or (new.schema is None and misfit.rule is not MISSING_VALUE):
                yield misfit.rule.at(written.place, f"{subject}: {misfit.message}", hint=misfit.hint)

    def _without_type(self, subject: str, new: PropertyDefinition) -> Finding:
        data = None if new.value is None or not new.is_short else new.value.data
        types = self.model.types.names(Kind.DATA)
        near = did_you_mean(data, types, PRIMITIVES) if isinstance(data, str) else None
        return NO_TYPE.at(new.place, f"{subject} has no type", hint=near or "add 'type:'")


def _word(definition: PropertyDefinition) -> str:
    return "attribute" if definition.is_attribute else "property"


def _says_the_same(old: PropertyDefinition, new: PropertyDefinition) -> bool:
    """A refinement that repeats the value, or says nothing about it, changes nothing."""
    value = new.value or new.default
    return value is None or (old.value is not None and value.data == old.value.data)
