"""Values of MuranoPL that are not plain data: objects, casts of objects, types, reflection, system objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from sabir.expressions.yaql import Variables
from sabir.expressions.yaql.kinds import EmbeddedObject
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.syntax.failures import failure_rule

if TYPE_CHECKING:
    from sabir.languages.muranopl.model.classes import MuranoClass

__all__ = [
    "AT",
    "CALLER",
    "CONTEXT",
    "DEPTH",
    "MADE_FOR",
    "MAKING",
    "RESULT",
    "THIS",
    "HostObjects",
    "HostValue",
    "calling_class",
]

# Keys of the variables of a running method, beside its locals. No variable can have such a name.
THIS = "this"
CONTEXT = "@"  # the `MethodContext`: whose code is running
DEPTH = "#"  # how many calls deep
RESULT = "^"  # what `Return` gave
AT = "~"  # the place of the assignment that is running, where somebody wants to know
CALLER = "<"  # the variables of the code that called
# What objects are made for: the targets of the assignments that are running, each as (those around it, its text).
MAKING = ">"  # in this method
MADE_FOR = "»"  # in the methods that called it

NO_WRITE_ACCESS: Final = failure_rule(
    "NoWriteAccessError",
    "MRUN:E011",
    "a property that the code may not write",
    "Properties of usage In and Const belong to the user; beside the user only the constructor of their object sets them. "
    "Results of a workflow need Out or InOut, and only code of the class itself, its ancestors and descendants may write "
    "them.",
)
UNDECLARED_READ: Final = failure_rule(
    "PropertyReadError",
    "MRUN:E012",
    "reading a property that a class does not declare",
    "Other classes see only what a class declares; what it wrote without declaring it is private to it.",
)


class HostValue(EmbeddedObject):
    """Something whose attributes and methods are ours to look up. Compared by identity unless it says otherwise."""

    __slots__ = ()

    def get_attribute(self, name: str, variables: Variables) -> Any:
        del variables
        raise MuranoError(UNDECLARED_READ, f"{self} has no property {name!r}")

    def find_method(self, name: str, variables: Variables) -> Callable[..., Any] | None:
        """A callable for evaluated arguments, or None: then the functions of the library are asked."""
        del name, variables
        return None


class HostObjects:
    """What the expression engine asks about values of ours."""

    __slots__ = ()

    def attribute(self, value: HostValue, name: str, variables: Variables) -> Any:
        return value.get_attribute(name, variables)

    def method(self, value: HostValue, name: str, variables: Variables) -> Callable[..., Any] | None:
        return value.find_method(name, variables)


def calling_class(variables: Variables) -> MuranoClass | None:
    """The class whose code is running, None when the call comes from outside."""
    context = variables.get(CONTEXT)
    return None if context is None else context.cls
