"""Which kinds of values an extension method is for, by the contract of its first argument."""

from __future__ import annotations

from typing import Final

from sabir.expressions.yaql.kinds import BOOL, INTEGER, ITERABLE, MAPPING, NULL, OBJECT, STRING

__all__ = ["KIND_OF", "LIST_KINDS", "MAP_KINDS", "OBJECT_KINDS"]

# Only the type counts here, never a conversion: an extension for texts does not apply to numbers.
KIND_OF: Final = {"int": INTEGER | NULL, "string": STRING | NULL, "bool": BOOL | NULL}
LIST_KINDS: Final = ITERABLE
MAP_KINDS: Final = MAPPING
OBJECT_KINDS: Final = OBJECT | NULL
