"""The right side of a filter: spec 004, "that string will be coerced to left side's type before comparing it".

Texts that have an order other than that of their letters: instants of RFC 3339 and versions of TOSCA.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime
from enum import Enum
from typing import Any, Final

from sabir.expressions.query.values import MISSING, Missing
from sabir.graph.values import Sensitive, reveal_value

# S-94: the word is read as YAML reads it, not by Python's truth of a text.
_BOOLEANS: Final = {
    word: truth
    for truth, words in ((True, ("true", "yes", "on")), (False, ("false", "no", "off")))
    for word in words
}


def equals_literal(text: str) -> Callable[[Any], bool]:
    """A test against a text; the text as a value of each type is computed once."""
    coerced: dict[type, Any] = {str: text}

    def equals(left: Any) -> bool:
        kind = type(left)
        if kind is Sensitive:
            return equals(reveal_value(left))
        right = coerced.get(kind, coerced)
        if right is coerced:
            right = coerced[kind] = _coerce_text(text, kind)
        return right is not MISSING and bool(left == right)

    return equals


def _coerce_text(text: str, kind: type) -> Any | Missing:
    if kind is bool:
        return _BOOLEANS.get(text.lower(), MISSING)
    if issubclass(kind, Enum):
        return _find_member(text, kind)
    if not issubclass(kind, int | float | str | bytes | date):
        return MISSING
    try:
        if issubclass(kind, bytes):
            return text.encode()
        if issubclass(kind, datetime | date):
            return kind.fromisoformat(text)
        return kind(text)
    except ValueError:
        return MISSING


def _find_member(text: str, kind: type[Enum]) -> Any | Missing:
    for member in kind:
        if text == member.name or text == str(member.value):
            return member
    return MISSING


def is_equal(left: Any, right: Any) -> bool:
    """Equality of values as Python has it (1 equals true); a mark does not count."""
    return bool(reveal_value(left) == reveal_value(right))


_INSTANT: Final = r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d):(\d\d)(\.\d+)?([Zz]|[-+]\d\d:\d\d)"
_VERSION: Final = r"(\d+)\.(\d+)(?:\.(\d+)(?:\.(\w+)(?:-(\d+))?)?)?"

VersionOrder = tuple[int, int, int, int, str, int]


def comparable_texts(left: str, right: str) -> tuple[Any, Any]:
    """Two instants or two versions as what is compared of them; other texts as they are."""
    for order in (parse_instant, version_order):
        first, second = order(left), order(right)
        if first is not None and second is not None:
            return first, second
    return left, right


def parse_instant(text: str) -> datetime | None:
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
