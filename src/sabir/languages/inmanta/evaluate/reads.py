"""Compiled reads: variables by frame and slot, attributes of instances.

These closures are the innermost loop of every evaluation, so each one spells out the path to its slot.
A shared helper would cost a call for each value that is read.
"""

from __future__ import annotations

from typing import Any, Final

from sabir.diagnostics.finding import RelatedLocation
from sabir.diagnostics.suggestions import did_you_mean
from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.interrupts import Stop, Unset, Wait, WaitForFirst
from sabir.languages.inmanta.evaluate.values import Frame, ModelInstance, PendingSlot, Read, RelationValue
from sabir.languages.inmanta.evaluate.writes import stop
from sabir.languages.inmanta.model.definitions import UNKNOWN_NAME
from sabir.languages.inmanta.model.entities import EntityType
from sabir.languages.inmanta.model.types import TYPE, format_value
from sabir.languages.inmanta.syntax.examples import inmanta_rule
from sabir.text import Place

UNSET: Final = inmanta_rule(
    "INM:E012",
    "a value never comes",
    "Every attribute needs a value unless its type is nullable, every relation [1] an instance. The finding stands at "
    "the constructor of the incomplete instance.",
    when="evaluate",
)


def variable_reader(depth: int, slot: int) -> Read:
    """Return a read of a variable `depth` frames up. The first three depths have no loop."""
    if depth == 0:

        def read_here(frame: Frame) -> Any:
            value = frame[slot]
            if type(value) is PendingSlot:
                raise Wait(frame, slot)
            return value

        return read_here
    if depth == 1:

        def read_above(frame: Frame) -> Any:
            above = frame[0]
            value = above[slot]
            if type(value) is PendingSlot:
                raise Wait(above, slot)
            return value

        return read_above

    def read_far(frame: Frame) -> Any:
        for _ in range(depth):
            frame = frame[0]
        value = frame[slot]
        if type(value) is PendingSlot:
            raise Wait(frame, slot)
        return value

    return read_far


def frame_reader(frame: Frame, slot: int) -> Read:
    """Return a read of a variable of a namespace, whose frame is known at compile time."""

    def read(_: Frame) -> Any:
        value = frame[slot]
        if type(value) is PendingSlot:
            raise Wait(frame, slot)
        return value

    return read


def memo_reader(read: Read, slot: int) -> Read:
    """Return a read that stores its value in the frame.

    Expressions with effects are read this way, because the statement may wait and run again.
    """

    def read_once(frame: Frame) -> Any:
        value = frame[slot]
        if type(value) is PendingSlot:
            value = frame[slot] = read(frame)
        return value

    return read_once


def self_reader(depth: int) -> Read:
    """Return a read of the refined instance: slot 1 of the frame of the refinement."""
    if depth == 0:
        return lambda frame: frame[1]

    def read(frame: Frame) -> Any:
        for _ in range(depth):
            frame = frame[0]
        return frame[1]

    return read


def attribute_reader(base: Read, name: str, place: Place) -> Read:
    """Return a read of an attribute; it waits while the value is missing or the relation is open."""

    def read(frame: Frame) -> Any:
        instance = base(frame)
        if type(instance) is not ModelInstance:
            raise _no_instance(instance, name, place)
        slot = instance.entity.slots.get(name)
        if slot is None:
            raise no_attribute(instance.entity, name, place)
        value = instance.values[slot]
        kind = type(value)
        if kind is PendingSlot:
            raise Wait(instance.values, slot, instance)
        if kind is RelationValue:
            if not value.closed:
                raise Wait(instance.values, slot, instance)
            return value.complete()
        if value is None:
            _check_relation(instance, name, place)
        return value

    return read


def _check_relation(instance: ModelInstance, name: str, place: Place) -> None:
    """Reject the read of an unset optional relation. Only a null attribute can be read."""
    if instance.entity.all_properties[name].is_relation:
        raise Unset(
            UNSET.at(
                message=f"the optional relation {instance.entity.shown}.{name} has no value",
                place=place,
                hint="guard it with 'is defined'",
                related=(RelatedLocation(place=instance.site.place, message="the instance is made here"),),
            )
        )


def gradual_reader(base: Read, name: str, place: Place) -> Read:
    """Return a read of a relation that may still be open, so that its values can be consumed as they arrive."""

    def read(frame: Frame) -> Any:
        instance = base(frame)
        if type(instance) is not ModelInstance:
            raise _no_instance(instance, name, place)
        entity = instance.entity
        slot = entity.slots.get(name)
        if slot is None:
            raise no_attribute(entity, name, place)
        value = instance.values[slot]
        kind = type(value)
        if kind is RelationValue:
            return value.complete() if value.closed else value
        if kind is PendingSlot:
            prop = entity.all_properties[name]
            if prop.is_list:
                relation = instance.values[slot] = RelationValue(instance, prop, slot)
                return relation
            raise Wait(instance.values, slot, instance)
        if value is None:
            _check_relation(instance, name, place)
        return value

    return read


def definition_reader(base: Read, name: str, place: Place) -> Read:
    """Return a read of `instance.name is defined`; null and the empty list are not defined."""

    def read(frame: Frame) -> Any:
        instance = base(frame)
        if type(instance) is not ModelInstance:
            if instance is None:
                return False
            if isinstance(instance, Unknown):
                return instance
            raise _no_instance(instance, name, place)
        slot = instance.entity.slots.get(name)
        if slot is None:
            raise no_attribute(instance.entity, name, place)
        value = instance.values[slot]
        kind = type(value)
        if kind is PendingSlot:
            if instance.entity.all_properties[name].is_list:
                raise WaitForFirst(instance.values, slot, instance)
            raise Wait(instance.values, slot, instance)
        if kind is RelationValue:
            if value.values:
                return True
            if not value.closed:
                raise WaitForFirst(instance.values, slot, instance)
            return value.unknowns[0] if value.unknowns else False
        return is_defined(value)

    return read


def is_defined(value: Any) -> Any:
    """Return true, false, or unknown. A list is defined if one of its items is known, even null."""
    if isinstance(value, list):
        settled = [item for item in value if not isinstance(item, Unknown)]
        return bool(settled) if settled or not value else value[0]
    return value if isinstance(value, Unknown) else value is not None


def _no_instance(value: Any, name: str, place: Place) -> Stop:
    hint = "guard it with 'is defined'" if value is None else None
    if isinstance(value, dict) and name in value:
        hint = f"a key of a dict is read with [{name!r}]"
    elif isinstance(value, list):
        hint = "read it from each item, in a for loop"
    return stop(TYPE, f"{format_value(value)} is no instance and has no attribute {name!r}", place, hint=hint)


def no_attribute(entity: EntityType, name: str, place: Place) -> Stop:
    """Return the error for an attribute that an entity does not have, with a suggestion."""
    return stop(
        UNKNOWN_NAME,
        f"{entity.shown!r} has no attribute {name!r}",
        place,
        hint=did_you_mean(name, entity.property_names),
    )
