"""What an attribute can hold: plain data, references to instances, sensitive values, values not known yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final, Union, final

from msgspec import Struct

__all__ = [
    "REDACTED",
    "UNKNOWN",
    "PlainScalar",
    "Ref",
    "Sensitive",
    "Unknown",
    "Value",
    "reveal",
    "reveal_all",
]

PlainScalar = str | int | float | bool | bytes | date | datetime | None
REDACTED: Final = "<<REDACTED>>"


class Ref(Struct, frozen=True):
    """An instance as a value, by its id."""

    id: str


class Sensitive(Struct, frozen=True):
    """A value that must never be shown: whoever writes values writes `<<REDACTED>>` for it, and so does `repr`."""

    value: Value

    def __str__(self) -> str:
        return REDACTED

    def __repr__(self) -> str:
        return f"Sensitive({REDACTED})"


@final
class Unknown:
    """The one value that is not known yet: it will be once something is deployed."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown()

Value = Union[PlainScalar, Ref, Sensitive, Unknown, Sequence["Value"], Mapping[str, "Value"]]


def reveal(value: Value) -> Value:
    """The value without its mark, for those who have to use it."""
    while isinstance(value, Sensitive):
        value = value.value
    return value


def reveal_all(value: Any) -> Any:
    """The value without any mark in it, for a language that knows none."""
    value = reveal(value)
    if isinstance(value, Mapping):
        return {key: reveal_all(one) for key, one in value.items()}
    return [reveal_all(one) for one in value] if isinstance(value, list | tuple) else value
