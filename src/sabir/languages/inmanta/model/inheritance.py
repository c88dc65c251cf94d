"""What entities get from their parents: no circles, and no attribute that means two things."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from sabir.diagnostics.finding import Finding, Related
from sabir.languages.inmanta.model.entities import EntityType, Property
from sabir.languages.inmanta.syntax.examples import inmanta_rule
from sabir.languages.inmanta.syntax.project import DUPLICATE

__all__ = ["HIDES", "TYPE_CYCLE", "break_cycles", "check_overrides"]

_DEEPEST: Final = 200
"""Levels of parents: an entity has the attributes of all of them, which nobody but an attacker asks so much of."""
TYPE_CYCLE: Final = inmanta_rule(
    "INM:E005",
    "a type is made from itself, or from too many",
    "An entity cannot be its own ancestor, a typedef not its own base. "
    f"Nor can entities extend one another through more than {_DEEPEST} levels.",
)
HIDES: Final = inmanta_rule(
    "INM:W006",
    "an attribute hides a relation of std::Entity",
    "Every entity has the relations `requires` and `provides`. An attribute of such a name takes their place, and "
    "resources of the entity cannot be ordered by it.",
)


def break_cycles(entities: Collection[EntityType]) -> list[Finding]:
    """Take parents away that lead back to their child or too far, and tell parents their children.

    Without recursion: whoever wrote the model, chains may be long.
    """
    findings: list[Finding] = []
    levels: dict[EntityType, int] = {}
    """Of the entities that were looked at, with all of their ancestors."""
    deep: list[EntityType] = []
    for first in entities:
        path: list[EntityType] = []
        on_path: set[EntityType] = set()
        stack: list[tuple[EntityType, int]] = [(first, 0)]
        while stack:
            entity, at = stack.pop()
            if at == 0:
                if entity in levels:
                    continue
                path.append(entity)
                on_path.add(entity)
            if at < len(entity.parents):
                parent = entity.parents[at]
                if parent in on_path:
                    findings.append(_type_cycle(path[path.index(parent) :]))
                    entity.parents.pop(at)
                    stack.append((entity, at))
                else:
                    stack.append((entity, at + 1))
                    if parent not in levels:
                        stack.append((parent, 0))
            else:
                path.pop()
                on_path.discard(entity)
                levels[entity] = 1 + max((levels[parent] for parent in entity.parents), default=0)
                if levels[entity] > _DEEPEST:
                    deep.append(entity)
                    entity.parents.clear()
                    entity.is_incomplete = True
                    levels[entity] = 1
    for entity in entities:
        for parent in entity.parents:
            parent.children.append(entity)
    return [*findings, *map(_too_deep, deep[:1])]


def _type_cycle(cycle: list[EntityType]) -> Finding:
    names = " → ".join(entity.shown for entity in [*cycle, cycle[0]])
    others = (Related(place=entity.place, message=f"{entity.shown} is here") for entity in cycle[1:])
    message = f"entity {cycle[0].shown!r} inherits from itself: {names}"
    return TYPE_CYCLE.at(cycle[0].place, message, related=tuple(others))


def _too_deep(entity: EntityType) -> Finding:
    message = f"entity {entity.shown!r} is more than {_DEEPEST} levels below the first that it inherits from"
    return TYPE_CYCLE.at(entity.place, message)


def check_overrides(entity: EntityType) -> Iterator[Finding]:
    """Attributes and relations cannot be overridden; only a default can (spec 002, "Entities")."""
    yield from _check_parents(entity)
    for name, prop in entity.properties.items():
        for parent in entity.parents:
            above = parent.all_properties.get(name)
            if above is None or above is prop or _same_type(above, prop):
                continue
            if above.entity.name == "std::Entity" and not prop.is_relation:
                yield _hides(entity, prop, above)
                continue
            kind = "relation" if above.is_relation else "attribute"
            yield DUPLICATE.at(
                prop.place,
                f"{entity.shown!r} cannot override the {kind} {name!r} of {above.entity.shown!r}",
                hint="only the default of an attribute can be changed, with the same type",
                related=(Related(place=above.place, message="inherited from here"),),
            )
            break


def _check_parents(entity: EntityType) -> Iterator[Finding]:
    """Attributes that two parents have under one name have to be of one type; before a relation the first parent's counts."""
    seen: dict[str, Property] = {}
    for parent in entity.parents:
        for name, prop in parent.all_properties.items():
            other = seen.setdefault(name, prop)
            if other is not prop and (other.is_relation or prop.is_relation):
                prop.hidden = prop.hidden or prop.is_relation
            elif other is not prop and not _same_type(other, prop) and name not in entity.properties:
                yield DUPLICATE.at(
                    entity.place,
                    f"{entity.shown!r} inherits {other.full_name} and {prop.full_name}, which are not the same",
                    related=(
                        Related(place=other.place, message="one is here"),
                        Related(place=prop.place, message="the other is here"),
                    ),
                )


def _same_type(first: Property, second: Property) -> bool:
    return first.type is not None and second.type is not None and first.type.name == second.type.name


def _hides(entity: EntityType, prop: Property, above: Property) -> Finding:
    """Nobody names `std::Entity` as a parent, and published modules have attributes called `requires`."""
    above.hidden = True
    return HIDES.at(
        prop.place,
        f"the attribute {prop.name!r} of {entity.shown!r} hides the relation of this name that every entity has",
        hint="what is deployed cannot be ordered by it; another name is better",
    )
