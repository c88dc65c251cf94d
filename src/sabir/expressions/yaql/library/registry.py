"""The standard library itself: what every engine knows unless it is given another."""

from __future__ import annotations

from sabir.expressions.yaql.functions import Library

__all__ = ["STANDARD"]

STANDARD = Library()
