"""The entities that functions of TOSCA read from: by name, by a reserved word, and by the paths of 2.0 that lead on from there.

    [site, 1, RELATIONSHIP, vpn, ALL, TARGET, address]

A path may ask for one of several instances or relationships by its index, or for ALL of them; then the values are a list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec import Struct

from sabir.expressions.query.context import Context
from sabir.expressions.query.resource import Resource

_STEPS: Final = frozenset({"CAPABILITY", "RELATIONSHIP", "TARGET", "SOURCE"})
_ALL: Final = "ALL"


class Reached(Struct, frozen=True):
    """Where a path has come to, and what is left of it."""

    entities: Sequence[Resource]
    rest: list[Any]
    all: bool = False
    """It asked for all of something, so the answer is a list."""


def find_entity(context: Context, name: str, suits: Callable[[Resource], bool]) -> Resource | None:
    """The entity a name stands for, reserved names included (TOSCA 1.3, "Reserved function keywords")."""
    here = context.resource
    match name:
        case "SELF":
            return here
        case "SOURCE":
            return here.source
        case "TARGET":
            return here.target
        case "HOST":
            return _host(here, suits)
        case "ROOT":
            return here.root
        case _:
            instances = context.session.instances(name)
            return instances[0] if instances else here.all().get(name) or context.session.named(name)


def named_entities(context: Context, path: list[Any]) -> Reached | None:
    """The instances of a template that has several, or of one that is asked for by an index; None for any other beginning."""
    name, rest = path[0], path[1:]
    instances = context.session.instances(name)
    has_index = len(rest) > 1 and (_is_index(rest[0]) or rest[0] == _ALL)
    if has_index and len(instances) == 1 and rest[0] != _ALL and not context.session.counts_from_first:
        return None  # 1.x: an index into a value
    if not instances or (len(instances) == 1 and not has_index):
        selected = instances[0] if instances and instances[0].name != name else None
        return None if selected is None else Reached([selected], rest)
    if has_index:
        return _indexed(instances, rest, is_all=False)
    own = _own(context.resource, instances)
    if own is not None:
        return Reached([own], rest)
    if context.session.counts_from_first:
        return Reached(instances[:1], rest)
    return Reached(instances, rest, all=True)


def is_step(word: object) -> bool:
    """Whether a word of a path leads on to another entity."""
    return word in _STEPS


def stepped(entity: Resource, path: list[Any]) -> Reached:
    """The way that TOSCA 2.0 writes in a path: CAPABILITY name, RELATIONSHIP name index, TARGET, SOURCE."""
    reached = Reached([entity], path)
    while len(reached.rest) > 1 and is_step(reached.rest[0]) and reached.entities:
        reached = _next(reached)
    return reached


def _next(reached: Reached) -> Reached:
    word, rest = reached.rest[0], reached.rest[1:]
    match word:
        case "TARGET" | "SOURCE":
            ends = [entity.target if word == "TARGET" else entity.source for entity in reached.entities]
            return Reached([end for end in ends if end is not None], rest, reached.all)
        case "CAPABILITY" if reached.entities[0].kind == "relationship":
            capabilities = [entity.target_capability for entity in reached.entities]
            return Reached(
                [capability for capability in capabilities if capability is not None], rest, reached.all
            )
        case "CAPABILITY":
            named = [
                part for entity in reached.entities for part in entity.capabilities if part.name == rest[0]
            ]
            return Reached(named, rest[1:], reached.all)
        case _:
            return _relationships(reached, rest)


def _relationships(reached: Reached, rest: list[Any]) -> Reached:
    """From a node those of a requirement, from a capability those that lead to it; of each entity the one that the index names."""
    if reached.entities[0].kind == "capability":
        choices = [entity.relationships for entity in reached.entities]
    else:
        name, rest = rest[0], rest[1:]
        choices = [[part for part in entity.requirements if part.name == name] for entity in reached.entities]
    each = [_indexed(choice, rest, is_all=reached.all) for choice in choices]
    return Reached([entity for one in each for entity in one.entities], each[0].rest, each[0].all)


def _indexed(choices: Sequence[Resource], rest: list[Any], *, is_all: bool) -> Reached:
    index = rest[0] if rest else None
    if index == _ALL:
        return Reached(choices, rest[1:], all=True)
    if not _is_index(index):
        return Reached(choices[:1], rest, is_all)
    return Reached(choices[index : index + 1] if index >= 0 else (), rest[1:], is_all)  # type: ignore[operator]  # it is one


def _is_index(word: object) -> bool:
    return isinstance(word, int) and not isinstance(word, bool)


def _own(here: Resource, instances: Sequence[Resource]) -> Resource | None:
    """The instance that somebody stands on, leads to or is: of several hosts it means its own."""
    ways = [here, here.source, here.target]
    near = {id(way) for way in ways} | {
        id(above) for way in ways if way is not None for above in way.ancestors()
    }
    ends = [requirement.target for way in ways if way is not None for requirement in way.requirements]
    own = [instance for instance in instances if id(instance) in near] or [
        instance for instance in instances if instance in ends
    ]
    return own[0] if len(own) == 1 else None


def _host(here: Resource, suits: Callable[[Resource], bool]) -> Resource | None:
    """The nearest host that has what is asked for; failing that, the nearest host."""
    hosts = [
        candidate for candidate in here.ancestors() if candidate is not here and candidate.parent is not None
    ]
    return next((candidate for candidate in hosts if suits(candidate)), hosts[0] if hosts else None)
