"""Scalar values of TOSCA: sizes, times, frequencies, bit rates, versions, timestamps, ranges."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Final

from sabir.languages.tosca.syntax.versions import is_version, version_key

__all__ = ["UNITS", "is_integer", "is_number", "is_timestamp", "is_version", "scalar_unit", "version_key"]

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
