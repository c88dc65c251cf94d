"""Types as values: `:Name`, `ns:Name`, `type`, `typeinfo`."""

from __future__ import annotations

from typing import Any, Final

from sabir.expressions.yaql import EXPRESSION, Library, Variables
from sabir.expressions.yaql.kinds import NULL, OBJECT, STRING
from sabir.expressions.yaql.nodes import Node
from sabir.languages.muranopl.evaluate.functions.naming import class_argument, note_header
from sabir.languages.muranopl.evaluate.reflection import TypeInfo
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.contract_classes import class_name_of
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.model.hosts import calling_class
from sabir.languages.muranopl.model.objects import MuranoObject, ObjectView
from sabir.languages.muranopl.syntax.defects import UNKNOWN_CLASS

__all__ = ["FUNCTIONS"]

FUNCTIONS: Final = Library()


@FUNCTIONS.prefix(":", EXPRESSION)
def own_namespace(variables: Variables, name: Node) -> MuranoClass:
    return _named(class_name_of(name), ":", variables)


@FUNCTIONS.operator(":", EXPRESSION, EXPRESSION)
def other_namespace(variables: Variables, prefix: Node, name: Node) -> MuranoClass:
    space, short = class_name_of(prefix), class_name_of(name)
    return _named(short, f"{space}:" if space is not None else ":", variables)


def _named(name: str | None, prefix: str, variables: Variables) -> MuranoClass:
    cls = calling_class(variables)
    if name is None or cls is None:
        raise MuranoError(UNKNOWN_CLASS, "the name of a class must stand behind `:`")
    return cls.resolve(prefix + name)


@FUNCTIONS.function("type", OBJECT | STRING | NULL)
def type_(variables: Variables, object: Any) -> Any:  # noqa: A002
    """The type of an object (of a cast: the one it is cast to), or the type that a text names."""
    if isinstance(object, MuranoObject | ObjectView):
        note_header(object, "type")
        return object.cls
    return None if object is None else class_argument(object, variables)


@FUNCTIONS.function("typeinfo", OBJECT | STRING | NULL)
def typeinfo(variables: Variables, object: Any) -> Any:  # noqa: A002
    """Reflection: what there is to know about the type of an object."""
    cls = type_(variables, object)
    return None if cls is None else TypeInfo(cls)
