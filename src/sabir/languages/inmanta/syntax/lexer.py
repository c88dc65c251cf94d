"""Text → tokens, with one regular expression.

A name with its namespaces (`a::b::C`) is one token, and so is `matching /regex/`: a slash begins a regular expression
only there. `//` begins a comment (spec 002 has it in a listing; decision S-44), so there is no such operator.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from sabir.text import Span

__all__ = ["END", "KEYWORDS", "TokenKind", "Tokens", "tokenize"]

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


class Tokens(Struct, frozen=True, eq=False):
    """Parallel lists, ended by a token of kind END. The kind of a keyword or operator is its own text."""

    kinds: list[TokenKind]
    texts: list[str]
    starts: list[int]
    comments: list[Span]
    """Comments that begin with `//`."""


def tokenize(text: str) -> Tokens:
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
    return Tokens(kinds, texts, starts, comments)
