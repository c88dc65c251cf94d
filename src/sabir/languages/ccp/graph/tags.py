"""The statements of a template (`{% … %}`) that decide about a part of its text: conditions, loops, what they set."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from sabir.graph.origin import How
from sabir.namedtuples import NamedTuple
from sabir.patterns import late_pattern
from sabir.text import Source, Span

__all__ = ["Tag", "names_in", "tags_over"]

_STATEMENT: Final = late_pattern(r"\{%[-+]?\s*(?P<word>\w+)(?P<rest>.*?)[-+]?%\}|\{#.*?#\}", re.DOTALL)
_BLOCKS: Final = frozenset({"for", "if", "call", "filter", "macro", "block", "with"})
_NAME: Final = late_pattern(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_TEXT: Final = late_pattern(r"'[^']*'|\"[^\"]*\"")


class Tag(NamedTuple):
    """A statement: where it stands, what it says, and the span of the text that it decides about."""

    span: Span
    text: str
    over: Span
    how: How
    sets: str | None = None
    """The name it gives a value, which may be used anywhere behind it."""


def names_in(text: str) -> Iterator[str]:
    """The dotted names in an expression; those in texts are none."""
    yield from _NAME.findall(_TEXT.sub("''", text))


def tags_over(source: Source, span: Span, names: set[str]) -> list[Tag]:
    """The statements that decide about a span, or that set one of the names; what those use counts, too."""
    found: list[Tag] = []
    known = {name.partition(".")[0] for name in names}
    for tag in reversed(_tags(source)):
        decides = tag.over.start < span.end and tag.over.end > span.start
        if decides if tag.sets is None else tag.sets in known:
            found.append(tag)
            known.update(name.partition(".")[0] for name in names_in(tag.text))
    return found[::-1]


@lru_cache(maxsize=256)
def _tags(source: Source) -> list[Tag]:
    found: list[Tag] = []
    # Open blocks: the word, and the statements that are part of it (`if` with its `elif` and `else`).
    stack: list[tuple[str, list[re.Match[str]]]] = []
    end = len(source.text)
    for match in _STATEMENT.finditer(source.text):
        word, rest = match["word"], match["rest"] or ""
        if word in _BLOCKS or (word == "set" and "=" not in rest):
            stack.append((word, [match]))
        elif word in ("elif", "else") and stack:
            stack[-1][1].append(match)
        elif word == "set":
            target = rest.partition("=")[0].strip()
            found.append(Tag(Span(*match.span()), rest, Span(match.end(), end), How.TEMPLATE, target))
        elif word and word.startswith("end") and stack:
            opened, parts = stack.pop()
            over = Span(parts[0].start(), match.end())
            how = How.LOOP if opened == "for" else How.CONDITION if opened == "if" else How.TEMPLATE
            found += [Tag(Span(*one.span()), one["rest"], over, how) for one in (*parts, match)]
    return sorted(found, key=lambda tag: tag.span.start)
