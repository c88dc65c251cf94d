"""From a name to where it is defined and used, and what a file consists of.

A name that the language knows leads to its definition. Where none is known, the values that the line comes to lead to the places
they were computed from: so an expression in one language leads to the line of another.

What may be written next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from sabir.languages.language import Explores
from sabir.lsp.positions import PositionConverter, uri_of
from sabir.lsp.workspace import EditorWorkspace
from sabir.operations.editor.completion import graph_candidates
from sabir.operations.editor.index import NameDefinition
from sabir.source.packages import LoadedPackage
from sabir.source.symbols import Candidate, Symbol, SymbolKind
from sabir.text import Location, Source, Span

KINDS: Final = {
    SymbolKind.MODULE: types.SymbolKind.Module,
    SymbolKind.CLASS: types.SymbolKind.Class,
    SymbolKind.METHOD: types.SymbolKind.Method,
    SymbolKind.PROPERTY: types.SymbolKind.Property,
    SymbolKind.FUNCTION: types.SymbolKind.Function,
    SymbolKind.VARIABLE: types.SymbolKind.Variable,
    SymbolKind.CONSTANT: types.SymbolKind.Constant,
    SymbolKind.ENUM: types.SymbolKind.Enum,
    SymbolKind.INSTANCE: types.SymbolKind.Object,
    SymbolKind.OPERATION: types.SymbolKind.Event,
    SymbolKind.KEYWORD: types.SymbolKind.Key,
    SymbolKind.FILE: types.SymbolKind.File,
    SymbolKind.VALUE: types.SymbolKind.String,
}


def find_definitions(
    desk: EditorWorkspace, name: str, offset: int, positions: PositionConverter
) -> list[types.Location]:
    at = desk.index.at(name, offset)
    defined = desk.index.definitions(at[1]) if at is not None else []
    if defined:
        return [
            location
            for definition in defined
            for location in _definition_locations(definition, desk, positions)
        ]
    evaluated, line = desk.values, desk.line_in_values(name, offset)
    places = () if evaluated is None or line is None else evaluated.sources_of(*line)
    return [_value_location(place, desk, positions) for place in dict.fromkeys(places)]


def _definition_locations(
    definition: NameDefinition, desk: EditorWorkspace, positions: PositionConverter
) -> Iterator[types.Location]:
    path = _path_in(definition.package, definition.file.name, desk)
    if path is not None:
        source, span = definition.file.source, definition.symbol.span
        yield types.Location(uri_of(path), positions.range(source, span))


def _path_in(package: LoadedPackage, name: str, desk: EditorWorkspace) -> Path | None:
    """Where a file is on the disk; None for what lives in an archive or only in memory."""
    root = package.path
    if root is None or root == desk.project.root:
        return desk.project.path_of(name)
    path = root / name if root.is_dir() else root
    return path if path.is_file() and path.suffix != ".zip" else None


def _value_location(place: Location, desk: EditorWorkspace, positions: PositionConverter) -> types.Location:
    owner = desk.environment or desk
    file = owner.project.file(place.file)
    source = None if file is None else file.source
    return types.Location(uri_of(desk.path_in_values(place.file)), positions.at_location(source, place))


def find_references(
    desk: EditorWorkspace, name: str, offset: int, positions: PositionConverter, *, declaration: bool
) -> list[types.Location]:
    at = desk.index.at(name, offset)
    if at is not None:
        defined = desk.index.definitions(at[1])
        symbol = defined[0].symbol if defined else None
        keys = at[1][:1] if symbol is None else (symbol.key, *symbol.aliases)
        uses = [
            types.Location(
                uri_of(desk.project.path_of(use.file.name)),
                positions.range(use.file.source, use.mention.span),
            )
            for key in keys
            for use in desk.index.uses(key)
            if use.mention.keys[0] == key or key == keys[0]
        ]
        if declaration:
            uses += [
                location
                for definition in defined
                for location in _definition_locations(definition, desk, positions)
            ]
        if uses:
            return uses
    evaluated, line = desk.values, desk.line_in_values(name, offset)
    places = () if evaluated is None or line is None else evaluated.find_dependent_locations(*line)
    return [_value_location(place, desk, positions) for place in dict.fromkeys(places)]


def document_symbols(
    desk: EditorWorkspace, name: str, positions: PositionConverter
) -> list[types.DocumentSymbol]:
    source = desk.source(name)
    if source is None:
        return []
    return [_build_symbol(symbol, source, positions) for symbol in desk.index.names(name).symbols]


def _build_symbol(symbol: Symbol, source: Source, positions: PositionConverter) -> types.DocumentSymbol:
    extent = positions.range(source, symbol.extent)
    named = positions.range(source, symbol.span)
    # The protocol wants the name inside of what it names; editors drop all symbols of a file otherwise.
    whole = types.Range(min(extent.start, named.start), max(extent.end, named.end))
    return types.DocumentSymbol(
        name=symbol.name or "(no name)",
        kind=KINDS[symbol.kind],
        range=whole,
        selection_range=named,
        detail=symbol.detail,
        children=[_build_symbol(child, source, positions) for child in symbol.children],
    )


def list_folding_ranges(desk: EditorWorkspace, name: str) -> list[types.FoldingRange]:
    """What belongs to each definition."""
    source = desk.source(name)
    if source is None:
        return []
    ranges: dict[int, types.FoldingRange] = {}
    for symbol in desk.index.names(name).all_symbols():
        first = source.line_column(symbol.extent.start)[0]
        last = source.line_column(max(symbol.extent.start, symbol.extent.end - 1))[0]
        if last > first:
            ranges.setdefault(first, types.FoldingRange(start_line=first - 1, end_line=last - 1))
    return [*ranges.values()]


def rename_range(
    desk: EditorWorkspace, name: str, offset: int, positions: PositionConverter
) -> types.Range | None:
    """What would be renamed at a place; None when it is nothing that the project defines."""
    at, source = desk.index.at(name, offset), desk.source(name)
    if at is None or source is None or not _find_renameable(desk, at[1]):
        return None
    return positions.range(source, at[0])


def _find_renameable(desk: EditorWorkspace, keys: tuple[str, ...]) -> list[NameDefinition]:
    return [
        definition
        for definition in desk.index.definitions(keys)
        if definition.package.path == desk.project.root
    ]


def rename_symbol(
    desk: EditorWorkspace, name: str, offset: int, new_name: str, positions: PositionConverter
) -> types.WorkspaceEdit | None:
    at = desk.index.at(name, offset)
    defined = [] if at is None else _find_renameable(desk, at[1])
    if not defined:
        return None
    symbol, changes = defined[0].symbol, dict[str, list[types.TextEdit]]()
    doubtful = next(
        (
            use
            for alias in symbol.aliases
            for use in desk.index.uses(alias)
            if symbol.key not in use.mention.keys
        ),
        None,
    )
    if doubtful is not None:
        place = doubtful.file.source.location(doubtful.mention.span)
        raise JsonRpcInvalidParams(
            f"{place} may mean {symbol.name!r} or something else of this name: rename it by hand"
        )
    places = [(definition.file, definition.symbol.span) for definition in defined]
    places += [(use.file, use.mention.span) for use in desk.index.uses(symbol.key)]
    for file, span in places:
        written = file.source.slice(span)
        if not written.endswith(symbol.name):  # written in another way: an alias, a short form
            continue
        text = written.removesuffix(symbol.name) + new_name
        edit = types.TextEdit(positions.range(file.source, span), text)
        changes.setdefault(uri_of(desk.project.path_of(file.name)), []).append(edit)
    return types.WorkspaceEdit(changes=dict(changes))


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


def list_completions(
    desk: EditorWorkspace, name: str, offset: int, positions: PositionConverter
) -> types.CompletionList:
    file, language = desk.project.file(name), desk.project.language
    if file is None or not isinstance(language, Explores):
        return types.CompletionList(is_incomplete=False, items=[])
    explorer = language.explorer()
    candidates = {
        candidate.text: candidate
        for candidate in (
            *_definition_candidates(desk, tuple(explorer.completion_keys(file, offset))),
            *explorer.candidates(desk.project.package, file, offset),
            *_value_candidates(desk, file.source, offset),
        )
    }
    items = [
        _build_item(candidate, file.source, offset, positions)
        for candidate in sorted(candidates.values(), key=lambda candidate: candidate.text)
    ]
    return types.CompletionList(is_incomplete=len(items) > _MOST, items=items[:_MOST])


def _value_candidates(desk: EditorWorkspace, source: Source, offset: int) -> Iterable[Candidate]:
    """Expressions over the whole graph stand in files of environments."""
    graph = desk.named_graph if desk.project.is_environment else None
    return () if graph is None else graph_candidates(graph, source, offset)


def _definition_candidates(desk: EditorWorkspace, beginnings: tuple[str, ...]) -> Iterator[Candidate]:
    if not beginnings:
        return
    for definition in desk.index.find_by_prefix(beginnings):
        symbol = definition.symbol
        yield Candidate(text=symbol.name, kind=symbol.kind, detail=symbol.detail, about=symbol.about)


def _build_item(
    candidate: Candidate, source: Source, offset: int, positions: PositionConverter
) -> types.CompletionItem:
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
