"""Objects to instances: plain values are attributes, objects in properties are relations."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING, Any

from sabir.graph.graph import Graph, Instance
from sabir.graph.origin import Origin
from sabir.graph.record import Record
from sabir.graph.values import Ref, Value
from sabir.languages.muranopl.evaluate.runtime import Runtime
from sabir.languages.muranopl.evaluate.serialising import MOST_CONTAINERS, too_large
from sabir.languages.muranopl.graph.origins import Origins
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.objects import MuranoObject, ObjectView

if TYPE_CHECKING:
    from sabir.languages.muranopl.graph.steps import Steps

__all__ = ["build_graph"]

_ATOMS = frozenset((str, int, float, bool, type(None)))


def build_graph(runtime: Runtime) -> Graph:
    """The graph of all objects that the root leads to, owners before what they own. Where a recorder recorded the steps
    to every value, origins name them all."""
    if runtime.recorder is None:
        origins: Origins | Steps = Origins(runtime)
        return Graph(_instance(object_, origins) for object_ in _reachable(runtime.root))
    from sabir.languages.muranopl.graph.steps import Steps

    objects = list(_reachable(runtime.root))
    shown = frozenset((object_.id, name) for object_ in objects for name in _shown_names(object_))
    for object_ in objects:
        for name in object_.properties:
            runtime.recorder.final(object_.properties, name)
    origins = Steps(runtime.recorder, Origins(runtime), shown)
    return Graph(_instance(object_, origins) for object_ in objects)


def _reachable(root: MuranoObject | None) -> Iterator[MuranoObject]:
    seen: set[int] = set()
    waiting = [root] if root is not None else []
    while waiting:
        object_ = waiting.pop()
        if id(object_) in seen or object_.is_destroyed:
            continue
        seen.add(id(object_))
        yield object_
        inner: list[MuranoObject] = []
        for name in _shown_names(object_):
            inner.extend(_objects_in(object_.properties.get(name)))
        waiting.extend(reversed(inner))


def _shown_names(object_: MuranoObject) -> list[str]:
    """Properties of the model and of the configuration; Runtime ones are for code alone."""
    members = object_.cls.members
    return [name for name in object_.cls.instance_names if members[name].usage != "Runtime"]


def _objects_in(value: Any) -> Iterator[MuranoObject]:
    waiting = [value]
    budget = MOST_CONTAINERS
    while waiting:
        item = waiting.pop()
        if isinstance(item, MuranoObject):
            yield item
        elif isinstance(item, ObjectView):
            yield item.object
        elif isinstance(item, dict | list | tuple):
            budget -= 1
            if budget < 0:
                raise too_large()
            waiting.extend(reversed(item.values() if isinstance(item, dict) else item))


def _instance(object_: MuranoObject, origins: Origins | Steps) -> Instance:
    attributes: dict[str, Value] = {}
    relations: dict[str, tuple[str, ...]] = {}
    where: dict[str, Origin] = {}
    members = object_.cls.members
    for name in _shown_names(object_):
        if name not in object_.properties:
            continue
        value = object_.properties.get(name)
        objects = tuple(target.id for target in _objects_in(value))
        refers = members[name].contract.build is not None
        if objects or refers:
            relations[name] = objects
        if not refers or isinstance(value, dict):
            attributes[name] = _value(value)
        origin = origins.of_property(object_, name)
        if origin is not None:
            where[name] = origin
    return Instance(
        id=object_.id,
        type=object_.cls.name,
        language="muranopl",
        name=object_.name or object_.id,
        owner=None if object_.owner is None else object_.owner.id,
        attributes=Record.of(attributes),
        relations=Record.of(relations),
        origin=origins.of_object(object_),
        origins=Record.of(where),
    )


def _value(value: Any) -> Value:
    if type(value) in _ATOMS:
        atom: Value = value
        return atom
    if isinstance(value, ObjectView):
        value = value.object
    if isinstance(value, MuranoObject):
        return Ref(value.id)
    if isinstance(value, dict):
        return {str(key): _value(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_value(item) for item in value]
    if isinstance(value, MuranoClass):
        return value.name
    return value if isinstance(value, date | bytes) else str(value)
