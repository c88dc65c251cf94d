"""Patterns that are compiled when they are asked for first: a start pays only for those that it uses."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

__all__ = ["lazy_pattern"]


def lazy_pattern(pattern: str, flags: int = 0) -> Callable[[], re.Pattern[str]]:
    @cache
    def compiled() -> re.Pattern[str]:
        return re.compile(pattern, flags)

    return compiled
