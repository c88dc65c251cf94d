"""Comparison of two graphs by meaning: added and removed instances, changed values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, cast

from msgspec import Struct

from sabir.graph.graph import Graph, Instance
from sabir.graph.values import Sensitive, Unknown, Value
from sabir.text import REDACTED


class Absent:
    """The type of `ABSENT`, which stands for a value that one side does not have."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent()


class ValueChange(Struct, frozen=True):
    """One attribute, relation or property of an instance, before and after.

    `name` is a path when only an inner part of the value differs.
    """

    name: str
    before: Value | Absent
    after: Value | Absent


class ChangedInstance(Struct, frozen=True):
    """An instance in both graphs whose values differ; its id may have changed, too."""

    before: Instance
    after: Instance
    changes: tuple[ValueChange, ...]


class GraphDiff(Struct, frozen=True, kw_only=True):
    """The difference of two graphs; false when both mean the same."""

    added: tuple[Instance, ...] = ()
    removed: tuple[Instance, ...] = ()
    changed: tuple[ChangedInstance, ...] = ()
    outputs: tuple[ValueChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.outputs)


def compare_graphs(before: Graph, after: Graph) -> GraphDiff:
    """Compare two graphs.

    Instances with the same id and type are paired. The remaining ones are paired by type and name, if these are
    unique on both sides, so that a new id alone is not a removal and an addition. The order of instances, of the keys
    of a mapping and of the instances in a relation has no meaning, and neither have the places where values were
    written.
    """
    pairs, added, removed = _pair_instances(before, after)
    names = {old.id: new.id for old, new in pairs if old.id != new.id}
    changed = []
    for old, new in pairs:
        changes = _instance_changes(old, new, names)
        if changes:
            changed.append(ChangedInstance(old, new, changes))
    outputs = _value_changes(before.outputs, after.outputs)
    return GraphDiff(added=added, removed=removed, changed=tuple(changed), outputs=outputs)


def _pair_instances(
    before: Graph, after: Graph
) -> tuple[list[tuple[Instance, Instance]], tuple[Instance, ...], tuple[Instance, ...]]:
    """Return the pairs, the added and the removed instances."""
    pairs: list[tuple[Instance, Instance]] = []
    removed: list[Instance] = []
    for old in before:
        new = after.get(old.id)
        if new is not None and new.type == old.type:
            pairs.append((old, new))
        else:
            removed.append(old)
    taken = {new.id for _, new in pairs}
    added = {new.id: new for new in after if new.id not in taken}
    candidates = _index_unique(added.values())
    gone = _index_unique(removed)
    for key, old in gone.items():
        new = candidates.get(key)
        if new is not None:
            pairs.append((old, new))
            removed.remove(old)
            del added[new.id]
    return pairs, tuple(added.values()), tuple(removed)


def _index_unique(instances: object) -> dict[tuple[str, str], Instance]:
    """Index instances by type and name, without those that share both."""
    by_name: dict[tuple[str, str], Instance] = {}
    twice: set[tuple[str, str]] = set()
    for instance in cast("list[Instance]", instances):
        key = (instance.type, instance.name)
        if key in by_name:
            twice.add(key)
        by_name[key] = instance
    return {key: instance for key, instance in by_name.items() if key not in twice}


def _instance_changes(old: Instance, new: Instance, names: Mapping[str, str]) -> tuple[ValueChange, ...]:
    changes = list(_value_changes(old.attributes, new.attributes))
    for name in dict.fromkeys((*old.relations, *new.relations)):
        left = {names.get(id_, id_) for id_ in old.relations.get(name, ())}
        right = set(new.relations.get(name, ()))
        if left != right:
            changes.append(ValueChange(name, sorted(left), sorted(right)))
    if old.name != new.name:
        changes.append(ValueChange(".name", old.name, new.name))
    if old.status != new.status:
        changes.append(ValueChange(".status", old.status, new.status))
    old_owner = names.get(old.owner, old.owner) if old.owner is not None else None
    if old_owner != new.owner:
        changes.append(ValueChange(".owner", old_owner, new.owner))
    return tuple(changes)


def _value_changes(old: Mapping[str, Value], new: Mapping[str, Value]) -> tuple[ValueChange, ...]:
    return tuple(
        change
        for name in dict.fromkeys((*old, *new))
        for change in _inner_changes(name, old.get(name, ABSENT), new.get(name, ABSENT))
    )


def _inner_changes(name: str, old: Value | Absent, new: Value | Absent) -> Iterator[ValueChange]:
    """Yield the innermost parts that differ: a value deep inside a structure is named by its path."""
    if _is_same_value(old, new):
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys((*old, *new)):
            yield from _inner_changes(f"{name}.{key}", old.get(key, ABSENT), new.get(key, ABSENT))
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple) and len(old) == len(new):
        for position, (left, right) in enumerate(zip(old, new, strict=True)):
            yield from _inner_changes(f"{name}[{position}]", left, right)
    else:
        yield ValueChange(name, old, new)


def _is_same_value(left: Value | Absent, right: Value | Absent) -> bool:
    """Return whether values are equal in value and kind: 1 and 1.0 are, true and 1 are not."""
    if isinstance(left, Sensitive) and isinstance(right, Sensitive):
        # A saved graph does not contain secrets, so it is unknown whether one changed since.
        return REDACTED in (left.value, right.value) or _is_same_value(left.value, right.value)
    if isinstance(left, Unknown) and isinstance(right, Unknown):
        # A graph saved by an older version does not state what its unknown values stand for.
        return left.of == right.of or None in (left.of, right.of)
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(_is_same_value(left[key], right[key]) for key in left)
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(_is_same_value, left, right))
    return bool(left == right)
