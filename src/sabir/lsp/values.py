"""What is painted into a text: the values of its lines, and the meaning of its names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lsprotocol import types

from sabir.graph.views.words import clipped, value_text
from sabir.lsp.desk import Desk
from sabir.lsp.positions import Positions
from sabir.operations.editing.evaluated import EvaluatedProject, ValueAt
from sabir.source.symbols import SymbolKind
from sabir.text import Span

__all__ = ["LEGEND", "inlay_values", "semantic_tokens"]

_LONGEST: Final = 40
_TYPES: Final = {
    SymbolKind.MODULE: "namespace",
    SymbolKind.CLASS: "class",
    SymbolKind.METHOD: "method",
    SymbolKind.PROPERTY: "property",
    SymbolKind.FUNCTION: "function",
    SymbolKind.VARIABLE: "variable",
    SymbolKind.ENUM: "enum",
    SymbolKind.INSTANCE: "variable",
    SymbolKind.OPERATION: "event",
}
_NAMES: Final = [*dict.fromkeys(_TYPES.values())]
LEGEND: Final = types.SemanticTokensLegend(token_types=_NAMES, token_modifiers=["definition"])


def inlay_values(desk: Desk, name: str, lines: range, positions: Positions) -> list[types.InlayHint]:
    """At the ends of lines (from 1): what they come to, where that is not what is written there."""
    evaluated, source, shift = desk.values, desk.source(name), desk.shift(name)
    if evaluated is None or source is None or shift is None:
        return []
    hints: list[types.InlayHint] = []
    for line in lines:
        old = shift.old(line)
        values = [] if old is None else evaluated.on_line(desk.name_in_values(name), old)
        text = _value_of(values, evaluated)
        if text is not None:
            end = positions.position(source, source.line_span(line).end)
            hints.append(types.InlayHint(position=end, label=f"= {text}", padding_left=True))
    return hints


def _value_of(values: list[ValueAt], evaluated: EvaluatedProject) -> str | None:
    """The one value of a line; None where there are several, or where it is a whole mapping: a hover has room for these."""
    computed = (
        evaluated.value_of(value)
        for value in values
        if value.is_computed and value.subject.attribute is not None
    )
    texts = {
        clipped(value_text(value, evaluated.graph), _LONGEST)
        for value in computed
        if not isinstance(value, Mapping)
    }
    return texts.pop() if len(texts) == 1 else None


def semantic_tokens(desk: Desk, name: str, positions: Positions) -> types.SemanticTokens:
    source = desk.source(name)
    if source is None:
        return types.SemanticTokens(data=[])
    names = desk.index.names(name)
    tokens: dict[Span, tuple[SymbolKind, int]] = {
        symbol.span: (symbol.kind, 1) for symbol in names.all_symbols() if symbol.kind in _TYPES
    }
    for mention in names.mentions:
        definition = next(iter(desk.index.definitions(mention.keys)), None)
        if definition is not None and definition.symbol.kind in _TYPES:
            tokens.setdefault(mention.span, (definition.symbol.kind, 0))
    data: list[int] = []
    line = character = 0
    for span in sorted(tokens, key=lambda span: span.start):
        shown = positions.range(source, span)
        length = shown.end.character - shown.start.character
        if shown.start.line != shown.end.line or length <= 0:
            continue
        kind, modifiers = tokens[span]
        new_line = shown.start.line - line
        data += [
            new_line,
            shown.start.character - (0 if new_line else character),
            length,
            _NAMES.index(_TYPES[kind]),
            modifiers,
        ]
        line, character = shown.start.line, shown.start.character
    return types.SemanticTokens(data=data)
