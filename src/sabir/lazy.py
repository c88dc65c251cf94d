"""Patterns that are compiled when they are asked for first: a start pays only for those that it uses."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import AnyStr


def lazy_pattern(pattern: AnyStr, flags: int = 0) -> Callable[[], re.Pattern[AnyStr]]:
    @cache
    def compiled() -> re.Pattern[AnyStr]:
        return re.compile(pattern, flags)

    return compiled
