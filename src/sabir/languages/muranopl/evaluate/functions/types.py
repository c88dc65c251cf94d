"""Types as values (`:Name`, `ns:Name`, `type`, `typeinfo`), and arguments that name classes.

`type` differs in older formats; the differences of the first ones are in `model.legacy_functions`.
"""

from __future__ import annotations

from typing import Any, Final

from sabir.expressions.yaql import EXPRESSION, Library, Variables
from sabir.expressions.yaql.kinds import NULL, OBJECT, STRING
from sabir.expressions.yaql.nodes import Node
from sabir.languages.muranopl.evaluate.reflection import TypeInfo
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.contract_structures import class_name_of
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError, format_value
from sabir.languages.muranopl.model.objects import MuranoObject, ObjectView, current_class
from sabir.languages.muranopl.syntax.defects import UNKNOWN_CLASS


def class_argument(value: Any, variables: Variables) -> MuranoClass:
    """Return the class that an argument names: a string, a type or an object, resolved in the running code."""
    if isinstance(value, MuranoClass):
        return value
    if isinstance(value, TypeInfo):
        return value.cls
    if isinstance(value, str):
        cls = current_class(variables)
        if cls is not None:
            return cls.resolve(value)
    raise MuranoError(UNKNOWN_CLASS, f"{format_value(value)} is no class")


def runtime_of(variables: Variables) -> Any:
    """Return the runtime of the running code; fail outside of a method."""
    cls = current_class(variables)
    if cls is None:
        raise MuranoError(UNUSABLE_VALUE, "this can only be used inside of a method")
    return cls.runtime


def object_argument(value: Any, role: str) -> MuranoObject:
    """Return the object behind an argument; raise `MuranoError` for any other value, naming its role."""
    if isinstance(value, ObjectView):
        return value.object
    if isinstance(value, MuranoObject):
        return value
    raise MuranoError(UNUSABLE_VALUE, f"{role} needs an object, not {format_value(value)}")


def note_header(value: MuranoObject | ObjectView, key: str) -> None:
    """Record that code reads an entry of the header of an object."""
    object_ = value.object if isinstance(value, ObjectView) else value
    recorder = object_.cls.runtime.recorder
    if recorder is not None:
        recorder.read_header(object_, key)


FUNCTIONS: Final = Library()


@FUNCTIONS.prefix(":", EXPRESSION)
def own_namespace(variables: Variables, name: Node) -> MuranoClass:
    """Return the class that `:Name` refers to, in the default namespace of the running class."""
    return _resolve_class(class_name_of(name), ":", variables)


@FUNCTIONS.operator(":", EXPRESSION, EXPRESSION)
def other_namespace(variables: Variables, prefix: Node, name: Node) -> MuranoClass:
    """Return the class that `prefix:Name` refers to, by the prefixes of the running class."""
    space, short = class_name_of(prefix), class_name_of(name)
    return _resolve_class(short, f"{space}:" if space is not None else ":", variables)


def _resolve_class(name: str | None, prefix: str, variables: Variables) -> MuranoClass:
    cls = current_class(variables)
    if name is None or cls is None:
        raise MuranoError(UNKNOWN_CLASS, "the name of a class must stand behind `:`")
    return cls.resolve(prefix + name)


@FUNCTIONS.function("type", OBJECT | STRING | NULL)
def type_(variables: Variables, object: Any) -> Any:  # noqa: A002
    """Return the type of an object (of a cast: the target type), or the type that a string names."""
    if isinstance(object, MuranoObject | ObjectView):
        note_header(object, "type")
        return object.cls
    return None if object is None else class_argument(object, variables)


@FUNCTIONS.function("typeinfo", OBJECT | STRING | NULL)
def typeinfo(variables: Variables, object: Any) -> Any:  # noqa: A002
    """Return the reflection of the type of an object."""
    cls = type_(variables, object)
    return None if cls is None else TypeInfo(cls)


def type_name_library(base: Library) -> Library:
    """Return the functions of formats up to 1.3, where `type` returns the name of the class."""
    library = Library(base)

    @library.function("type", OBJECT | STRING | NULL)
    def type_(variables: Variables, object: Any) -> Any:  # noqa: A002
        if isinstance(object, MuranoObject | ObjectView):
            return object.cls.name
        return None if object is None else class_argument(object, variables)

    return library
