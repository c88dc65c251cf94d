"""How deeply values lie in one another in a JSON text, told before anybody descends into them."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

__all__ = ["DEEPEST", "refuse_deep"]

DEEPEST: Final = 1000


def refuse_deep(text: bytes) -> None:
    """RecursionError when values are nested more deeply than any that sabir writes."""
    if text.count(b"[") + text.count(b"{") > DEEPEST and _depth(text) > DEEPEST:
        raise RecursionError


def _depth(text: bytes) -> int:
    depth = deepest = 0
    for bracket in _string().sub(b"", text).translate(None, _NO_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


@cache
def _string() -> re.Pattern[bytes]:
    return re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)


_NO_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in b"[]{}")
