"""Values that stand for what is not known yet, two of each kind: what is the same with both does not rest on them."""

from __future__ import annotations

from typing import Any, Final

from sabir.environment.given import ABSENT

__all__ = ["GUESSES"]

# The first is tried first, the others where a part refuses it: types, and forms that constraints often ask for.
GUESSES: Final[tuple[tuple[Any, Any], ...]] = (
    ("unknown-9f1c27d4", "not-known-yet-5b"),
    (7, 12),
    (True, False),
    (["unknown-9f1c27d4"], ["not-known-yet-5b", "not-known-yet-5c"]),
    ({"unknown": "unknown-9f1c27d4"}, {"not-known": "not-known-yet-5b"}),
    ([7], [12, 13]),
    ({"unknown": 7}, {"not-known": 12}),
    (30007, 30012),
    ("192.0.2.7", "198.51.100.12"),
    ("192.0.2.0/24", "198.51.100.0/25"),
    ("7 GB", "12 GB"),
    ("7 s", "12 s"),
    ("http://unknown.invalid/9f1c27d4", "http://not-known.invalid/5b"),
    ([], []),
    ({}, {}),
    (None, None),
    (ABSENT, ABSENT),
)
