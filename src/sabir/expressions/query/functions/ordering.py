"""Texts that have an order other than that of their letters: instants of RFC 3339 and versions of TOSCA."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Final

__all__ = ["VersionOrder", "comparable_texts", "instant", "version_order"]

_INSTANT: Final = r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d):(\d\d)(\.\d+)?([Zz]|[-+]\d\d:\d\d)"
_VERSION: Final = r"(\d+)\.(\d+)(?:\.(\d+)(?:\.(\w+)(?:-(\d+))?)?)?"

VersionOrder = tuple[int, int, int, int, str, int]


def comparable_texts(left: str, right: str) -> tuple[Any, Any]:
    """Two instants or two versions as what is compared of them; other texts as they are."""
    for order in (instant, version_order):
        first, second = order(left), order(right)
        if first is not None and second is not None:
            return first, second
    return left, right


def instant(text: str) -> datetime | None:
    """The moment that a timestamp means, wherever it was taken."""
    match = re.fullmatch(_INSTANT, text.strip())
    if match is None:
        return None
    # The calendar knows no leap second; RFC 3339 does.
    seconds = "59" if match[3] == "60" else match[3]
    fraction = f".{(match[4] or '.0')[1:7]:0<6}"
    zone = match[5].upper().replace("Z", "+00:00")
    try:
        return datetime.fromisoformat(f"{match[1]}T{match[2]}:{seconds}{fraction}{zone}")
    except ValueError:
        return None


def version_order(text: str) -> VersionOrder | None:
    """A version with a qualifier is older than the same without; `1.0` and `1.0.0` are two."""
    match = re.fullmatch(_VERSION, text.strip())
    if match is None:
        return None
    major, minor, fix = (-1 if part is None else int(part) for part in match.group(1, 2, 3))
    return major, minor, fix, int(match[4] is None), match[4] or "", int(match[5] or 0)
