"""Class names in arguments: text, a type, or an object."""

from __future__ import annotations

from typing import Any

from sabir.expressions.yaql import Variables
from sabir.languages.muranopl.evaluate.reflection import TypeInfo
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError, shown
from sabir.languages.muranopl.model.hosts import calling_class
from sabir.languages.muranopl.model.objects import MuranoObject, ObjectView
from sabir.languages.muranopl.syntax.defects import UNKNOWN_CLASS

__all__ = ["class_argument", "note_header", "object_argument", "runtime_of"]


def class_argument(value: Any, variables: Variables) -> MuranoClass:
    """The class that an argument means, seen from the code that runs."""
    if isinstance(value, MuranoClass):
        return value
    if isinstance(value, TypeInfo):
        return value.cls
    if isinstance(value, str):
        cls = calling_class(variables)
        if cls is not None:
            return cls.resolve(value)
    raise MuranoError(UNKNOWN_CLASS, f"{shown(value)} is no class")


def runtime_of(variables: Variables) -> Any:
    cls = calling_class(variables)
    if cls is None:
        raise MuranoError(UNUSABLE_VALUE, "this can only be used inside of a method")
    return cls.runtime


def object_argument(value: Any, role: str) -> MuranoObject:
    if isinstance(value, ObjectView):
        return value.object
    if isinstance(value, MuranoObject):
        return value
    raise MuranoError(UNUSABLE_VALUE, f"{role} needs an object, not {shown(value)}")


def note_header(value: MuranoObject | ObjectView, key: str) -> None:
    """Code looks at what the header of an object says: whoever records reads may want to know."""
    object_ = value.object if isinstance(value, ObjectView) else value
    recorder = object_.cls.runtime.recorder
    if recorder is not None:
        recorder.read_header(object_, key)
