"""Resolution of plain scalars in YAML 1.1, by the rules of PyYAML's safe loader."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Final, TypeVar

from sabir.diagnostics.reasons import explain_error
from sabir.lazy import lazy_pattern
from sabir.source.yaml.nodes import ScalarValue

Number = TypeVar("Number", int, float)

_BOOLS: Final = {
    word: truth
    for truth, stems in ((True, ("yes", "true", "on")), (False, ("no", "false", "off")))
    for stem in stems
    for word in (stem, stem.capitalize(), stem.upper())
}
_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})

_int_pattern: Final = lazy_pattern(
    r"[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+"
)
_float_pattern: Final = lazy_pattern(
    r"[-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_timestamp_pattern: Final = lazy_pattern(
    r"(?P<year>\d{4})-(?P<month>\d\d?)-(?P<day>\d\d?)"
    r"(?:(?:[Tt]|[ \t]+)(?P<hour>\d\d?):(?P<minute>\d\d):(?P<second>\d\d)(?:\.(?P<fraction>\d*))?"
    r"(?:[ \t]*(?P<zone>Z|(?P<sign>[-+])(?P<zone_hour>\d\d?)(?::(?P<zone_minute>\d\d))?))?)?",
    re.ASCII,
)
_date_only_pattern: Final = lazy_pattern(r"\d{4}-\d\d-\d\d", re.ASCII)


_FIRST_NUMERIC: Final = frozenset("-+0123456789.")
MERGE: Final = "tag:yaml.org,2002:merge"


def resolve_plain(text: str) -> ScalarValue:
    """The value of an untagged plain scalar."""
    if text in _NULLS:
        return None
    if text[0] not in _FIRST_NUMERIC:
        return _BOOLS.get(text, text)
    if text.isdecimal() and text.isascii() and text[0] != "0":
        return int(text)  # the most frequent number by far
    if _int_pattern().fullmatch(text):
        return construct_int(text)
    if _float_pattern().fullmatch(text):
        return construct_float(text)
    if text[0].isdigit() and _is_timestamp(text):
        return construct_timestamp(text)
    return text


def _is_timestamp(text: str) -> bool:
    # A date alone needs two-digit month and day; with a time one digit will do (PyYAML's two patterns).
    match = _timestamp_pattern().fullmatch(text)
    # A leap second is right, but no datetime can hold it: it stays a text.
    return (
        match is not None
        and match["second"] != "60"
        and (match["hour"] is not None or _date_only_pattern().fullmatch(text) is not None)
    )


def construct_int(text: str) -> int:
    """Return the integer of a YAML 1.1 scalar: decimal, binary, octal, hexadecimal or base 60."""
    text = text.replace("_", "")
    sign = -1 if text.startswith("-") else 1
    digits = text.lstrip("+-")
    if digits == "0":
        return 0
    if digits.startswith("0b"):
        return sign * int(digits[2:], 2)
    if digits.startswith("0x"):
        return sign * int(digits[2:], 16)
    if digits.startswith("0"):
        return sign * int(digits, 8)
    if ":" in digits:
        return sign * _base_60([int(part) for part in digits.split(":")])
    return sign * int(digits)


def construct_float(text: str) -> float:
    """Return the float of a YAML 1.1 scalar, including `.inf`, `.nan` and base 60."""
    text = text.replace("_", "").lower()
    sign = -1.0 if text.startswith("-") else 1.0
    digits = text.lstrip("+-")
    if digits == ".inf":
        return sign * float("inf")
    if digits == ".nan":
        return float("nan")
    return sign * (_base_60([float(part) for part in digits.split(":")]) if ":" in digits else float(digits))


def _base_60(parts: list[Number]) -> Number:
    value = parts[0]
    for part in parts[1:]:
        value = value * 60 + part
    return value


def construct_timestamp(text: str) -> date | datetime:
    """Return the date or datetime of a YAML 1.1 timestamp."""
    match = _timestamp_pattern().fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a timestamp")
    day = (int(match["year"]), int(match["month"]), int(match["day"]))
    if match["hour"] is None:
        return date(*day)
    fraction = int((match["fraction"] or "")[:6].ljust(6, "0"))
    zone = None
    if match["sign"]:
        delta = timedelta(hours=int(match["zone_hour"]), minutes=int(match["zone_minute"] or 0))
        zone = timezone(-delta if match["sign"] == "-" else delta)
    elif match["zone"]:
        zone = UTC
    return datetime(
        *day, int(match["hour"]), int(match["minute"]), int(match["second"]), fraction, tzinfo=zone
    )


def _construct_bool(text: str) -> bool:
    return _BOOLS[text.lower()]


def _construct_null(text: str) -> None:
    del text


def _construct_binary(text: str) -> bytes:
    try:
        return base64.decodebytes(text.encode("ascii"))
    except (binascii.Error, UnicodeEncodeError) as error:
        raise ValueError(f"not base64: {explain_error(error)}") from error


CONSTRUCTORS: Final[dict[str, Callable[[str], ScalarValue]]] = {
    "tag:yaml.org,2002:str": str,
    "tag:yaml.org,2002:int": construct_int,
    "tag:yaml.org,2002:float": construct_float,
    "tag:yaml.org,2002:bool": _construct_bool,
    "tag:yaml.org,2002:null": _construct_null,
    "tag:yaml.org,2002:timestamp": construct_timestamp,
    "tag:yaml.org,2002:binary": _construct_binary,
    "tag:yaml.org,2002:value": str,
}
