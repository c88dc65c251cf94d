"""Python that is written for a newer version than the one that runs: told by the line at which reading it ended."""

from __future__ import annotations

import re
import sys
from typing import Final

from msgspec import Struct

__all__ = ["newer_python"]


class _Syntax(Struct, frozen=True, kw_only=True):
    """Something that an older Python cannot read."""

    name: str
    since: tuple[int, int]
    line: re.Pattern[str]
    message: str = ""
    """What the error begins with, where the line alone does not tell."""


_DEFINED: Final = r"\s*(?:(?:async\s+)?def|class|type)\s+\w+"
_FIELD: Final = r"""\b(?:[fF][rR]?|[rR][fF])(["'])(?:(?!\1).)*\{"""
"""An f-string up to the beginning of one of its fields."""

_SYNTAXES: Final = (
    _Syntax(name="a t-string", since=(3, 14), line=re.compile(r""".*(?<!\w)(?:[tT][rR]?|[rR][tT])["']""")),
    _Syntax(
        name="a default of a type parameter",
        since=(3, 13),
        line=re.compile(_DEFINED + r"\[[^=\]]*\w\s*=[^=]"),
    ),
    _Syntax(name="a type parameter", since=(3, 12), line=re.compile(_DEFINED + r"\[")),
    _Syntax(name="a 'type' statement", since=(3, 12), line=re.compile(r"\s*type\s+\w+\s*=")),
    _Syntax(
        name="an f-string with a backslash or a comment inside of { }",
        since=(3, 12),
        line=re.compile(""),
        message="f-string expression part cannot include",
    ),
    _Syntax(
        name="an f-string with its own quotes inside of { }",
        since=(3, 12),
        line=re.compile(r".*?" + _FIELD + r"[^}\n]*?\1[^\n]*?\}[^\n]*?\1"),
        message="f-string: ",
    ),
    _Syntax(
        name="an f-string with a { } of several lines",
        since=(3, 12),
        line=re.compile(r".*?" + _FIELD + r"(?:[^}]*[\[({,])?$"),
        message="unterminated string literal",
    ),
)
_LONGEST: Final = 300
"""Of a longer line only the beginning is looked at, for the patterns take cubic time on a hostile one."""


def newer_python(error: BaseException, line: str) -> str | None:
    """What to do about a line that this Python cannot read and a newer one can."""
    if not isinstance(error, SyntaxError):
        return None
    here = sys.version_info[:2]
    for syntax in _SYNTAXES:
        if (
            here < syntax.since
            and error.msg.startswith(syntax.message)
            and syntax.line.match(line[:_LONGEST].rstrip())
        ):
            since, running = ("{}.{}".format(*version) for version in (syntax.since, here))
            return (
                f"{syntax.name} is written for Python {since} or newer, and this is Python {running}: "
                f"install sabir and the module in an environment of Python {since}, and run it there"
            )
    return None
