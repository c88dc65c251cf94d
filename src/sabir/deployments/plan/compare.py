"""Comparison of desired fields with recorded ones, unknown values, and renamed resources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from sabir.deployments.store.records import Fact, ResourceRecord
from sabir.deployments.store.seal import Codec
from sabir.errors import DeployError
from sabir.graph.values import Unknown, Value, find_unknown_names, find_unknowns, same_value, with_inner
from sabir.resources.outcome import FieldChange
from sabir.resources.resource import Lifecycle, Resource

FEEDBACK: Final = "feedback"
"""The field that records what a resource read of the attributes that it also reports."""


def resolve_fields(resource: Resource, observed: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return the fields of a resource with all step outputs that are known by now filled in."""
    if resource.late is None:
        return {name: fill_unknowns(value, observed) for name, value in resource.desired.items()}
    fields = resource.late(observed)
    if not resource.feedback:
        return fields
    names = map(str, resource.feedback)
    return {**fields, FEEDBACK: {name: observed[name] for name in names if name in observed}}


def without_feedback(
    resource: Resource,
    observed: Mapping[str, Value],
    givers: Mapping[str, str],
    record: ResourceRecord | None,
    codec: Codec,
) -> Mapping[str, Value]:
    """Return the observed values, with those from the resource's own cycle as they were when it ran.

    A program that reads an attribute it also writes would otherwise see its own output as a change and run
    forever. `givers` is the address of the resource that reported each value last: a value from outside the
    cycle is news.
    """
    if record is None or not resource.feedback:
        return observed
    read = codec.read(record.desired).get(FEEDBACK)
    if not isinstance(read, Mapping):
        return observed
    values = dict(observed)
    for attribute, cycle in resource.feedback.items():
        name = str(attribute)
        giver = givers.get(name)
        if giver is not None and giver not in map(str, cycle):
            continue
        if name in read:
            values[name] = read[name]
        else:
            values.pop(name, None)
    return values


def fill_unknowns(value: Value, observed: Mapping[str, Value]) -> Value:
    """Return the value with each named unknown replaced by the observed value; the value itself if there is
    none."""
    if isinstance(value, Unknown):
        return value if value.of is None else observed.get(value.of, value)
    return with_inner(value, lambda item: fill_unknowns(item, observed))


def find_recorded_changes(
    fields: Mapping[str, Value], record: ResourceRecord, codec: Codec
) -> tuple[FieldChange, ...]:
    """Return the fields that differ from what was last written."""
    # Equal values give equal text as long as they hold no secret, so most records need not be parsed.
    if codec.write(fields) == record.desired:
        return ()
    before = codec.read(record.desired)
    return tuple(_compare_fields(before, fields))


def _compare_fields(before: Mapping[str, Value], after: Mapping[str, Value]) -> Iterator[FieldChange]:
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        if not same_value(old, new):
            yield FieldChange(field=name, before=old, after=new)


def drop_ignored_changes(changes: Sequence[FieldChange], lifecycle: Lifecycle) -> tuple[FieldChange, ...]:
    """Return the changes without those that the lifecycle ignores, and without feedback."""
    ignored = lifecycle.ignore_changes
    if "*" in ignored:
        return ()
    return tuple(change for change in changes if change.field != FEEDBACK and change.field not in ignored)


def missing_values(fields: Mapping[str, Value]) -> str | None:
    """Return a message about values that a step still lacks as it is about to run; None if there are none."""
    names = find_unknown_fields(fields)
    if not names:
        return None
    message = f"the value of {', '.join(names)} is still not known"
    awaited = dict.fromkeys(find_unknown_names({name: fields[name] for name in names}))
    return f"{message}: no step before it gave {', '.join(awaited)}".replace("|", ".") if awaited else message


def find_unknown_fields(fields: Mapping[str, Value]) -> tuple[str, ...]:
    """Return the names of the fields that contain an unknown value."""
    return tuple(
        name
        for name, value in fields.items()
        if type(value) is not str and any(True for _ in find_unknowns(value))
    )


def find_moves(moved: Mapping[str, str], records: Mapping[str, ResourceRecord]) -> dict[str, str]:
    """Return the renames that are still to be applied to the records.

    Raises `DeployError` if both addresses are recorded: only a person can decide which record is right.
    """
    moves: dict[str, str] = {}
    for before, after in moved.items():
        if before not in records:
            continue
        if after in records:
            raise DeployError(
                f"moved: {before} is recorded, and so is {after}: forget one of them with `sabir state rm`"
            )
        moves[before] = after
    return moves


def move_records(
    records: Mapping[str, ResourceRecord], moves: Mapping[str, str]
) -> dict[str, ResourceRecord]:
    """Return the records by their new addresses, with their requirements renamed as well."""
    if not moves:
        return dict(records)
    return {
        moves.get(address, address): replace(
            record,
            address=moves.get(address, address),
            requires=tuple(moves.get(other, other) for other in record.requires),
        )
        for address, record in records.items()
    }


def move_facts(facts: Mapping[str, Fact], moves: Mapping[str, str]) -> dict[str, Fact]:
    """Return the step outputs by their new names. Outputs that are attributes of a renamed resource are
    renamed with it."""
    moved: dict[str, Fact] = {}
    for name, fact in facts.items():
        instance, bar, attribute = name.partition("|")
        after = moves.get(instance, instance) + bar + attribute
        moved[after] = replace(fact, name=after, address=moves.get(fact.address, fact.address))
    return moved
