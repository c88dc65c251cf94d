"""Instances as Python code of a model sees them: plug-ins, templates and classes of resources.

An instance of the evaluator is full of slots that nobody else may touch, and its attributes have whatever names the model
gives them. So foreign code gets a view: the attributes by name, read only. An instance has one view, so that code which
compares two of them by identity is right. `outward` turns values into what foreign code sees, `inward` turns them back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NoReturn

from sabir.languages.inmanta.evaluate.values import Instance, RelationList, property_of

if TYPE_CHECKING:
    from sabir.languages.inmanta.model.entities import EntityType

__all__ = [
    "InstanceView",
    "called_by_python",
    "instance_of",
    "inward",
    "outward",
    "seen_by_python",
    "view_of",
]

_PLAIN: Final = frozenset({str, int, float, bool, type(None)})


class InstanceView:
    """An instance with its attributes by name. Reading one that has no value yet makes the calling statement wait."""

    __slots__ = ("_instance",)

    _instance: Instance

    def __init__(self, instance: Instance) -> None:
        object.__setattr__(self, "_instance", instance)

    def __getattr__(self, name: str) -> Any:
        instance = self._instance
        if name not in instance.entity.slots:
            if name.startswith("__"):
                raise AttributeError(name)
            raise AttributeError(f"{instance.entity.shown!r} has no attribute {name!r}")
        return outward(property_of(instance, name))

    def __setattr__(self, name: str, _: object) -> NoReturn:
        raise AttributeError(f"{name!r} cannot be set: Python code reads instances and never changes them")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"{name!r} cannot be deleted: Python code reads instances and never changes them"
        )

    def _type(self) -> EntityType:
        return self._instance.entity

    def type(self) -> EntityType:
        return self._instance.entity

    def is_instance(self, entity: EntityType) -> bool:
        return entity in self._instance.entity.ancestor_set

    def __iter__(self) -> Iterator[Any]:
        raise TypeError(f"an instance of {self._instance.entity.shown!r} cannot be iterated")

    def __copy__(self) -> InstanceView:
        return self

    def __deepcopy__(self, _: object) -> InstanceView:
        return self

    def __repr__(self) -> str:
        return repr(self._instance)


instance_of: Final[Callable[[InstanceView], Instance]] = attrgetter("_instance")
"""The instance behind a view."""


def view_of(instance: Instance) -> InstanceView:
    view: InstanceView | None = instance.view
    if view is None:
        view = instance.view = InstanceView(instance)
    return view


def outward(value: Any) -> Any:
    """A value of the language as foreign code sees it."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is Instance:
        return view_of(value)
    if kind is RelationList:
        return RelationList(map(outward, value))
    return _changed(value, Instance, outward)


def inward(value: Any) -> Any:
    """A value of foreign code as the language knows it: tuples and sets are lists."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is InstanceView:
        return instance_of(value)
    if kind is RelationList:
        return RelationList(map(inward, value))
    if isinstance(value, tuple | set | frozenset):
        return [inward(item) for item in value]
    return _changed(value, InstanceView, inward)


def _changed(value: Any, kind: type, change: Callable[[Any], Any]) -> Any:
    """A list or dict with all its parts changed; itself when it holds nothing of the kind, however large it is."""
    if isinstance(value, list):
        return [change(item) for item in value] if _holds(value, kind) else value
    if isinstance(value, dict) and _holds(value.values(), kind):
        return {key: change(item) for key, item in value.items()}
    return value


def _holds(items: Any, kind: type) -> bool:
    for item in items:
        if type(item) in _PLAIN:
            continue
        if type(item) is kind:
            return True
        if isinstance(item, list | tuple | set | frozenset) and _holds(item, kind):
            return True
        if isinstance(item, dict) and _holds(item.values(), kind):
            return True
    return False


def seen_by_python(function: Callable[..., Any]) -> Callable[..., Any]:
    """A foreign function as one of the language: it gets views and answers with values."""

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if named:
            named = {name: outward(value) for name, value in named.items()}
        return inward(function(*map(outward, arguments), **named))

    return call


def called_by_python(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the language as foreign code (a template) calls it: it gets values and answers with views."""

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if named:
            named = {name: inward(value) for name, value in named.items()}
        return outward(function(*map(inward, arguments), **named))

    return call
