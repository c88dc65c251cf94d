"""YAQL text to tokens: one regular expression, one pass in C.

A token is the matched text itself; the parser tells its kind from its first character. A character that begins no token
becomes a token of its own, which no rule accepts, so that nothing is ever skipped silently.
"""

from __future__ import annotations

import re
from typing import Final

from sabir.lazy import lazy_pattern

_STRINGS = r"""'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*"|`[^`\\]*(?:\\.[^`\\]*)*`"""
# Frequent tokens first: the engine tries the alternatives in order. A word that an opening parenthesis follows at once is
# a call, also when the word is an operator elsewhere (`not(x)` calls a function `not`). A word may not begin with two
# underscores, the name of a function may.
_TOKEN = (
    r"[a-zA-Z]\w*\(?|\$\w*|[,.()\[\]{}+*/:]|\d+(?:\.\d+)?\b|=[>~]?|"
    + _STRINGS
    + r"|!=|[<>]=?|->?|!~|\?\.|(?!__)[^\W\d]\w*\(?|__\w*\(|[^ \t\r\n]"
)
_SIMPLE_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}

_token: Final = lazy_pattern(_TOKEN)
_escape: Final = lazy_pattern(r"\\(?:U.{8}|u.{4}|x..|[0-7]{1,3}|N\{[^}]+\}|[\\'\"abfnrtv])")
_word: Final = lazy_pattern(r"\w+")


def tokenize(text: str) -> tuple[list[str], list[int]]:
    """The tokens and the offset of each, both with an end mark: an empty token at the end of the text."""
    pattern = _token()
    tokens = pattern.findall(text)
    starts = [match.start() for match in pattern.finditer(text)]
    tokens.append("")
    starts.append(len(text))
    return tokens, starts


def decode_string(token: str) -> str:
    """The value of a quoted token. Raises ValueError when an escape names no character."""
    body = token[1:-1]
    if "\\" not in body:
        return body
    if token[0] == "`":
        return body.replace("\\`", "`")
    return _escape().sub(_decode_escape, body)


def _decode_escape(match: re.Match[str]) -> str:
    escape = match.group()
    kind = escape[1]
    if kind in "Uux":
        return chr(int(escape[2:], 16))
    if kind == "N":
        import unicodedata

        try:
            return unicodedata.lookup(escape[3:-1])
        except KeyError:
            raise ValueError(f"no character has the name {escape[3:-1]!r}") from None
    if kind in "01234567":
        return chr(int(escape[1:], 8))
    return _SIMPLE_ESCAPES.get(kind, kind)


def lexical_error(token: str, rest: str) -> str | None:
    """What is wrong with a token as such, given the text that follows it; None for a proper token."""
    first = token[:1]
    if first in ("'", '"', "`") and len(token) == 1:
        return f"the string that begins with {token} is not closed"
    if first.isdecimal() and (_touches_word(rest)):
        return f"{_whole_word(token + rest)!r} is neither a number nor a name"
    if token == "_" and _touches_word(rest):
        return f"the name {_whole_word(token + rest)!r} begins with two underscores"
    if len(token) == 1 and not (token.isalnum() or token in "_,.()[]{}+*/:=<>-$'\"`"):
        return f"the character {token!r} has no meaning here"
    return None


def _touches_word(rest: str) -> bool:
    return _word().match(rest) is not None


def _whole_word(text: str) -> str:
    match = _word().match(text)
    return match.group() if match else text
