"""Functions as older package formats know them; those of the very first ones are in the model."""

from __future__ import annotations

from typing import Any

from sabir.expressions.yaql import Library, Variables
from sabir.expressions.yaql.kinds import NULL, OBJECT, STRING
from sabir.languages.muranopl.evaluate.functions.naming import class_argument
from sabir.languages.muranopl.model.objects import MuranoObject, ObjectView

__all__ = ["named_types"]


def named_types(base: Library) -> Library:
    """Formats up to 1.3: `type` gives the name of the class, not the class."""
    library = Library(base)

    @library.function("type", OBJECT | STRING | NULL)
    def type_(variables: Variables, object: Any) -> Any:  # noqa: A002
        if isinstance(object, MuranoObject | ObjectView):
            return object.cls.name
        return None if object is None else class_argument(object, variables)

    return library
