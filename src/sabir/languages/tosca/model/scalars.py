"""Scalar values of TOSCA: sizes, times, frequencies, bit rates, versions, timestamps, ranges.

What a value of each of TOSCA's own types may be.

1.x takes what YAML 1.1 made of a text; 2.0 converts nothing: a number is no text, `True` no boolean, null of no type but nil.

Scalars of TOSCA 2.0: a number and a unit, whose multiplier brings the number to the base unit.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from functools import cached_property
from typing import Any, Final

from msgspec import Struct

from sabir.languages.tosca.syntax.dialects import is_strict_version, is_version
from sabir.languages.tosca.syntax.nodes import ScalarDefinition, Schema, TypeDefinition

UNITS: Final[Mapping[str, Mapping[str, float]]] = {
    "scalar-unit.size": {
        "B": 1,
        "KB": 10**3,
        "MB": 10**6,
        "GB": 10**9,
        "TB": 10**12,
        "KIB": 2**10,
        "MIB": 2**20,
        "GIB": 2**30,
        "TIB": 2**40,
    },
    "scalar-unit.time": {"D": 86400, "H": 3600, "M": 60, "S": 1, "MS": 1e-3, "US": 1e-6, "NS": 1e-9},
    "scalar-unit.frequency": {"HZ": 1, "KHZ": 1e3, "MHZ": 1e6, "GHZ": 1e9},
    "scalar-unit.bitrate": {
        **{unit + "BPS": 1000**power for power, unit in enumerate(("", "K", "M", "G", "T"))},
        **{unit + "IBPS": 1024**power for power, unit in enumerate(("", "K", "M", "G", "T")) if unit},
    },
}
_SCALAR: Final = r"\s*([-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?)\s*([A-Za-z]+)\s*"


def is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def scalar_unit(kind: str, value: Any) -> float | None:
    """The value in the smallest unit; None when it is no such scalar."""
    match = re.fullmatch(_SCALAR, value) if isinstance(value, str) else None
    if match is None:
        return None
    factor = UNITS[kind].get(match[2].upper())
    return None if factor is None else float(match[1]) * factor


def is_timestamp(value: Any) -> bool:
    if isinstance(value, date | datetime):
        return True
    if not isinstance(value, str):
        return False
    try:
        datetime.fromisoformat(value.strip())
    except ValueError:
        return False
    return True


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


def _allow_null(test: Test) -> Test:
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
    "integer": _allow_null(is_integer),
    "float": _allow_null(is_number),
    "number": _allow_null(is_number),
    "boolean": _allow_null(lambda value: isinstance(value, bool)),
    "timestamp": _allow_null(lambda value: is_timestamp(value) or _is_rfc_3339(value)),
    "version": _allow_null(is_version),
    "range": _allow_null(_is_range),
    **{kind: _allow_null(_unit_test(kind)) for kind in UNITS},
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


_NUMBER = r"\s*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*(\S.*?)\s*"


class ScalarUnits(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """What a scalar type and those it derives from say together."""

    units: Mapping[str, float]
    prefixes: Mapping[str, float]
    canonical_unit: str | None
    data_type: Schema | None

    @cached_property
    def multipliers(self) -> Mapping[str, float]:
        """Every way to write a unit: prefixes stand before the one unit that there is then."""
        if not self.prefixes:
            return self.units
        return {
            prefix + unit: size * factor
            for unit, size in self.units.items()
            for prefix, factor in self.prefixes.items()
        }

    @property
    def canonical(self) -> str | None:
        """The unit to give values in: the one that is named, else the one whose multiplier is 1."""
        if self.canonical_unit is not None:
            return self.canonical_unit
        return next((unit for unit, size in self.multipliers.items() if size == 1), None)

    def parts(self, value: Any) -> tuple[str, str] | None:
        """The number, as it is written, and the unit; None when the value is not such a scalar."""
        match = re.fullmatch(_NUMBER, value) if isinstance(value, str) else None
        if match is None or match[2] not in self.multipliers:
            return None
        return match[1], match[2]

    def in_base_unit(self, value: Any) -> float | None:
        """What a value is worth, to be compared with others."""
        parts = self.parts(value)
        return None if parts is None else float(parts[0]) * self.multipliers[parts[1]]


def read_multipliers(data: Any) -> dict[str, float]:
    """The entries of a map of units or prefixes that are numbers."""
    if not isinstance(data, Mapping):
        return {}
    return {"" if name is None else str(name): float(size) for name, size in data.items() if is_number(size)}


def scalar_units(chain: Iterable[TypeDefinition]) -> ScalarUnits:
    """Of a type and its ancestors, nearest first: units and prefixes are added, the rest is said once."""
    definitions = [type_.scalar for type_ in chain if type_.scalar is not None]
    units: dict[str, float] = {}
    prefixes: dict[str, float] = {}
    for definition in reversed(definitions):
        units.update(read_multipliers(definition.units.data if definition.units is not None else None))
        prefixes.update(
            read_multipliers(definition.prefixes.data if definition.prefixes is not None else None)
        )
    return ScalarUnits(
        units=units,
        prefixes=prefixes,
        canonical_unit=next(filter(None, map(_canonical_unit, definitions)), None),
        data_type=next((found.data_type for found in definitions if found.data_type is not None), None),
    )


def _canonical_unit(definition: ScalarDefinition) -> str | None:
    written = definition.canonical_unit
    return None if written is None else str(written.data)
