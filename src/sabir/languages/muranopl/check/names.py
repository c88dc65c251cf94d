"""The names of the language: how they are spelt, and what is known by format version (spec 001)."""

from __future__ import annotations

import re
from typing import Final

__all__ = [
    "FORMATS",
    "LATEST",
    "is_camel_case",
    "is_dotted_name",
    "is_identifier",
    "is_lower_camel",
]

Version = tuple[int, int]

FORMATS: Final[dict[str, tuple[Version, ...]]] = {
    "MuranoPL": ((1, 0), (1, 1), (1, 2), (1, 3), (1, 4)),
    "Heat.HOT": ((1, 0),),
}
LATEST: Final[Version] = (1, 4)

_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DOTTED: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")
_CAMEL_CASE: Final = re.compile(r"_*(?:[A-Z]{1,3}|[A-Z][A-Za-z0-9]*)")
_ALL_CAPITALS: Final = re.compile(r"[A-Z0-9]{4,}")


def is_identifier(name: str) -> bool:
    return _IDENTIFIER.fullmatch(name) is not None


def is_dotted_name(name: str) -> bool:
    return _DOTTED.fullmatch(name) is not None


def is_lower_camel(name: str) -> bool:
    """Every part of a dotted name begins with a small letter and has no underscore."""
    return all(part[:1].islower() and "_" not in part for part in name.split("."))


def is_camel_case(name: str) -> bool:
    return _CAMEL_CASE.fullmatch(name) is not None and _ALL_CAPITALS.fullmatch(name) is None
