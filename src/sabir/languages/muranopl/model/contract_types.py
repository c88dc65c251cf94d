"""The type of a compiled contract, and the scalar contracts `int()`, `string()` and `bool()`.

The conversions follow decisions S-02 and S-05. Contracts also list the Python types that they are made for:
an extension method applies to a value by the contract of its first argument.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.expressions.yaql.kinds import ANY, BOOL, INTEGER, ITERABLE, MAPPING, NULL, OBJECT, STRING
from sabir.languages.muranopl.model.errors import ContractViolationError, format_value
from sabir.languages.muranopl.model.objects import MuranoObject, ObjectView
from sabir.languages.muranopl.syntax.rules import failure_rule
from sabir.lazy import lazy_pattern

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.loader import Loader
    from sabir.languages.muranopl.model.classes import MuranoClass


Check = Callable[[Any, Any, "Loader"], Any]
Build = Callable[[Any, "MuranoObject", "Loader"], Any]

CONTRACT_FORM: Final = failure_rule(
    "DslContractSyntaxError",
    "MRUN:E002",
    "a contract of the wrong form",
    "A contract is a chain of int(), string(), bool(), class(), template(), notNull(), check(), owned() and notOwned(), "
    "or a list or dictionary of contracts.",
)


class Contract(Struct, frozen=True, eq=False):
    """A compiled contract: `check`, `build`, the types it is made for, and the class of an absent instance."""

    check: Check
    build: Build | None = None
    kinds: int = ANY
    default_class: Callable[[], MuranoClass] | None = None
    wanted_class: Callable[[], MuranoClass] | None = None
    is_template: bool = False

    def with_check(self, check: Check) -> Contract:
        return replace(self, check=check)


def _accept_anything(value: Any, _this: Any, _loader: Any) -> Any:
    return value


ANYTHING: Final = Contract(_accept_anything)


# Only the type counts here, not conversions: an extension for strings does not apply to numbers.
KIND_OF: Final = {"int": INTEGER | NULL, "string": STRING | NULL, "bool": BOOL | NULL}
LIST_KINDS: Final = ITERABLE
MAP_KINDS: Final = MAPPING
OBJECT_KINDS: Final = OBJECT | NULL


def int_check(value: Any, _this: Any, _loader: Any) -> Any:
    """Return the value as an integer: strings of digits and booleans are converted, floats truncated, null accepted."""
    if type(value) is int or value is None:
        return value
    if isinstance(value, str):
        if _integer_text().fullmatch(value):
            return int(value)
    elif isinstance(value, int):
        return int(value)  # a boolean
    elif isinstance(value, float) and -1e300 < value < 1e300:
        return int(value)  # truncated towards zero
    raise ContractViolationError(f"{format_value(value)} is no integer", value)


def string_check(value: Any, _this: Any, _loader: Any) -> Any:
    """Return the value as a string: scalars are converted, an object gives its id, null is accepted."""
    if type(value) is str or value is None:
        return value
    if isinstance(value, str | int | float | date):
        return str(value)
    if isinstance(value, MuranoObject):
        return value.id
    if isinstance(value, ObjectView):
        return value.object.id
    raise ContractViolationError(f"{format_value(value)} is no text", value)


def bool_check(value: Any, _this: Any, _loader: Any) -> Any:
    """Return the truth of the value; null is accepted as it is."""
    if value is None or value is True or value is False:
        return value
    return bool(value)


_integer_text: Final = lazy_pattern(r"\s*[-+]?[0-9]{1,4000}\s*")
