"""What a rendered template gives: Ansible's native types, and its way with backslashes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, KeysView, Set, ValuesView
from functools import wraps
from typing import Any, Final

from jinja2 import Environment, Undefined

__all__ = ["TEXT_FILTERS", "keep_backslashes", "shown", "stays_text", "value_of"]

TEXT_FILTERS: Final = ("string", "to_json", "to_nice_json", "to_yaml", "to_nice_yaml")
"""Whoever writes one of these wants text, also where it reads as a number or a list."""

_LONGEST_LITERAL: Final = 200_000
_MAY_BE_LITERAL: Final = re.compile(r"[-+0-9.\[({'\"]|True$|False$|None$|[bBrRuU]{1,2}['\"]|set\(")
_SHOWN_AS_IT_IS: Final = frozenset({str, int, float, bool, type(None), list, dict})
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)


class _Text(str):
    """Text that is not read as a literal."""

    __slots__ = ()


def stays_text(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter whose result stays text when it is all a template gives."""

    @wraps(function)
    def kept(*args: Any, **kwargs: Any) -> Any:
        made = function(*args, **kwargs)
        return _Text(made) if isinstance(made, str) else made

    return kept


def shown(value: Any) -> Any:
    """An output of a template: what would show as an object of Python is the list of its items."""
    if type(value) in _SHOWN_AS_IT_IS:  # asking an abstract class costs more than all the rest
        return value
    return list(value) if isinstance(value, Iterator | KeysView | ValuesView | Set | range) else value


def value_of(values: Iterable[Any]) -> Any:
    """The pieces of output as one value: a single one keeps its type, several are text, none is null."""
    pieces = list(values)
    if not pieces:
        return None
    if len(pieces) > 1:
        return _literal("".join([piece if type(piece) is str else str(shown(piece)) for piece in pieces]))
    only = shown(pieces[0])
    if isinstance(only, Undefined):
        # Also the one that Jinja2 makes of an `if` without `else`, which would print as nothing.
        only._fail_with_undefined_error()  # pyright: ignore[reportPrivateUsage]  Jinja2 has no public way
    if isinstance(only, _Text):
        return str(only)
    return _literal(only) if type(only) is str else only


def _literal(text: str) -> Any:
    """What the text is as a Python literal; the text itself when it is none, or a quoted text."""
    if len(text) > _LONGEST_LITERAL or _MAY_BE_LITERAL.match(text) is None:
        return text
    try:
        value = ast.literal_eval(ast.parse(text, mode="eval"))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text
    return text if isinstance(value, str) else shown(value)


def keep_backslashes(text: str, environment: Environment) -> str:
    """The template with the backslashes of quoted texts in `{{ }}` doubled, so that `'\\1'` is what a regex needs.

    Ansible does so, except that there a quote cannot be escaped; in `{% %}` the escapes of Jinja2 hold.
    """
    if "\\" not in text or "{{" not in text:
        return text
    pieces: list[str] = []
    inside = False
    for _line, kind, piece in environment.lex(text):
        inside = kind == "variable_begin" or (inside and kind != "variable_end")
        pieces.append(piece if not inside or kind != "string" else _ESCAPE.sub(_doubled, piece))
    return "".join(pieces)


def _doubled(escape: re.Match[str]) -> str:
    match escape[1]:
        case "'" | '"':
            return escape[0]
        case "\\":
            return "\\" * 4
        case _:
            return "\\" + escape[0]
