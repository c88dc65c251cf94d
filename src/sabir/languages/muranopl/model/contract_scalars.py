"""`int()`, `string()` and `bool()` with their conversions (decisions S-02 and S-05)."""

from __future__ import annotations

from datetime import date
from typing import Any, Final

from sabir.languages.muranopl.model.errors import ContractViolation, shown
from sabir.languages.muranopl.model.objects import MuranoObject, ObjectView
from sabir.lazy import lazy_pattern

__all__ = ["bool_check", "int_check", "string_check"]


def int_check(value: Any, _this: Any, _loader: Any) -> Any:
    if type(value) is int or value is None:
        return value
    if isinstance(value, str):
        if _integer_text().fullmatch(value):
            return int(value)
    elif isinstance(value, int):
        return int(value)  # a boolean
    elif isinstance(value, float) and -1e300 < value < 1e300:
        return int(value)  # towards zero
    raise ContractViolation(f"{shown(value)} is no integer", value)


def string_check(value: Any, _this: Any, _loader: Any) -> Any:
    if type(value) is str or value is None:
        return value
    if isinstance(value, str | int | float | date):
        return str(value)
    if isinstance(value, MuranoObject):
        return value.id
    if isinstance(value, ObjectView):
        return value.object.id
    raise ContractViolation(f"{shown(value)} is no text", value)


def bool_check(value: Any, _this: Any, _loader: Any) -> Any:
    if value is None or value is True or value is False:
        return value
    return bool(value)


_integer_text: Final = lazy_pattern(r"\s*[-+]?[0-9]{1,4000}\s*")
