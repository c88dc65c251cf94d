"""Contract parts inside of a larger expression: `$.int() or 5672`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sabir.expressions.yaql import EXPRESSION, LAMBDA, Lambda, Library, Variables
from sabir.expressions.yaql.kinds import ANY, STRING
from sabir.expressions.yaql.nodes import Node
from sabir.languages.muranopl.model.contract_classes import class_name_of
from sabir.languages.muranopl.model.contract_scalars import bool_check, int_check, string_check
from sabir.languages.muranopl.model.contract_types import CONTRACT_FORM
from sabir.languages.muranopl.model.errors import ContractViolation, MuranoError, shown
from sabir.languages.muranopl.model.hosts import THIS, calling_class
from sabir.languages.muranopl.model.objects import MuranoObject, unwrapped

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.loading import Loader
    from sabir.languages.muranopl.model.classes import MuranoClass

__all__ = ["LOADER", "contract_library"]

LOADER: Final = "%"  # the loader of the check that is running, beside the variables


def contract_library(base: Library) -> Library:
    """A library with the parts of contracts as methods."""
    library = Library(base)
    for name, check in (("int", int_check), ("string", string_check), ("bool", bool_check)):
        library.method(name, ANY)(_scalar(check))

    @library.method("notNull", ANY)
    def not_null(value: Any) -> Any:
        if value is None:
            raise ContractViolation("a value is required here, null was given")
        return value

    @library.method("check", ANY, LAMBDA, STRING)
    def check_(value: Any, predicate: Lambda, message: str | None = None) -> Any:
        if not predicate(value):
            raise ContractViolation(message or f"{shown(value)} does not satisfy the contract", value)
        return value

    @library.method("class", ANY, EXPRESSION, EXPRESSION)
    def class_(variables: Variables, value: Any, name: Node, default: Node | None = None) -> Any:
        wanted = _resolved(name, variables)
        made_class = wanted if default is None else _resolved(default, variables)
        return _object(value, wanted, made_class, variables)

    return library


def _scalar(check: Any) -> Any:
    def convert(value: Any) -> Any:
        return check(value, None, None)

    return convert


def _resolved(node: Node, variables: Variables) -> MuranoClass:
    name, cls = class_name_of(node), calling_class(variables)
    if name is None or cls is None:
        raise MuranoError(CONTRACT_FORM, "class() takes the name of a class")
    return cls.resolve(name)


def _object(value: Any, wanted: MuranoClass, default: MuranoClass, variables: Variables) -> Any:
    loader: Loader = variables[LOADER]
    this = variables.get(THIS)
    value = unwrapped(value)
    if value is None:
        return None
    if isinstance(value, str):
        value = loader.find(value)
    elif isinstance(value, dict):
        value = loader.instantiate(value, loader.owner_for(this), default)
    if not isinstance(value, MuranoObject) or not value.cls.is_a(wanted):
        raise ContractViolation(f"{shown(value)} is no object of {wanted.name}", value)
    return value
