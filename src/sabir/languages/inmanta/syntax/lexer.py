"""The lexer: text to tokens with one regular expression, and the contents of quoted strings.

A name with its namespaces (`a::b::C`) is one token, and so is `matching /regex/`: a slash starts a
regular expression only there. `//` starts a comment (spec 002 uses it in a listing; decision S-44), so
it is not an operator. Strings may have escapes, `{{interpolation}}` and, in f-strings, replacement
fields.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from sabir.lazy import lazy_pattern
from sabir.text import Span

END: Final = "end of file"
TokenKind = str

KEYWORDS: Final = frozenset(
    [
        "typedef",
        "as",
        "entity",
        "extends",
        "end",
        "in",
        "implementation",
        "for",
        "matching",
        "index",
        "implement",
        "using",
        "when",
        "and",
        "or",
        "not",
        "true",
        "false",
        "import",
        "is",
        "defined",
        "null",
        "undef",
        "parents",
        "if",
        "elif",
        "else",
    ]
)

_NAME: Final = r"[a-zA-Z_](?:[a-zA-Z_0-9]|-(?=[a-zA-Z_0-9]))*"
_MASTER: Final = re.compile(
    r"[ \t\r\n\f]*(?:\#[^\n]*[ \t\r\n\f]*)*(?:"
    rf"(?P<name>(?![rf][\"']|matching[ \t\r\n]*/[^/]){_NAME}(?:::{_NAME})*)"
    r"|(?P<operator>[=(),:\[\]](?!=)|--|\+=|\*\*|==|!=|>=|<=|\.(?![0-9])|/(?!/)|[-+*%=<>{}?])"
    r"|(?P<string>\"(?!\"\")(?:[^\\\"\n]|\\[^\n])*\"|'(?:[^\\'\n]|\\[^\n])*')"
    r"|(?P<int>[0-9]+(?![0-9.]))"
    r"|(?P<float>[0-9]*\.[0-9]+(?:[eE][-+]?[0-9]+)?)"
    r"|(?P<multi>\"\"\"(?:[^\\]|\\.)*?\"\"\")"
    r"|(?P<raw>r\"(?:[^\\\"\n]|\\[^\n])*\"|r'(?:[^\\'\n]|\\[^\n])*')"
    r"|(?P<format>f\"(?:[^\\\"\n]|\\[^\n])*\"|f'(?:[^\\'\n]|\\[^\n])*')"
    r"|(?P<regex>matching[ \t\r\n]*/(?:[^/\\\n]|\\.)+/)"
    r"|(?P<slashes>//[^\n]*)"
    r"|(?P<number>[0-9]+)"
    r"|(?P<end>\Z)"
    r"|(?P<bad>.))",
    re.DOTALL,
)
_GROUPS: Final = {index: name for name, index in _MASTER.groupindex.items()}


class TokenList(Struct, frozen=True, eq=False):
    """Parallel lists, ended by a token of kind END. The kind of a keyword or operator is its own text."""

    kinds: list[TokenKind]
    texts: list[str]
    starts: list[int]
    comments: list[Span]
    """Comments that begin with `//`."""


def tokenize(text: str) -> TokenList:
    """Return the tokens of a text, with the spans of its `//` comments."""
    kinds: list[str] = []
    texts: list[str] = []
    starts: list[int] = []
    comments: list[Span] = []
    keywords = KEYWORDS
    name, operator = _MASTER.groupindex["name"], _MASTER.groupindex["operator"]
    for match in _MASTER.finditer(text):
        group = match.lastindex
        assert group is not None
        word = match.group(group)
        if group == name:
            if word in keywords:
                kinds.append(word)
            elif "A" <= word[word.rfind(":") + 1] <= "Z":
                kinds.append("cid")
            else:
                kinds.append("id")
        elif group == operator:
            kinds.append(word)
        else:
            kind = _GROUPS[group]
            if kind == "slashes":
                comments.append(Span(match.start(group), match.end(group)))
                continue
            if kind == "end":
                break
            if kind == "number":  # a whole number before a dot that is no decimal point
                kind = "int"
            kinds.append(kind)
        texts.append(word)
        starts.append(match.start(group))
    kinds.append(END)
    texts.append("")
    starts.append(len(text))
    return TokenList(kinds, texts, starts, comments)


_SIMPLE: Final = {
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\n": "",
}

_escape_pattern: Final = lazy_pattern(
    r"\\(?:([\\'\"abfnrtv\n])|([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))"
)
_interpolation_pattern: Final = lazy_pattern(r"\{\{\s*([.A-Za-z0-9_-]+)\s*\}\}")


def unescape(text: str) -> str:
    """Return the text with its escapes resolved as in Python; an unknown escape stays as it is."""
    return _escape_pattern().sub(_resolve_escape, text) if "\\" in text else text


def _resolve_escape(match: re.Match[str]) -> str:
    simple, octal, two, four, eight = match.groups()
    if simple is not None:
        return _SIMPLE[simple]
    number = int(octal, 8) if octal is not None else int(two or four or eight, 16)
    return chr(number) if number <= 0x10FFFF else match.group()


def split_interpolations(text: str) -> list[tuple[str, int] | tuple[str, int, None]]:
    """Return texts `(text, offset)` and paths `(path, offset, None)` in turn; offsets are into `text`.

    Only names and attributes are interpolated. Other text in double braces stays, except that text
    without the start of a name (`{{1}}`) counts as an undefined name (recorded behavior).
    """
    parts: list[tuple[str, int] | tuple[str, int, None]] = []
    at = 0
    for match in _interpolation_pattern().finditer(text):
        if match.start() > at:
            parts.append((unescape(text[at : match.start()]), at))
        parts.append((match[1], match.start(1), None))
        at = match.end()
    if at < len(text) or not parts:
        parts.append((unescape(text[at:]), at))
    return parts


class FormatPart(Struct, frozen=True):
    """A part of an f-string: text, or an expression with its conversion and format (`spec` None for text)."""

    text: str
    offset: int
    spec: str | None = None
    spec_offset: int = 0
    conversion: str = ""


def split_format(text: str) -> list[FormatPart]:
    """Return the parts of an f-string; raise ValueError with the reason if its braces do not match."""
    parts: list[FormatPart] = []
    literal: list[str] = []
    start = at = 0
    while at < len(text):
        char = text[at]
        if text[at : at + 2] in ("{{", "}}"):
            literal.append(char)
            at += 2
        elif char == "{":
            if literal:
                parts.append(FormatPart(unescape("".join(literal)), start))
                literal = []
            close = _find_closing_brace(text, at)
            expression, spec = _split_spec(text[at + 1 : close])
            spec_at = close - len(spec)
            conversion = re.search(r"!([rsa])\s*$", expression)
            if conversion is not None:
                expression = expression[: conversion.start()]
            if not expression.strip():
                raise ValueError("an f-string has empty braces")
            parts.append(
                FormatPart(
                    unescape(expression), at + 1, unescape(spec), spec_at, conversion[1] if conversion else ""
                )
            )
            at = start = close + 1
        elif char == "}":
            raise ValueError("an f-string has a single '}'; write '}}' for the character itself")
        else:
            literal.append(char)
            at += 1
    if literal or not parts:
        parts.append(FormatPart(unescape("".join(literal)), start))
    return parts


def _find_closing_brace(text: str, at: int) -> int:
    depth = 0
    for position in range(at, len(text)):
        if text[position] == "{":
            depth += 1
        elif text[position] == "}":
            depth -= 1
            if not depth:
                return position
    raise ValueError("an f-string has a '{' without its '}'; write '{{' for the character itself")


def _split_spec(inner: str) -> tuple[str, str]:
    depth = 0
    for position, char in enumerate(inner):
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif (
            char == ":"
            and not depth
            and inner[position : position + 2] != "::"
            and inner[position - 1] != ":"
        ):
            return inner[:position], inner[position + 1 :]
    return inner, ""
