"""The entities that functions of TOSCA read from: by name, by a reserved word, and by the paths of 2.0 that lead on from there.

    [site, 1, RELATIONSHIP, vpn, ALL, TARGET, address]

A path may ask for one of several instances or relationships by its index, or for ALL of them; then the values are a list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec import Struct

from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.resource import QueryResource

_STEPS: Final = frozenset({"CAPABILITY", "RELATIONSHIP", "TARGET", "SOURCE"})
_ALL: Final = "ALL"


class PathPosition(Struct, frozen=True):
    """Where a path has come to, and what is left of it."""

    entities: Sequence[QueryResource]
    rest: list[Any]
    all: bool = False
    """It asked for all of something, so the answer is a list."""


def find_entity(
    context: QueryContext, name: str, suits: Callable[[QueryResource], bool]
) -> QueryResource | None:
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
            return _find_host(here, suits)
        case "ROOT":
            return here.root
        case _:
            instances = context.session.instances(name)
            return instances[0] if instances else here.all().get(name) or context.session.named(name)


def find_entities(context: QueryContext, path: list[Any]) -> PathPosition | None:
    """The instances of a template that has several, or of one that is asked for by an index; None for any other beginning."""
    name, rest = path[0], path[1:]
    instances = context.session.instances(name)
    has_index = len(rest) > 1 and (_is_index(rest[0]) or rest[0] == _ALL)
    if has_index and len(instances) == 1 and rest[0] != _ALL and not context.session.counts_from_first:
        return None  # 1.x: an index into a value
    if not instances or (len(instances) == 1 and not has_index):
        selected = instances[0] if instances and instances[0].name != name else None
        return None if selected is None else PathPosition([selected], rest)
    if has_index:
        return _select_index(instances, rest, is_all=False)
    own = _find_own(context.resource, instances)
    if own is not None:
        return PathPosition([own], rest)
    if context.session.counts_from_first:
        return PathPosition(instances[:1], rest)
    return PathPosition(instances, rest, all=True)


def is_step(word: object) -> bool:
    """Whether a word of a path leads on to another entity."""
    return word in _STEPS


def follow_path(entity: QueryResource, path: list[Any]) -> PathPosition:
    """The way that TOSCA 2.0 writes in a path: CAPABILITY name, RELATIONSHIP name index, TARGET, SOURCE."""
    reached = PathPosition([entity], path)
    while len(reached.rest) > 1 and is_step(reached.rest[0]) and reached.entities:
        reached = _follow_step(reached)
    return reached


def _follow_step(reached: PathPosition) -> PathPosition:
    word, rest = reached.rest[0], reached.rest[1:]
    match word:
        case "TARGET" | "SOURCE":
            ends = [entity.target if word == "TARGET" else entity.source for entity in reached.entities]
            return PathPosition([end for end in ends if end is not None], rest, reached.all)
        case "CAPABILITY" if reached.entities[0].kind == "relationship":
            capabilities = [entity.target_capability for entity in reached.entities]
            return PathPosition(
                [capability for capability in capabilities if capability is not None], rest, reached.all
            )
        case "CAPABILITY":
            named = [
                part for entity in reached.entities for part in entity.capabilities if part.name == rest[0]
            ]
            return PathPosition(named, rest[1:], reached.all)
        case _:
            return _follow_relationship(reached, rest)


def _follow_relationship(reached: PathPosition, rest: list[Any]) -> PathPosition:
    """From a node those of a requirement, from a capability those that lead to it; of each entity the one that the index names."""
    if reached.entities[0].kind == "capability":
        choices = [entity.relationships for entity in reached.entities]
    else:
        name, rest = rest[0], rest[1:]
        choices = [[part for part in entity.requirements if part.name == name] for entity in reached.entities]
    each = [_select_index(choice, rest, is_all=reached.all) for choice in choices]
    return PathPosition([entity for one in each for entity in one.entities], each[0].rest, each[0].all)


def _select_index(choices: Sequence[QueryResource], rest: list[Any], *, is_all: bool) -> PathPosition:
    index = rest[0] if rest else None
    if index == _ALL:
        return PathPosition(choices, rest[1:], all=True)
    if not _is_index(index):
        return PathPosition(choices[:1], rest, is_all)
    return PathPosition(choices[index : index + 1] if index >= 0 else (), rest[1:], is_all)  # type: ignore[operator]  # it is one


def _is_index(word: object) -> bool:
    return isinstance(word, int) and not isinstance(word, bool)


def _find_own(here: QueryResource, instances: Sequence[QueryResource]) -> QueryResource | None:
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


def _find_host(here: QueryResource, suits: Callable[[QueryResource], bool]) -> QueryResource | None:
    """The nearest host that has what is asked for; failing that, the nearest host."""
    hosts = [
        candidate for candidate in here.ancestors() if candidate is not here and candidate.parent is not None
    ]
    return next((candidate for candidate in hosts if suits(candidate)), hosts[0] if hosts else None)
