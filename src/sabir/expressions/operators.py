"""The operators of TOSCA 2.0 that say whether something holds: functions in expressions, and the words of constraints."""

from __future__ import annotations

from typing import Final

__all__ = ["COMPARISONS", "CONTAINMENTS", "LOGIC"]

LOGIC: Final = ("and", "or", "not", "xor")
COMPARISONS: Final = (
    "equal",
    "greater_than",
    "greater_or_equal",
    "less_than",
    "less_or_equal",
    "in_range",
    "valid_values",
    "matches",
)
CONTAINMENTS: Final = (
    "has_suffix",
    "has_prefix",
    "contains",
    "has_entry",
    "has_key",
    "has_all_entries",
    "has_all_keys",
    "has_any_entry",
    "has_any_key",
)
