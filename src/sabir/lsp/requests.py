"""Which request asks what, and the start of the server.

What stands at a place, in words: the name, and the value that the line comes to with where it came from.

What is painted into a text: the values of its lines, and the meaning of its names.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from lsprotocol import types

from sabir.graph.views.text import clip_text, one_line, value_text
from sabir.lsp import diagnostics, navigation
from sabir.lsp import navigation as completion
from sabir.lsp.positions import PositionConverter
from sabir.lsp.server import SabirServer
from sabir.lsp.transport import BoundedInput, PlainFormatter
from sabir.lsp.workspace import EditorWorkspace
from sabir.operations.editor.index import NameDefinition
from sabir.operations.editor.values import EvaluatedProject, ValueAt
from sabir.operations.why import WhyStep
from sabir.operations.worker import WorkerPool
from sabir.source.symbols import SymbolKind
from sabir.text import Span

_MOST_VALUES: Final = 5
_MOST_STEPS: Final = 8


def hover_text(desk: EditorWorkspace, name: str, offset: int) -> str | None:
    """Markdown; None when there is nothing to say."""
    sections = [*_name_sections(desk, name, offset), *_value_sections(desk, name, offset)]
    return "\n\n---\n\n".join(sections) or None


def _name_sections(desk: EditorWorkspace, name: str, offset: int) -> Iterator[str]:
    at = desk.index.at(name, offset)
    if at is not None:
        for definition in desk.index.definitions(at[1])[:1]:
            yield _describe_definition(definition)
            if definition.symbol.key.startswith("rule "):
                yield from _policy_sections(desk, definition.symbol.name)


def _policy_sections(desk: EditorWorkspace, code: str) -> Iterator[str]:
    """Who breaks a rule of a policy file, as of the last evaluation."""
    if desk.values is None:
        return
    broken = [finding for finding in desk.values.findings if finding.code == code]
    if not broken:
        yield "Nothing breaks this rule."
        return
    lines = [f"{finding.location}  {finding.message}" for finding in broken[:_MOST_VALUES]]
    more = [f"… and {len(broken) - len(lines)} more"] if len(broken) > len(lines) else []
    yield "What breaks this rule:\n\n" + _code_block("\n".join([*lines, *more]))


def _describe_definition(definition: NameDefinition) -> str:
    symbol = definition.symbol
    lines = [f"**{symbol.name}** ({symbol.kind.value})"]
    if symbol.detail:
        lines.append(_code_block(symbol.detail))
    if symbol.about:
        lines.append(symbol.about.strip())
    return "\n\n".join(lines)


def _value_sections(desk: EditorWorkspace, name: str, offset: int) -> Iterator[str]:
    evaluated, line, source = desk.values, desk.line_in_values(name, offset), desk.source(name)
    if evaluated is None or line is None or source is None:
        return
    values = evaluated.at(*line, source.line_column(offset)[1])
    for value in values[:_MOST_VALUES]:
        yield _explain_value(evaluated, value)
    if not values:
        resting = [*islice(evaluated.find_dependents(*line), _MOST_VALUES + 1)]
        if resting:
            yield _describe_dependents(evaluated, resting)


def _describe_dependents(evaluated: EvaluatedProject, values: list[ValueAt]) -> str:
    lines = [
        f"{one_line(value.subject.name(evaluated.graph))} = "
        f"{clip_text(value_text(evaluated.value_of(value), evaluated.graph))}"
        for value in values[:_MOST_VALUES]
        if value.subject.attribute is not None
    ]
    more = ["…"] if len(values) > _MOST_VALUES else []
    return "What depends on this line:\n\n" + _code_block("\n".join([*lines, *more]))


def _explain_value(evaluated: EvaluatedProject, value: ValueAt) -> str:
    explanation = evaluated.explain(value)
    steps = explanation.steps[:_MOST_STEPS]
    lines = [line for step in steps for line in _step_lines(step, evaluated)]
    if len(explanation.steps) > len(steps):
        lines.append(f"… and {len(explanation.steps) - len(steps)} more steps")
    return _code_block("\n".join(lines))


def _step_lines(step: WhyStep, evaluated: EvaluatedProject) -> Iterator[str]:
    indent = "  " * step.depth + ("← " if step.depth else "")
    place = "" if step.location is None else f"{step.location}"
    how = "" if step.origin is None else step.origin.how.value
    if step.subject is None:
        yield f"{indent}{place}  {how}"
        return
    value = f" = {clip_text(value_text(step.value, evaluated.graph))}" if step.has_value else ""
    yield f"{indent}{one_line(step.subject)}{value}"
    if not step.seen_before:
        yield f"{'  ' * step.depth}    {place}  {how}"


def _code_block(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{text}\n{fence}"


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


def inlay_values(
    desk: EditorWorkspace, name: str, lines: range, positions: PositionConverter
) -> list[types.InlayHint]:
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
        clip_text(value_text(value, evaluated.graph), _LONGEST)
        for value in computed
        if not isinstance(value, Mapping)
    }
    return texts.pop() if len(texts) == 1 else None


def semantic_tokens(desk: EditorWorkspace, name: str, positions: PositionConverter) -> types.SemanticTokens:
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


_AT_A_PLACE: Final[Mapping[str, Callable[[EditorWorkspace, str, int, Any, SabirServer], Any]]] = {
    types.TEXT_DOCUMENT_HOVER: lambda desk, name, offset, _, __: _build_hover(hover_text(desk, name, offset)),
    types.TEXT_DOCUMENT_DEFINITION: lambda desk, name, offset, _, server: navigation.find_definitions(
        desk, name, offset, server.positions
    ),
    types.TEXT_DOCUMENT_REFERENCES: lambda desk, name, offset, params, server: navigation.find_references(
        desk, name, offset, server.positions, declaration=params.context.include_declaration
    ),
    types.TEXT_DOCUMENT_COMPLETION: lambda desk, name, offset, _, server: completion.list_completions(
        desk, name, offset, server.positions
    ),
    types.TEXT_DOCUMENT_PREPARE_RENAME: lambda desk, name, offset, _, server: navigation.rename_range(
        desk, name, offset, server.positions
    ),
    types.TEXT_DOCUMENT_RENAME: lambda desk, name, offset, params, server: navigation.rename_symbol(
        desk, name, offset, params.new_name, server.positions
    ),
}
_OF_A_FILE: Final[Mapping[str, Callable[[EditorWorkspace, str, Any, SabirServer], Any]]] = {
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: lambda desk, name, _, server: navigation.document_symbols(
        desk, name, server.positions
    ),
    types.TEXT_DOCUMENT_FOLDING_RANGE: lambda desk, name, _, __: navigation.list_folding_ranges(desk, name),
    types.TEXT_DOCUMENT_INLAY_HINT: lambda desk, name, params, server: inlay_values(
        desk, name, range(params.range.start.line + 1, params.range.end.line + 2), server.positions
    ),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: lambda desk, name, _, server: semantic_tokens(
        desk, name, server.positions
    ),
    types.TEXT_DOCUMENT_CODE_ACTION: lambda desk, name, params, server: _list_code_actions(
        desk, name, params.range, server
    ),
}
_OPTIONS: Final[Mapping[str, Any]] = {
    types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(trigger_characters=[".", ":", "$", "/", "{"]),
    types.TEXT_DOCUMENT_RENAME: types.RenameOptions(prepare_provider=True),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: LEGEND,
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(
        code_action_kinds=[types.CodeActionKind.QuickFix]
    ),
}


def serve_editor(environment: Mapping[str, str], *, port: int | None = None) -> None:
    """Speak to one editor over standard input and output, or over a port of the loopback address."""
    if not environment.get("SABIR_DEBUG"):
        _speak_plainly()
    with WorkerPool() as workers:
        server = SabirServer(environment, workers)
        _register_features(server)
        if port is None:
            stdin: Any = BoundedInput(sys.stdin.buffer)
            # It is closed when the editor says `exit`; standard output itself stays open for the rest of the process.
            server.start_io(stdin, os.fdopen(os.dup(sys.stdout.fileno()), "wb"))
        else:
            server.start_tcp("127.0.0.1", port)


def _speak_plainly() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(PlainFormatter())
    library = logging.getLogger("pygls")
    library.addHandler(handler)
    library.propagate = False


def _register_features(server: SabirServer) -> None:
    notifications: Mapping[str, Callable[[Any], None]] = {
        types.TEXT_DOCUMENT_DID_OPEN: lambda params: server.handle_change(
            params.text_document.uri, params.text_document.text
        ),
        types.TEXT_DOCUMENT_DID_CHANGE: lambda params: server.handle_change(
            params.text_document.uri, server.workspace.get_text_document(params.text_document.uri).source
        ),
        types.TEXT_DOCUMENT_DID_CLOSE: lambda params: server.handle_close(params.text_document.uri),
        types.WORKSPACE_DID_CHANGE_WATCHED_FILES: lambda params: server.handle_file_changes(params.changes),
    }
    for method, told in notifications.items():
        server.feature(method)(told)
    for method, question in _AT_A_PLACE.items():
        server.feature(method, _OPTIONS.get(method))(_handle_at_position(server, question))
    for method, question_of_file in _OF_A_FILE.items():
        server.feature(method, _OPTIONS.get(method))(_handle_for_file(server, question_of_file))


def _handle_at_position(
    server: SabirServer, question: Callable[[EditorWorkspace, str, int, Any, SabirServer], Any]
) -> Callable[[Any], Any]:
    def answer(params: Any) -> Any:
        at = server.find_workspace(params.text_document.uri)
        source = None if at is None else at[0].source(at[1])
        if at is None or source is None:
            return None
        return question(*at, server.positions.offset(source, params.position), params, server)

    return answer


def _handle_for_file(
    server: SabirServer, question: Callable[[EditorWorkspace, str, Any, SabirServer], Any]
) -> Callable[[Any], Any]:
    def answer(params: Any) -> Any:
        at = server.find_workspace(params.text_document.uri)
        return None if at is None else question(*at, params, server)

    return answer


def _build_hover(text: str | None) -> types.Hover | None:
    if text is None:
        return None
    return types.Hover(contents=types.MarkupContent(kind=types.MarkupKind.Markdown, value=text))


def _list_code_actions(
    desk: EditorWorkspace, name: str, asked: types.Range, server: SabirServer
) -> list[types.CodeAction] | None:
    source = desk.source(name)
    if source is None:
        return None
    findings = desk.findings(name)
    return [*diagnostics.code_actions(findings, source, asked, server.positions, server.uri_in(desk))]
