"""YAQL functions of objects: identity, owners, casts, calls by name, and `new` in its three forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sabir.diagnostics.suggestions import did_you_mean
from sabir.expressions.yaql import LAMBDA, Lambda, Library, Variables
from sabir.expressions.yaql.kinds import ANY, BOOL, MAPPING, NULL, OBJECT, SEQUENCE, STRING
from sabir.languages.muranopl.evaluate.functions.types import (
    class_argument,
    note_header,
    object_argument,
    runtime_of,
)
from sabir.languages.muranopl.evaluate.serialisation import dump_form
from sabir.languages.muranopl.model.classes import WRONG_CALL, MuranoClass
from sabir.languages.muranopl.model.definitions import with_type
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError, format_value
from sabir.languages.muranopl.model.objects import (
    MAKING,
    HostValue,
    MuranoObject,
    ObjectView,
    current_class,
    unwrap_object,
)
from sabir.languages.muranopl.syntax.defects import UNKNOWN_CLASS

FUNCTIONS: Final = Library()


@FUNCTIONS.function("id", OBJECT)
def id_(object: Any) -> Any:  # noqa: A002
    """Return the id of an object; fail for any other value."""
    target = object_argument(object, "id")
    note_header(target, "id")
    return target.id


@FUNCTIONS.function("name", OBJECT | NULL)
def name(object: Any) -> Any:  # noqa: A002
    """Return the name from the header of an object; null for null."""
    if object is None:
        return None
    target = object_argument(object, "name")
    note_header(target, "name")
    return target.name


@FUNCTIONS.function("metadata", OBJECT)
def metadata(object: Any) -> Any:  # noqa: A002
    """Return the `metadata` entry of the header of an object; null if there is none."""
    target = object_argument(object, "metadata")
    note_header(target, "metadata")
    return (target.header or {}).get("metadata")


@FUNCTIONS.function("cast", OBJECT, STRING | OBJECT)
def cast(variables: Variables, object: Any, type: Any, version_spec: Any = None) -> Any:  # noqa: A002
    """Return a view of the object as one of its ancestors."""
    del version_spec
    target = object_argument(object, "cast")
    cls = class_argument(type, variables)
    if not target.cls.is_a(cls):
        raise MuranoError(
            UNKNOWN_CLASS,
            f"{target.cls.name} cannot be cast to {cls.name}, which is none of its ancestors",
            hint=did_you_mean(cls.name, [ancestor.name for ancestor in target.cls.lineage]),
        )
    return ObjectView(target, cls)


@FUNCTIONS.function("super", OBJECT, LAMBDA)
def super_(variables: Variables, object: Any, func: Lambda | None = None) -> Any:  # noqa: A002
    """Evaluate the expression for the object as each parent of the running class; without one return the
    parents.
    """
    parents = _parent_views(variables, object)
    return parents if func is None else [func.fresh()(parent) for parent in parents]


@FUNCTIONS.function("psuper", OBJECT, LAMBDA)
def psuper(variables: Variables, object: Any, func: Lambda | None = None) -> Any:  # noqa: A002
    """Do the same as `super`, with the parents in parallel."""
    parents = _parent_views(variables, object)
    if func is None:
        return parents
    tasks = [_build_task(func.fresh(), parent, runtime_of(variables)) for parent in parents]
    return runtime_of(variables).scheduler.run_all(tasks)


def _build_task(func: Lambda, value: Any, runtime: Any) -> Any:
    finalize = runtime.engine_for("1.4", ()).finalize
    return lambda: finalize(func(value))


def _parent_views(variables: Variables, object_: Any) -> list[ObjectView]:
    """Return the object as each parent of the class whose code is running, independent of any cast."""
    target = object_argument(object_, "super")
    cls = current_class(variables) or target.cls
    stranger = next((parent for parent in cls.parents if not target.cls.is_a(parent)), None)
    if stranger is not None:
        raise MuranoError(
            UNUSABLE_VALUE,
            f"super: {target!r} is no {stranger.name}, which the running class {cls.name} extends",
        )
    return [ObjectView(target, parent) for parent in cls.parents]


@FUNCTIONS.extension("find", OBJECT, STRING | OBJECT)
def find(variables: Variables, object: Any, type: Any) -> Any:  # noqa: A002
    """Return the nearest owner of a type; null if there is none."""
    target = object_argument(object, "find")
    return target.nearest_owner(class_argument(type, variables))


@FUNCTIONS.extension("findAll", OBJECT, STRING | OBJECT)
def find_all(variables: Variables, object: Any, type: Any) -> list[MuranoObject]:  # noqa: A002
    """Return all owners of a type, the nearest first."""
    cls = class_argument(type, variables)
    owners: list[MuranoObject] = []
    owner = object_argument(object, "findAll").owner
    while owner is not None:
        if owner.cls.is_a(cls):
            owners.append(owner)
        owner = owner.owner
    return owners


@FUNCTIONS.function("dump", OBJECT, STRING, BOOL)
def dump(
    object: Any,  # noqa: A002
    serialization_type: str = "Serializable",
    ignore_upcasts: bool = True,  # noqa: FBT001, FBT002  # an argument of the language
) -> Any:
    """Return the object model of an object: with type names, with types as values, or with the type as a key.

    A cast object is dumped in full, unless upcasts are respected; then it is dumped as the class of the cast.
    """
    seen_as = object.cls if isinstance(object, ObjectView) and not ignore_upcasts else None
    return dump_form(object_argument(object, "dump"), serialization_type, seen_as)


@FUNCTIONS.function("call", STRING, SEQUENCE, MAPPING, OBJECT)
def call_named(
    variables: Variables, name: str, args: Sequence[Any], kwargs: Mapping[Any, Any], sender: HostValue
) -> Any:
    """Evaluate `call(name, [arguments], {named}, $object)`."""
    method = sender.find_method(name, variables)
    if method is None:
        methods = sender.cls.method_names() if isinstance(sender, MuranoObject | ObjectView) else ()
        raise MuranoError(WRONG_CALL, f"{sender!r} has no method {name!r}", hint=did_you_mean(name, methods))
    finalize = runtime_of(variables).engine_for("1.4", ()).finalize
    return method(*finalize(list(args)), **{str(key): finalize(value) for key, value in kwargs.items()})


@FUNCTIONS.operator("is", ANY, STRING | OBJECT)
def is_(variables: Variables, value: Any, type_: Any) -> bool:
    """Tell whether a value is an object of a type; a type matches itself and its ancestors."""
    value = unwrap_object(value)
    cls = class_argument(type_, variables)
    if isinstance(value, MuranoClass):
        return value.is_a(cls)
    if not isinstance(value, MuranoObject):
        return False
    note_header(value, "type")
    return value.cls.is_a(cls)


@FUNCTIONS.function("new", STRING | OBJECT, OBJECT | NULL, STRING | NULL)
def new(
    variables: Variables,
    newType: Any,  # noqa: N803  # the names must not be those of properties, which come as keywords
    newOwner: Any = None,  # noqa: N803
    newName: Any = None,  # noqa: N803
    /,
    **properties: Any,
) -> MuranoObject:
    """Evaluate `new(Type, owner, name, property => value, …)`."""
    return _create_object(variables, newType, properties, newOwner, newName)


@FUNCTIONS.function("new", STRING | OBJECT, MAPPING, OBJECT | NULL, STRING | NULL, MAPPING | NULL)
def new_from_dictionary(
    variables: Variables,
    type_name: Any,
    parameters: Mapping[Any, Any],
    owner: Any = None,
    object_name: Any = None,
    extra: Mapping[Any, Any] | None = None,
) -> MuranoObject:
    """Evaluate `new(Type, {property => value}, owner, name, header entries)`."""
    object_ = _create_object(variables, type_name, parameters, owner, object_name)
    kept = {key: value for key, value in (extra or {}).items() if str(key).startswith("_")}
    if kept:
        object_.header = {**(object_.header or {}), **kept}
    return object_


@FUNCTIONS.function("new", MAPPING, OBJECT | NULL)
def new_from_model(variables: Variables, model: Mapping[Any, Any], owner: Any = None) -> MuranoObject:
    """Evaluate `new(template, owner)`: every object in the template gets a new id."""
    runtime, cls = runtime_of(variables), current_class(variables)
    model = model if cls is None else with_type(model, cls)
    object_: MuranoObject = runtime.loader.make(model, _check_owner(owner), variables.get(MAKING))
    return object_


def _create_object(
    variables: Variables, type_: Any, properties: Mapping[Any, Any], owner: Any, name: str | None
) -> MuranoObject:
    cls = class_argument(type_, variables)
    # Lazy lists are evaluated now, because a contract inspects their items.
    definition = {cls: cls.engine.engine.finalize(dict(properties)), "name": name}
    loader = runtime_of(variables).loader
    object_: MuranoObject = loader.make(definition, _check_owner(owner), variables.get(MAKING))
    return object_


def _check_owner(value: Any) -> MuranoObject | None:
    if value is None:
        return None
    try:
        return object_argument(value, "new")
    except MuranoError:
        raise MuranoError(
            UNUSABLE_VALUE, f"the owner of an object is an object, not {format_value(value)}"
        ) from None
