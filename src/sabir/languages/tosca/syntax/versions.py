"""Versions of TOSCA: `major.minor[.fix[.qualifier[-build]]]`."""

from __future__ import annotations

import re
from typing import Any, Final

from sabir.expressions.query.comparison import VersionOrder, version_order

__all__ = ["is_strict_version", "is_version", "version_key"]

_VERSION: Final = (
    r"([0-9]+)(?:\.([0-9]+)(?:\.([0-9]+)(?:\.([A-Za-z0-9_]+)(?:-([0-9]+))?)?)?)?(?:[-+.][A-Za-z0-9_.+-]+)?"
)
_STRICT: Final = r"[0-9]+\.[0-9]+(?:\.[0-9]+(?:\.[A-Za-z0-9_]+(?:-[0-9]+)?)?)?"


def is_version(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return value >= 0
    return isinstance(value, str) and re.fullmatch(_VERSION, value) is not None


def version_key(value: Any) -> VersionOrder:
    """By what versions are compared; of one that is merely used as one its first numbers count."""
    order = version_order(str(value))
    if order is not None:
        return order
    numbers = [int(part) for part in re.findall(r"[0-9]{1,18}", str(value))[:3]]
    major, minor, fix = (*numbers, -1, -1, -1)[:3]
    return major, minor, fix, 1, "", 0


def is_strict_version(text: str) -> bool:
    """Whether a text is a version as the grammar has it, and nothing that is merely used as one."""
    return re.fullmatch(_STRICT, text.strip()) is not None
