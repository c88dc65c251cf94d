"""Regular expressions that are compiled when they are first asked.

A module that is loaded has a handful of patterns, and a short run asks few of them; compiling one takes as long as parsing
a page of YAML.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, Final, cast

__all__ = ["LatePattern", "late_pattern"]

_NAMES: Final = (
    "findall",
    "finditer",
    "flags",
    "fullmatch",
    "groupindex",
    "groups",
    "match",
    "pattern",
    "scanner",
    "search",
    "split",
    "sub",
    "subn",
)


def late_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` answers, as far as anybody can tell who asks it something."""
    return cast("re.Pattern[AnyStr]", LatePattern(text, flags))


class _Compiled:
    """A pattern that was asked once: its methods are those of the compiled one, and quick to reach."""

    def __repr__(self) -> str:
        return f"late_pattern({self.__dict__['pattern']!r})"


class LatePattern(_Compiled):
    """A pattern that was never asked."""

    def __init__(self, text: Any, flags: int = 0) -> None:
        self._given = (text, flags)

    def __getattr__(self, name: str) -> Any:
        compiled = _compile(*self._given)
        self.__dict__.update({one: getattr(compiled, one) for one in _NAMES})
        # Without `__getattr__`, so that the interpreter may remember where the methods are.
        self.__class__ = _Compiled  # type: ignore[assignment]
        return getattr(self, name)

    def __repr__(self) -> str:
        return f"late_pattern({self._given[0]!r})"


_compile: Final = re.compile
