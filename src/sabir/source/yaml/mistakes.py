"""Likely causes of YAML syntax errors, from the parser's message and the lines around it.

The parser reports where it cannot continue. The mistake is often on a line before: a quote that was never closed, a
key without a colon.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from sabir.text import Span


class Mistake(Struct, frozen=True):
    """A likely cause: message, span and hint."""

    reason: str
    span: Span
    hint: str | None = None


class _Text:
    """The text, and where the parser stands."""

    def __init__(self, text: str, error: Any) -> None:
        self.text = text
        mark, context = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
        self.at: int = min(mark.index if mark is not None else 0, len(text))
        self.began: int | None = None if context is None else min(context.index, len(text))
        """Where what it was reading began: a quote, a bracket."""
        self.problem: str = getattr(error, "problem", None) or ""
        self.context: str = getattr(error, "context", None) or ""
        self.start = text.rfind("\n", 0, self.at) + 1
        end = text.find("\n", self.at)
        self.line = text[self.start : len(text) if end < 0 else end]
        self.column = self.at - self.start

    def before(self) -> tuple[int, str] | None:
        """The last line above that says something, and where it begins."""
        end = self.start - 1
        while end >= 0:
            start = self.text.rfind("\n", 0, end) + 1
            line = self.text[start:end]
            if line.strip() and not line.lstrip().startswith("#"):
                return start, line
            end = start - 1
        return None


def find_mistake(text: str, error: Exception) -> Mistake | None:
    """Return the likely cause of a syntax error; None when the parser's own message is the best one."""
    here = _Text(text, error)
    for look in _LOOKS:
        slip = look(here)
        if slip is not None:
            return slip
    return None


def _check_tab(here: _Text) -> Mistake | None:
    blanks = here.line[: len(here.line) - len(here.line.lstrip())]
    if "\t" not in blanks or here.column > len(blanks):
        return None
    at = here.start + blanks.index("\t")
    return Mistake("a tab in the indentation", Span(at, at + 1), "indent with spaces")


def _check_quote(here: _Text) -> Mistake | None:
    """A quote that is never closed; or one that was closed by the next quote of another line."""
    is_open = "quoted scalar" in here.context and "end of stream" in here.problem
    if is_open and here.began is not None and here.text[here.began : here.began + 1] in ("'", '"'):
        return _never_closed(here.text, here.began)
    if "expected key" not in here.problem and "mapping values" not in here.problem:
        return None
    before = here.before()
    lines = 0
    while before is not None and lines < _FAR:
        start, line = before
        opened = re.search(r"[:\-\[{,]\s*(['\"])", line)
        if opened is not None and line.count(opened[1]) % 2 and here.line[: here.column].count(opened[1]) % 2:
            return _never_closed(here.text, start + opened.start(1))
        lines += 1
        before = _line_above(here.text, start)
    return None


def _line_above(text: str, start: int) -> tuple[int, str] | None:
    if start == 0:
        return None
    above = text.rfind("\n", 0, start - 1) + 1
    return above, text[above : start - 1]


def _never_closed(text: str, at: int) -> Mistake:
    return Mistake(
        f"the quote {text[at]} that opens here is never closed",
        Span(at, at + 1),
        f"close it with {text[at]}; inside a text in ' an apostrophe is written twice",
    )


def _check_bracket(here: _Text) -> Mistake | None:
    """`[` or `{` that is never closed, or a comma that is missing inside."""
    if "flow" not in here.context or here.began is None:
        return None
    opening = here.text[here.began : here.began + 1]
    closing = {"[": "]", "{": "}"}.get(opening)
    if closing is None:
        return None
    if here.start <= here.began and closing in here.line[here.column :]:
        return Mistake(
            f"a comma is missing inside {opening} {closing}",
            Span(here.at, here.at + 1),
            "put a comma between the entries, or quotes around a text that holds : or brackets",
        )
    return Mistake(
        f"the {opening} that opens here is never closed",
        Span(here.began, here.began + 1),
        f"add the missing {closing}",
    )


def _check_colon(here: _Text) -> Mistake | None:
    """`mapping values are not allowed`: a colon too many in this line, or something amiss in the one before."""
    if "mapping values" not in here.problem:
        return None
    key = re.match(r"\s*(?:-\s+)*[^\s#'\"\[{][^:#]*:\s+(?=\S)", here.line[: here.column])
    if key is not None:
        return Mistake(
            "a second ': ' in one line",
            Span(here.at, here.at + 1),
            "put quotes around the value, or begin a new line for the inner key",
        )
    before = here.before()
    return None if before is None else _line_before(here, *before)


def _line_before(here: _Text, start: int, line: str) -> Mistake:
    written = line.strip()
    at = start + len(line) - len(line.lstrip())
    span = Span(at, at + len(written))
    if re.match(r"-[^\s-]", written):
        return Mistake(f"{written!r} has no blank after '-'", span, f"write it as '- {written[1:]}'")
    if re.match(r"[\w.-]+:[^\s:/]", written):
        name, _, rest = written.partition(":")
        return Mistake(f"{written!r} has no blank after ':'", span, f"write it as '{name}: {rest}'")
    if not re.search(r":(\s|$)", written):
        name, _, rest = written.partition(" ")
        return Mistake(f"{written!r} has no colon", span, f"write it as '{name}: {rest}'".rstrip(" '") + "'")
    indented = len(here.line) - len(here.line.lstrip())
    return Mistake(
        "this line is indented more than the one before it, which has a value already",
        Span(here.start + indented, here.start + len(here.line.rstrip())),
        "give it the indentation of its neighbours",
    )


def _check_indentation(here: _Text) -> Mistake | None:
    if "expected key" not in here.problem and "'-' indicator" not in here.problem:
        return None
    indented = len(here.line) - len(here.line.lstrip())
    rest = here.line[here.column :].strip()
    if here.column > indented:
        closing = rest[:1] in "]}"
        reason = f"{rest[:1]} closes nothing" if closing else f"{rest!r} stands behind a value that has ended"
        hint = "remove it, or add what it should close" if closing else "put quotes around the whole value"
        return Mistake(reason, Span(here.at, here.at + max(1, len(rest))), hint)
    span = Span(here.start + indented, here.start + len(here.line.rstrip()))
    if "'-' indicator" in here.problem and not rest.startswith("-"):
        return Mistake(
            "a list goes on here with a line that does not begin with '-'",
            span,
            "indent it below its entry, or as far as the key that the list belongs to",
        )
    return Mistake(
        f"this line is indented by {indented}, and no line above it that it could belong to is",
        span,
        "give it the indentation of its neighbours",
    )


def _check_character(here: _Text) -> Mistake | None:
    if "cannot start any token" not in here.problem or here.at >= len(here.text):
        return None
    character = here.text[here.at]
    return Mistake(
        f"a text cannot begin with {character!r}",
        Span(here.at, here.at + 1),
        "put quotes around it",
    )


def _check_alias(here: _Text) -> Mistake | None:
    if "scanning an alias" not in here.context or here.began is None:
        return None
    return Mistake(
        "a text cannot begin with '*': that names an anchor",
        Span(here.began, here.began + 1),
        "put quotes around it",
    )


def _check_path(here: _Text) -> Mistake | None:
    """`{eval: ::n}`"""
    if "expected node content" not in here.problem or not here.text.startswith("::", here.at):
        return None
    return Mistake(
        "a text inside [ ] or { } cannot begin with '::'",
        Span(here.at, here.at + 2),
        "put quotes around it",
    )


def _check_escape(here: _Text) -> Mistake | None:
    if "unknown escape" not in here.problem:
        return None
    slash = here.text.rfind("\\", 0, here.at + 2)
    return Mistake(
        f"{here.text[slash : slash + 2]} means nothing in double quotes",
        Span(slash, slash + 2),
        "write the text in single quotes, or the backslash twice",
    )


_FAR: Final = 40
_LOOKS: Final[tuple[Callable[[_Text], Mistake | None], ...]] = (
    _check_tab,
    _check_path,
    _check_quote,
    _check_bracket,
    _check_colon,
    _check_indentation,
    _check_character,
    _check_alias,
    _check_escape,
)
