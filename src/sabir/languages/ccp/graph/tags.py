"""The statements of a template (`{% … %}`) that decide about a part of its text: conditions, loops, what they set."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from msgspec import Struct

from sabir.expressions.template.reading import Tag, TagKind, dotted_names, read_tags
from sabir.graph.origin import How
from sabir.text import Source, Span

__all__ = ["Statement", "statements_over"]

_BLOCKS: Final = frozenset({"for", "if", "call", "filter", "macro", "block", "with"})


class Statement(Struct, frozen=True, kw_only=True, eq=False):
    """Where it stands, the names it uses, and the span of the text that it decides about."""

    span: Span
    names: tuple[str, ...]
    over: Span
    how: How
    sets: str | None = None
    """The name it gives a value, which may be used anywhere behind it."""


def statements_over(source: Source, span: Span, names: Iterable[str]) -> list[Statement]:
    """The statements that decide about a span, or that set one of the names; what those use counts, too."""
    deciding: list[Statement] = []
    used = {name.partition(".")[0] for name in names}
    for statement in reversed(_statements(source)):
        decides = statement.over.start < span.end and statement.over.end > span.start
        if decides if statement.sets is None else statement.sets in used:
            deciding.append(statement)
            used.update(name.partition(".")[0] for name in statement.names)
    return deciding[::-1]


@lru_cache(maxsize=256)
def _statements(source: Source) -> list[Statement]:
    statements: list[Statement] = []
    # Open blocks: the word, and the tags that are part of it (`if` with its `elif` and `else`).
    stack: list[tuple[str, list[Tag]]] = []
    end = len(source.text)
    for tag in read_tags(source.text).tags:
        if tag.kind is not TagKind.STATEMENT:
            continue
        word, target = tag.word, _set_name(tag)
        if target is not None:
            over = Span(tag.span.end, end)
            statements.append(_statement(tag, over, How.TEMPLATE, target))
        elif word in _BLOCKS or word == "set":
            stack.append((word, [tag]))
        elif word in ("elif", "else") and stack:
            stack[-1][1].append(tag)
        elif word.startswith("end") and stack:
            opened, parts = stack.pop()
            over = Span(parts[0].span.start, tag.span.end)
            how = How.LOOP if opened == "for" else How.CONDITION if opened == "if" else How.TEMPLATE
            statements += [_statement(part, over, how) for part in (*parts, tag)]
    return sorted(statements, key=lambda statement: statement.span.start)


def _set_name(tag: Tag) -> str | None:
    """The left side of `{% set name = … %}`; a block `{% set name %}` has no `=`."""
    if tag.word != "set":
        return None
    equals = next((token for token in tag.tokens if token.text == "="), None)
    return (
        None
        if equals is None
        else "".join(token.text for token in tag.tokens[1:] if token.start < equals.start)
    )


def _statement(tag: Tag, over: Span, how: How, sets: str | None = None) -> Statement:
    names = tuple(name.text for name in dotted_names(tag.tokens[1:]))
    return Statement(span=tag.span, names=names, over=over, how=how, sets=sets)
