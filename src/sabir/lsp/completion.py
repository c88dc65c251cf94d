"""What may be written next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from lsprotocol import types

from sabir.languages.language import Explores
from sabir.lsp.desk import Desk
from sabir.lsp.positions import Positions
from sabir.operations.editing.graph_names import graph_candidates
from sabir.source.symbols import Candidate, SymbolKind
from sabir.text import Source, Span

__all__ = ["completions"]

_MOST: Final = 500
_KINDS: Final = {
    SymbolKind.MODULE: types.CompletionItemKind.Module,
    SymbolKind.CLASS: types.CompletionItemKind.Class,
    SymbolKind.METHOD: types.CompletionItemKind.Method,
    SymbolKind.PROPERTY: types.CompletionItemKind.Property,
    SymbolKind.FUNCTION: types.CompletionItemKind.Function,
    SymbolKind.VARIABLE: types.CompletionItemKind.Variable,
    SymbolKind.CONSTANT: types.CompletionItemKind.Constant,
    SymbolKind.ENUM: types.CompletionItemKind.Enum,
    SymbolKind.INSTANCE: types.CompletionItemKind.Reference,
    SymbolKind.OPERATION: types.CompletionItemKind.Event,
    SymbolKind.KEYWORD: types.CompletionItemKind.Keyword,
    SymbolKind.FILE: types.CompletionItemKind.File,
    SymbolKind.VALUE: types.CompletionItemKind.Value,
}


def completions(desk: Desk, name: str, offset: int, positions: Positions) -> types.CompletionList:
    file, language = desk.project.file(name), desk.project.language
    if file is None or not isinstance(language, Explores):
        return types.CompletionList(is_incomplete=False, items=[])
    explorer = language.explorer()
    candidates = {
        candidate.text: candidate
        for candidate in (
            *_defined(desk, tuple(explorer.wanted_keys(file, offset))),
            *explorer.candidates(desk.project.package, file, offset),
            *_of_values(desk, file.source, offset),
        )
    }
    items = [
        _item(candidate, file.source, offset, positions)
        for candidate in sorted(candidates.values(), key=lambda candidate: candidate.text)
    ]
    return types.CompletionList(is_incomplete=len(items) > _MOST, items=items[:_MOST])


def _of_values(desk: Desk, source: Source, offset: int) -> Iterable[Candidate]:
    """Expressions over the whole graph stand in files of environments."""
    graph = desk.named_graph if desk.project.is_environment else None
    return () if graph is None else graph_candidates(graph, source, offset)


def _defined(desk: Desk, beginnings: tuple[str, ...]) -> Iterator[Candidate]:
    if not beginnings:
        return
    for definition in desk.index.beginning_with(beginnings):
        symbol = definition.symbol
        yield Candidate(text=symbol.name, kind=symbol.kind, detail=symbol.detail, about=symbol.about)


def _item(candidate: Candidate, source: Source, offset: int, positions: Positions) -> types.CompletionItem:
    span = candidate.replaces or _word_before(source, offset)
    return types.CompletionItem(
        label=candidate.text,
        kind=_KINDS[candidate.kind],
        detail=candidate.detail,
        documentation=candidate.about,
        text_edit=types.TextEdit(positions.range(source, span), candidate.text),
        filter_text=candidate.text,
    )


def _word_before(source: Source, offset: int) -> Span:
    start = offset
    text = source.text
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_-"):
        start -= 1
    return Span(start, offset)
