"""Writes of values: attributes once, relations on both ends, with all multiplicity and timing rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sabir.diagnostics.finding import RelatedLocation
from sabir.diagnostics.rules import Rule
from sabir.graph.origin import How
from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.interrupts import Stop
from sabir.languages.inmanta.evaluate.scopes import WriteSite
from sabir.languages.inmanta.evaluate.values import ModelInstance, PendingSlot, RelationValue
from sabir.languages.inmanta.model.entities import Property
from sabir.languages.inmanta.model.types import TYPE, ConstrainedType, ValueType, constraint_of, format_value
from sabir.languages.inmanta.syntax.examples import inmanta_rule
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.engine import ModelEngine


DOUBLE: Final = inmanta_rule(
    "INM:E011",
    "a second, different value",
    "A variable or attribute gets one value. The same value again is no error. A default is a value too: only the "
    "constructor can replace it. Both places are named.",
    when="evaluate",
)
FROZEN: Final = inmanta_rule(
    "INM:E014",
    "a relation is extended after its complete value was used",
    "Something needed the complete relation (a plug-in, a comparison, a template), and what it computed leads to one "
    "more value. No order of evaluation can make that true.",
    when="evaluate",
)
MULTIPLICITY: Final = inmanta_rule(
    "INM:E013",
    "too few or too many in a relation",
    "The multiplicity of a relation says how many instances it holds.",
    when="evaluate",
)


def stop(
    rule: Rule,
    message: str,
    place: Place,
    *,
    hint: str | None = None,
    related: tuple[RelatedLocation, ...] = (),
) -> Stop:
    """Return the exception that ends a statement with this finding."""
    return Stop(rule.at(place, message, hint=hint, related=related))


def of_constraint(constraint: ConstrainedType) -> tuple[str, RelatedLocation]:
    """Return the condition that a value violates, and where the typedef is."""
    name = constraint.name
    where = RelatedLocation(place=constraint.place, message=f"the type {name!r} is defined here")
    return f"{name} is {constraint.definition}", where


class InstanceWriter:
    """The only writer of instance properties."""

    def __init__(self, engine: ModelEngine) -> None:
        self.engine = engine

    def assign(self, instance: ModelInstance, prop: Property, value: Any, site: WriteSite) -> None:
        """Set an attribute or add to a relation."""
        if prop.target is None:
            assert prop.type is not None
            if not prop.type.accepts(value):
                raise self.type_error(instance, prop, value, site)
            self._set(instance, prop, value, site)
        elif value is None:
            self._null(instance, prop, site)
        elif prop.high == 1:
            self._link_checked(instance, prop, value, site)
        elif isinstance(value, list):
            for item in value:
                self._link_checked(instance, prop, item, site)
        else:
            self._link_checked(instance, prop, value, site)

    def type_error(self, instance: ModelInstance, prop: Property, value: Any, site: WriteSite) -> Stop:
        entity = instance.entity.shown
        related: tuple[RelatedLocation, ...] = (
            RelatedLocation(place=prop.place, message=f"{prop.name!r} is defined here"),
        )
        if prop.type is not None:
            message = (
                f"{entity}.{prop.name} is {_with_article(prop.type.name)}, and {format_value(value)} is not"
            )
            hint = _about_value(prop.type, value)
            constraint = constraint_of(prop.type, value)
            if constraint is not None:
                hint, where = of_constraint(constraint)
                related = (*related, where)
        else:
            assert prop.target is not None
            message = f"{entity}.{prop.name} holds instances of {prop.target.shown}, and {format_value(value)} is none"
            hint = None
        return stop(
            TYPE,
            message,
            site.place_of(prop.name),
            hint=hint,
            related=related,
        )

    def _link_checked(self, instance: ModelInstance, prop: Property, value: Any, site: WriteSite) -> None:
        if not isinstance(value, ModelInstance) or prop.target not in value.entity.ancestor_set:
            if isinstance(value, Unknown):
                self._link_unknown(instance, prop, value, site)
                return
            raise self.type_error(instance, prop, value, site)
        self.link(instance, prop, value, site)

    def _link_unknown(self, instance: ModelInstance, prop: Property, value: Unknown, site: WriteSite) -> None:
        """Add an unknown instance to a relation: it takes a position but has no other end."""
        if prop.high == 1:
            self._set(instance, prop, value, site)
            return
        relation = self.relation(instance, prop, instance.entity.slots[prop.name])
        if value in relation.unknowns:
            return
        if relation.closed:
            raise self._too_late(relation, site)
        relation.unknowns = (*relation.unknowns, value)

    def link(self, instance: ModelInstance, prop: Property, value: ModelInstance, site: WriteSite) -> None:
        """Relate two instances, on both ends."""
        if self._link_one(instance, prop, value, site):
            reverse = prop.reverse
            if reverse is not None:
                if reverse.hidden and value.entity.all_properties[reverse.name] is not reverse:
                    raise self.type_error(value, value.entity.all_properties[reverse.name], instance, site)
                self._link_one(value, reverse, instance, site)

    def _link_one(
        self, instance: ModelInstance, prop: Property, value: ModelInstance, site: WriteSite
    ) -> bool:
        slot = instance.entity.slots[prop.name]
        if prop.high == 1:
            return self._set(instance, prop, value, site)
        relation = instance.values[slot]
        if type(relation) is not RelationValue:
            relation = self.relation(instance, prop, slot)
        values = relation.values
        if value in values:
            return False
        if relation.closed:
            raise self._too_late(relation, site)
        values[value] = site
        if relation.first_waiters:
            self.engine.wake(relation.first_waiters)
            relation.first_waiters = []
        if relation.listeners:
            self.engine.announce(relation, value)
        if prop.high is not None and len(values) >= prop.high:
            self.engine.close_relation(relation)
        return True

    def relation(self, instance: ModelInstance, prop: Property, slot: int) -> RelationValue:
        """Return the relation in a slot, created on first use."""
        existing = instance.values[slot]
        if type(existing) is RelationValue:
            return existing
        relation = RelationValue(instance, prop, slot)
        instance.values[slot] = relation
        return relation

    def _too_late(self, relation: RelationValue, site: WriteSite) -> Stop:
        prop, owner = relation.prop, relation.owner
        name = f"{owner.entity.shown}.{prop.name}"
        construction = RelatedLocation(place=owner.site.place, message="the instance is made here")
        if prop.high is not None and len(relation.values) >= prop.high:
            return stop(
                MULTIPLICITY,
                f"{name} {prop.multiplicity()} takes at most {prop.high} values, and this is one more",
                site.place_of(prop.name),
                related=(construction,),
            )
        self.engine.too_late(relation.owner, relation.slot)
        reason = self.engine.closing.reason(relation.owner, relation.slot)
        return stop(
            FROZEN,
            f"{name} cannot be extended: its complete value was already used",
            site.place_of(prop.name),
            hint="what is added may not depend on the complete relation; use a second relation for the additions",
            related=(construction, *reason),
        )

    def _null(self, instance: ModelInstance, prop: Property, site: WriteSite) -> None:
        if prop.low != 0:
            raise stop(
                MULTIPLICITY,
                f"{instance.entity.shown}.{prop.name} {prop.multiplicity()} needs a value and cannot be null",
                site.place_of(prop.name),
                related=(RelatedLocation(place=prop.place, message="the relation is defined here"),),
            )
        if prop.high == 1:
            self._set(instance, prop, None, site)
            return
        relation = self.relation(instance, prop, instance.entity.slots[prop.name])
        if relation.values:
            first = next(iter(relation.values.values()))
            raise stop(
                FROZEN,
                f"{instance.entity.shown}.{prop.name} has values and cannot be null",
                site.place_of(prop.name),
                related=(RelatedLocation(place=first.place, message="a value is added here"),),
            )
        self._record(instance, relation.slot, site)
        self.engine.close_relation(relation)

    def _record(self, instance: ModelInstance, slot: int, site: WriteSite) -> None:
        if site is not instance.site:
            if instance.writes is None:
                instance.writes = {}
            instance.writes[slot] = site

    def _set(self, instance: ModelInstance, prop: Property, value: Any, site: WriteSite) -> bool:
        """Fill a slot. Return False if it already has the same value."""
        slot = instance.entity.slots[prop.name]
        values = instance.values
        old = values[slot]
        if type(old) is PendingSlot:
            values[slot] = value
            if site is not instance.site:
                if instance.writes is None:
                    instance.writes = {}
                instance.writes[slot] = site
            if old.waiters:
                self.engine.wake(old.waiters)
            return True
        if old is value or old == value:
            return False
        if (
            instance.writes is not None
            and slot in instance.writes
            and instance.writes[slot].how is How.OVERRIDE
        ):
            return False  # a what-if value stands against everything the model says
        raise self._double(instance, prop, slot, value, site)

    def _double(
        self, instance: ModelInstance, prop: Property, slot: int, value: Any, site: WriteSite
    ) -> Stop:
        old = instance.values[slot]
        name = f"{instance.entity.shown}.{prop.name}"
        if old is None and self.engine.closing.was_closed(instance, slot):
            self.engine.too_late(instance, slot)
            return stop(
                FROZEN,
                f"{name} cannot be set: it was already used as null",
                site.place_of(prop.name),
                related=(
                    RelatedLocation(place=instance.site.place, message="the instance is made here"),
                    *self.engine.closing.reason(instance, slot),
                ),
            )
        first = self._first_place(instance, prop, slot)
        rule = FROZEN if prop.is_relation and old is None else DOUBLE
        return stop(
            rule,
            f"{name} has the value {format_value(old)} and cannot be set to {format_value(value)}",
            site.place_of(prop.name),
            hint="a default can be changed only in the constructor" if first[1] else None,
            related=(
                RelatedLocation(
                    place=first[0], message="the default is here" if first[1] else "first set here"
                ),
            ),
        )

    def _first_place(self, instance: ModelInstance, prop: Property, slot: int) -> tuple[Place, bool]:
        """Return where a slot got its value, and whether that is a default."""
        writes = instance.writes
        if writes is not None and slot in writes:
            return writes[slot].place_of(prop.name), False
        site = instance.site
        if prop.name not in site.explicit:
            default = instance.entity.default_place(prop.name)
            if default is not None and prop.target is None:
                return default, True
        return site.place_of(prop.name), False


def _with_article(name: str) -> str:
    return f"an {name}" if name[:1] in "aeiou" else f"a {name}"


def _about_value(kind: ValueType, value: Any) -> str | None:
    """Return which part of a value does not fit, or how to fix it."""
    if value is None:
        return f"write {kind.name}? in the entity to allow null"
    items = value if isinstance(value, list) else [*value.values()] if isinstance(value, dict) else []
    if any(isinstance(item, ModelInstance) for item in items):
        return "instances are held by a relation, not by an attribute"
    if kind.inner is not None and isinstance(value, list):
        wrong = next((item for item in items if not kind.inner.accepts(item)), value)
        return None if wrong is value else f"{format_value(wrong)} is no {kind.inner.name}"
    return None
