"""`format`: values put into a text. Not part of YAQL 3; MuranoPL needs it, so an embedder declares it.

YAQL dropped `format` because its templates could reach attributes of host objects. This one only inserts values: a
placeholder names an argument, by position or keyword, and may say how to write it; `{0.x}` and `{0[x]}` are refused.
"""

from __future__ import annotations

import re
from typing import Any, Final

from sabir.expressions.yaql.errors import YaqlRuntimeError
from sabir.expressions.yaql.functions import Library
from sabir.expressions.yaql.kinds import BOOL, DATETIME, KINDS, NULL, NUMBER, STRING
from sabir.expressions.yaql.limits import Limits
from sabir.expressions.yaql.values import plain_text
from sabir.lazy import lazy_pattern

__all__ = ["declare_format", "format_values"]

_CONVERSIONS = {"r": repr, "s": str, "a": ascii, None: None}

_part: Final = lazy_pattern(r"\{\{|\}\}|\{([^{}!:]*)(?:!([rsa]))?(?::((?:[^{}]|\{[^{}]*\})*))?\}|[{}]")
_digits: Final = lazy_pattern(r"\d+")


def declare_format(library: Library) -> None:
    """Adds `format(template, …)` and `template.format(…)` to a library."""

    @library.extension("format", STRING)
    def format_(limits: Limits, template: str, /, *args: Any, **kwargs: Any) -> str:
        return format_values(limits, template, args, kwargs)


def format_values(limits: Limits, template: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    return _Template(limits, args, kwargs).fill(template)


class _Template:
    def __init__(self, limits: Limits, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._limits = limits
        self._args = args
        self._kwargs = kwargs
        self._next = 0
        self._size = 0

    def fill(self, template: str) -> str:
        return _part().sub(self._part, template)

    def _part(self, match: re.Match[str]) -> str:
        text = match.group()
        if text in ("{{", "}}"):
            return text[0]
        if text in ("{", "}"):
            raise YaqlRuntimeError(
                f"a single `{text}` in the template; write `{text}{text}` for the character itself"
            )
        name, conversion, form = match.group(1), match.group(2), match.group(3) or ""
        written = self._written(self._value(name), _CONVERSIONS[conversion], self.fill(form))
        self._size += len(written)
        self._limits.check_bits(self._size * 8)
        return written

    def _value(self, name: str) -> Any:
        name = name.strip()
        if "." in name or "[" in name:
            raise YaqlRuntimeError(
                f"the placeholder `{{{name}}}` looks into a value; `format` only inserts values"
            )
        if not name:
            name = str(self._next)
            self._next += 1
        if name.isdecimal():
            if int(name) >= len(self._args):
                raise YaqlRuntimeError(f"there is no argument for the placeholder `{{{name}}}`")
            return self._args[int(name)]
        if name not in self._kwargs:
            raise YaqlRuntimeError(f"there is no argument for the placeholder `{{{name}}}`")
        return self._kwargs[name]

    def _written(self, value: Any, convert: Any, form: str) -> str:
        if KINDS[type(value)] & ~(NUMBER | STRING | BOOL | NULL | DATETIME):
            value = plain_text(value, self._limits)
        if convert is not None:
            value = convert(value)
        for digits in _digits().findall(form):  # a width is reserved before anything is written
            self._limits.check_bits(int(digits[:20]) * 8)
        return format(value, form) if form else str(value)
