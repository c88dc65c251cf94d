"""`new`: objects from a class and properties, from a dictionary, or from a template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sabir.expressions.yaql import Library, Variables
from sabir.expressions.yaql.kinds import MAPPING, NULL, OBJECT, STRING
from sabir.languages.muranopl.evaluate.functions.naming import class_argument, object_argument, runtime_of
from sabir.languages.muranopl.model.definitions import with_type
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError, shown
from sabir.languages.muranopl.model.hosts import MAKING, calling_class
from sabir.languages.muranopl.model.objects import MuranoObject

__all__ = ["FUNCTIONS"]

FUNCTIONS: Final = Library()


@FUNCTIONS.function("new", STRING | OBJECT, OBJECT | NULL, STRING | NULL)
def new(
    variables: Variables,
    newType: Any,  # noqa: N803  # the names must not be those of properties, which come as keywords
    newOwner: Any = None,  # noqa: N803
    newName: Any = None,  # noqa: N803
    /,
    **properties: Any,
) -> MuranoObject:
    """`new(Type, owner, name, property => value, …)`"""
    return _make(variables, newType, properties, newOwner, newName)


@FUNCTIONS.function("new", STRING | OBJECT, MAPPING, OBJECT | NULL, STRING | NULL, MAPPING | NULL)
def new_from_dictionary(
    variables: Variables,
    type_name: Any,
    parameters: Mapping[Any, Any],
    owner: Any = None,
    object_name: Any = None,
    extra: Mapping[Any, Any] | None = None,
) -> MuranoObject:
    """`new(Type, {property => value}, owner, name, header entries)`"""
    object_ = _make(variables, type_name, parameters, owner, object_name)
    kept = {key: value for key, value in (extra or {}).items() if str(key).startswith("_")}
    if kept:
        object_.header = {**(object_.header or {}), **kept}
    return object_


@FUNCTIONS.function("new", MAPPING, OBJECT | NULL)
def new_from_model(variables: Variables, model: Mapping[Any, Any], owner: Any = None) -> MuranoObject:
    """`new(template, owner)`: every object in it gets an id of its own."""
    runtime, cls = runtime_of(variables), calling_class(variables)
    model = model if cls is None else with_type(model, cls)
    object_: MuranoObject = runtime.loader.make(model, _owner(owner), variables.get(MAKING))
    return object_


def _make(
    variables: Variables, type_: Any, properties: Mapping[Any, Any], owner: Any, name: str | None
) -> MuranoObject:
    cls = class_argument(type_, variables)
    # Lists that are made when somebody reads them are read now: a contract looks at what is there.
    definition = {cls: cls.engine.engine.finalize(dict(properties)), "name": name}
    loader = runtime_of(variables).loader
    object_: MuranoObject = loader.make(definition, _owner(owner), variables.get(MAKING))
    return object_


def _owner(value: Any) -> MuranoObject | None:
    if value is None:
        return None
    try:
        return object_argument(value, "new")
    except MuranoError:
        raise MuranoError(
            UNUSABLE_VALUE, f"the owner of an object is an object, not {shown(value)}"
        ) from None
