"""The right side of a filter: spec 004, "that string will be coerced to left side's type before comparing it"."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from enum import Enum
from typing import Any, Final

from sabir.expressions.query.values import MISSING, Missing
from sabir.graph.values import Sensitive, reveal

__all__ = ["equal", "equals_literal"]

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
            return equals(reveal(left))
        right = coerced.get(kind, coerced)
        if right is coerced:
            right = coerced[kind] = _coerce(text, kind)
        return right is not MISSING and bool(left == right)

    return equals


def _coerce(text: str, kind: type) -> Any | Missing:
    if kind is bool:
        return _BOOLEANS.get(text.lower(), MISSING)
    if issubclass(kind, Enum):
        return _member(text, kind)
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


def _member(text: str, kind: type[Enum]) -> Any | Missing:
    for member in kind:
        if text == member.name or text == str(member.value):
            return member
    return MISSING


def equal(left: Any, right: Any) -> bool:
    """Equality of values as Python has it (1 equals true); a mark does not count."""
    return bool(reveal(left) == reveal(right))
