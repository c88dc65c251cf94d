"""The path grammar of spec 004, "Expression Query Syntax": text to frozen nodes with spans.

expr    : segment? ("::" segment)*
segment : [key] ("[" filter "]")* ["?"]
key     : name | integer | var | "*"
filter  : ['!'] [expr] [("!=" | "=") test]
test    : var | text without $ [ ] : ?
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NoReturn

from msgspec import Struct

from sabir.expressions.query.errors import TOO_MUCH, QueryError, expression_rule
from sabir.lazy import lazy_pattern
from sabir.text import Place, Source, Span

SYNTAX: Final = expression_rule(
    "EXPR:E001",
    title="an expression that cannot be read",
    why="The finding says at which column and what was expected. A key or test that needs $ [ ] : or ? goes through a variable.",
)


class Empty(Struct, frozen=True, eq=False):
    span: Span


class Name(Struct, frozen=True, eq=False):
    span: Span
    text: str


class Index(Struct, frozen=True, eq=False):
    span: Span
    number: int


class Variable(Struct, frozen=True, eq=False):
    span: Span
    name: str


class Star(Struct, frozen=True, eq=False):
    span: Span


Key = Empty | Name | Index | Variable | Star


class Test(Struct, frozen=True, eq=False):
    """The right side: a literal text, or a variable."""

    __test__ = False

    span: Span
    negated: bool
    right: str | Variable


class Filter(Struct, frozen=True, eq=False):
    span: Span
    negated: bool
    path: Path | None
    test: Test | None


class Segment(Struct, frozen=True, eq=False):
    span: Span
    key: Key
    filters: tuple[Filter, ...] = ()
    first: bool = False


class Path(Struct, frozen=True, eq=False):
    source: Source
    span: Span
    segments: tuple[Segment, ...]


_DEEPEST: Final = 64
_LONGEST: Final = 100_000
_HINTS: Final = {
    "[": "'[' opens a filter and is closed by ']'",
    "$": "'$' is only allowed at the beginning, as a variable",
}


@cache
def _key_end(*, in_filter: bool) -> re.Pattern[str]:
    return re.compile(r"::|!=|[\[\]?=]" if in_filter else r"::|[\[\]?]")


_test_end: Final = lazy_pattern(r"[\[\]$:?]")
_integer: Final = lazy_pattern(r"-?[0-9]{1,18}")


def parse_path(text: str) -> Path:
    """The syntax tree of a path; QueryError of kind SYNTAX with the position and what was expected there."""
    if len(text) > _LONGEST:
        raise QueryError.of(TOO_MUCH, f"an expression of more than {_LONGEST:,} characters")
    parser = _Parser(Source("<expression>", text))
    path, end = parser.path(0, depth=0)
    if end < len(text):
        parser.fail(
            end, f"{text[end]!r} has no '[' before it", "remove it, or reach such a key through a variable"
        )
    return path


class _Parser:
    def __init__(self, source: Source) -> None:
        self.source = source

    def fail(self, at: int, message: str, hint: str | None = None) -> NoReturn:
        place = Place(self.source, Span(at, min(at + 1, len(self.source.text))))
        raise QueryError.of(SYNTAX, message, place=place, hint=hint)

    def path(self, start: int, depth: int) -> tuple[Path, int]:
        """A path up to the end of the text or, inside a filter, up to what cannot belong to it."""
        if depth > _DEEPEST:
            self.fail(start, f"filters nested deeper than {_DEEPEST} levels")
        text = self.source.text
        segments: list[Segment] = []
        at = start
        while True:
            segment, at = self.segment(at, depth)
            segments.append(segment)
            if not text.startswith("::", at):
                break
            at += 2
        return Path(self.source, Span(start, at), tuple(segments)), at

    def segment(self, start: int, depth: int) -> tuple[Segment, int]:
        text = self.source.text
        found = _key_end(in_filter=depth > 0).search(text, start)
        at = found.start() if found else len(text)
        if depth == 0:
            self.no_bare_test(start, at)
        key = self.key(start, at)
        filters: list[Filter] = []
        while at < len(text) and text[at] == "[":
            one, at = self.filter(at, depth)
            filters.append(one)
            at = self.spaces(at)
        first = at < len(text) and text[at] == "?"
        if first:
            at = self.spaces(at + 1)
        if at < len(text) and not text.startswith(("::", "]"), at) and not (depth and text[at] in "=!"):
            after = "'?'" if first else "a filter"
            self.fail(at, f"expected '::' or the end after {after}, found {text[at]!r}")
        return Segment(Span(start, at), key, tuple(filters), first), at

    def no_bare_test(self, start: int, end: int) -> None:
        """`unit=cm` outside brackets looks like a test and would be a key that nothing has."""
        key = self.source.text[start:end]
        equals = key.find("=")
        if equals < 0:
            return
        left, right = key[:equals].strip(), key[equals + 1 :].strip()
        unequal = left.endswith("!")
        name, sign = (left[:-1].rstrip(), "!=") if unequal else (left, "=")
        self.fail(
            start + equals - unequal,
            f"{sign!r} is a test, and a test stands in brackets",
            f"write {name}[{sign}{right}]; a key that holds '=' is reached through a variable",
        )

    def key(self, start: int, end: int) -> Key:
        raw = self.source.text[start:end]
        name = raw.strip()
        begin = start + len(raw) - len(raw.lstrip())
        span = Span(begin, begin + len(name)) if name else Span(start, start)
        if not name:
            return Empty(span)
        if name == "*":
            return Star(span)
        if name[0] == "$":
            if len(name) == 1:
                self.fail(begin, "expected the name of a variable after '$'")
            return Variable(span, name[1:])
        if _integer().fullmatch(name):
            return Index(span, int(name))
        return Name(span, name)

    def filter(self, start: int, depth: int) -> tuple[Filter, int]:
        """From '[' to behind its ']'."""
        text = self.source.text
        at = self.spaces(start + 1)
        negated = text.startswith("!", at) and not text.startswith("!=", at)
        at += negated
        path: Path | None = None
        if not text.startswith(("]", "=", "!="), self.spaces(at)):
            path, at = self.path(at, depth + 1)
        at = self.spaces(at)
        test: Test | None = None
        if text.startswith(("=", "!="), at):
            test, at = self.test(at)
        if not text.startswith("]", at):
            if at >= len(text):
                self.fail(start, "'[' is never closed", "add the missing ']'")
            self.fail(at, f"expected ']' or a test, found {text[at]!r}")
        return Filter(Span(start, at + 1), negated, path, test), at + 1

    def test(self, start: int) -> tuple[Test, int]:
        text = self.source.text
        unequal = text[start] == "!"
        begin = self.spaces(start + 1 + unequal)
        variable = text.startswith("$", begin)
        found = _test_end().search(text, begin + variable)
        end = found.start() if found else len(text)
        if found and found[0] != "]":
            hint = _HINTS.get(found[0], f"a test cannot hold {found[0]!r}")
            self.fail(
                end,
                f"{found[0]!r} cannot stand in a test",
                f"{hint}; put the text into a variable and write [key=$name]",
            )
        literal = text[begin:end].strip()
        span = Span(begin, begin + len(literal))
        if not variable:
            return Test(span, unequal, literal), end
        if len(literal) == 1:
            self.fail(begin, "expected the name of a variable after '$'")
        return Test(span, unequal, Variable(span, literal[1:])), end

    def spaces(self, at: int) -> int:
        text = self.source.text
        while at < len(text) and text[at].isspace():
            at += 1
        return at
