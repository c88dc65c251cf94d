"""The kinds of values, as bits, and the kind of every Python type.

What a parameter accepts is a set of kinds, so checking an argument is one dictionary look-up and one `&`. A kind is a
plain `int`, not an `IntFlag`: the check sits on the hot path and the enum would make it ten times as slow.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from sabir.expressions.yaql.scope import YaqlRule, YaqlScope

NULL = 1 << 0
BOOL = 1 << 1
INTEGER = 1 << 2  # an int that is not a bool
FLOAT = 1 << 3
STRING = 1 << 4
SEQUENCE = 1 << 5
SET = 1 << 6  # sets, and the keys and items of a dictionary
ITERATOR = 1 << 7  # a lazy list: can be gone through once
COLLECTION = 1 << 8  # anything else that can be gone through: values of a dictionary, an ordering
MAPPING = 1 << 9
PATTERN = 1 << 10
DATETIME = 1 << 11
TIMESPAN = 1 << 12
SCOPE = 1 << 13  # what `let`, `with`, `unpack` and `def` give to `->`
RULE = 1 << 14  # `a => b`, evaluated
OBJECT = 1 << 15  # an object of the embedder
OTHER = 1 << 16

ANY = (1 << 17) - 1
NOT_NULL = ANY & ~NULL
INT = (
    BOOL | INTEGER
)  # YAQL lets a boolean stand for an integer where it asks for one, but not where it asks for a number
NUMBER = INTEGER | FLOAT
ITERABLE = SEQUENCE | SET | ITERATOR | COLLECTION

_NAMES = {
    NULL: "null",
    BOOL: "a boolean",
    INTEGER: "an integer",
    FLOAT: "a float",
    STRING: "a string",
    SEQUENCE: "a list",
    SET: "a set",
    ITERATOR: "a lazy list",
    COLLECTION: "a collection",
    MAPPING: "a dictionary",
    PATTERN: "a regular expression",
    DATETIME: "a date",
    TIMESPAN: "a timespan",
    SCOPE: "a scope",
    RULE: "a rule `a => b`",
    OBJECT: "an object",
    OTHER: "another value",
}


class _Kinds(dict[type, int]):
    """The kind of a type, found once by looking at what it is and kept from then on."""

    def __missing__(self, cls: type) -> int:
        kind = self[cls] = _find_kind(cls)
        return kind


def _find_kind(cls: type) -> int:
    for base, kind in _BASES:
        if issubclass(cls, base):
            return kind
    return _late_kind(cls)


def _late_kind(cls: type) -> int:
    """Kinds of types whose modules are loaded only when used."""
    datetime = sys.modules.get("datetime")
    if datetime is not None:
        if issubclass(cls, datetime.datetime):
            return DATETIME
        if issubclass(cls, datetime.timedelta):
            return TIMESPAN
    if cls.__name__ == "Pattern" and cls.__module__ == "re":
        return PATTERN
    if issubclass(cls, Iterator):
        return ITERATOR
    return COLLECTION if issubclass(cls, Iterable) else OTHER


class EmbeddedObject:
    """A value of the embedder whose attributes and methods it looks up itself: `OBJECT`, whatever else it looks like."""

    __slots__ = ()


_BASES: tuple[tuple[type, int], ...] = (
    (EmbeddedObject, OBJECT),
    (YaqlScope, SCOPE),
    (YaqlRule, RULE),
    (type(None), NULL),
    (bool, BOOL),
    (int, INTEGER),
    (float, FLOAT),
    (str, STRING),
    (Mapping, MAPPING),
    (Sequence, SEQUENCE),
    (Set, SET),
)

KINDS = _Kinds()


def kind_of(value: object) -> int:
    return KINDS[type(value)]


def describe_kind(value: object) -> str:
    """The kind of a value in words: "a string"."""
    return _NAMES[KINDS[type(value)]]


def kind_names(kinds: int) -> str:
    """A set of kinds in words: "an integer or a string"."""
    if kinds & NOT_NULL == NOT_NULL:
        return "any value"
    names = [name for bit, name in _NAMES.items() if kinds & bit and bit not in (RULE, COLLECTION, SCOPE)]
    names = names or [name for bit, name in _NAMES.items() if kinds & bit]
    return " or ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]
