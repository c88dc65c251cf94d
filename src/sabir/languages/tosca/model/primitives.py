"""What a value of each of TOSCA's own types may be.

1.x takes what YAML 1.1 made of a text; 2.0 converts nothing: a number is no text, `True` no boolean, null of no type but nil.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from sabir.languages.tosca.model.scalars import UNITS, is_integer, is_number, is_timestamp, scalar_unit
from sabir.languages.tosca.syntax.versions import is_strict_version, is_version

__all__ = ["WORDS", "primitive_test"]

Test = Callable[[Any], bool]
WORDS: Final = {
    "string": "text",
    "integer": "a whole number",
    "float": "a number",
    "number": "a number",
    "boolean": "true or false",
    "timestamp": "a timestamp",
    "version": "a version, as 1.2.3",
    "range": "a range, as [1, 4]",
    "bytes": "a text in Base64",
    "nil": "null",
    "list": "a list",
    "map": "a map",
    "scalar-unit.size": "a size, as 10 GB",
    "scalar-unit.time": "a time, as 5 s",
    "scalar-unit.frequency": "a frequency, as 2 GHz",
    "scalar-unit.bitrate": "a bit rate, as 10 Mbps",
}
_RFC_3339: Final = r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d):(\d\d)(\.\d+)?([Zz]|[-+]\d\d:\d\d)"


def primitive_test(name: str, *, second: bool) -> Test | None:
    """The test of a type by its name; None for a type of which anything is a value."""
    return (_SECOND.get(name) if second else None) or _FIRST.get(name)


def _is_range(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    low, high = value
    if is_integer(high):
        return is_integer(low) and low <= high
    return is_integer(low) and isinstance(high, str) and high.upper() == "UNBOUNDED"


def _optional(test: Test) -> Test:
    return lambda value: value is None or test(value)


def _unit_test(kind: str) -> Test:
    return lambda value: scalar_unit(kind, value) is not None


def _is_rfc_3339(value: Any) -> bool:
    match = re.fullmatch(_RFC_3339, value.strip()) if isinstance(value, str) else None
    if match is None:
        return False
    # The calendar knows no leap second; RFC 3339 does.
    seconds = "59" if match[3] == "60" else match[3]
    try:
        datetime.fromisoformat(f"{match[1]}T{match[2]}:{seconds}{match[5].upper().replace('Z', '+00:00')}")
    except ValueError:
        return False
    return True


def _is_base64(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        base64.b64decode("".join(value.split()), validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


_FIRST: Final[Mapping[str, Test]] = {
    # YAML 1.1 reads 1.0 and 2020-01-01 as something else; where text is wanted, the text that was written is meant.
    "string": lambda value: not isinstance(value, list | Mapping | bool),
    "integer": _optional(is_integer),
    "float": _optional(is_number),
    "number": _optional(is_number),
    "boolean": _optional(lambda value: isinstance(value, bool)),
    "timestamp": _optional(lambda value: is_timestamp(value) or _is_rfc_3339(value)),
    "version": _optional(is_version),
    "range": _optional(_is_range),
    **{kind: _optional(_unit_test(kind)) for kind in UNITS},
}
_SECOND: Final[Mapping[str, Test]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: is_integer(value) and -(2**63) <= value < 2**63,
    "float": is_number,
    "boolean": lambda value: isinstance(value, bool),
    "timestamp": _is_rfc_3339,
    "version": lambda value: isinstance(value, str) and is_strict_version(value),
    "bytes": _is_base64,
    "nil": lambda value: value is None,
}
