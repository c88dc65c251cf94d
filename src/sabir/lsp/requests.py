"""Which request asks what, and the start of the server."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

from lsprotocol import types

from sabir.lsp import completion, diagnostics, hover, navigation, values
from sabir.lsp.desk import Desk
from sabir.lsp.server import SabirServer
from sabir.lsp.transport import BoundedInput, PlainFormatter
from sabir.operations.worker import Workers

__all__ = ["serve"]

_AT_A_PLACE: Final[Mapping[str, Callable[[Desk, str, int, Any, SabirServer], Any]]] = {
    types.TEXT_DOCUMENT_HOVER: lambda desk, name, offset, _, __: _hover(hover.hover_text(desk, name, offset)),
    types.TEXT_DOCUMENT_DEFINITION: lambda desk, name, offset, _, server: navigation.definitions(
        desk, name, offset, server.positions
    ),
    types.TEXT_DOCUMENT_REFERENCES: lambda desk, name, offset, params, server: navigation.references(
        desk, name, offset, server.positions, declaration=params.context.include_declaration
    ),
    types.TEXT_DOCUMENT_COMPLETION: lambda desk, name, offset, _, server: completion.completions(
        desk, name, offset, server.positions
    ),
    types.TEXT_DOCUMENT_PREPARE_RENAME: lambda desk, name, offset, _, server: navigation.rename_range(
        desk, name, offset, server.positions
    ),
    types.TEXT_DOCUMENT_RENAME: lambda desk, name, offset, params, server: navigation.rename(
        desk, name, offset, params.new_name, server.positions
    ),
}
_OF_A_FILE: Final[Mapping[str, Callable[[Desk, str, Any, SabirServer], Any]]] = {
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: lambda desk, name, _, server: navigation.document_symbols(
        desk, name, server.positions
    ),
    types.TEXT_DOCUMENT_FOLDING_RANGE: lambda desk, name, _, __: navigation.folding_ranges(desk, name),
    types.TEXT_DOCUMENT_INLAY_HINT: lambda desk, name, params, server: values.inlay_values(
        desk, name, range(params.range.start.line + 1, params.range.end.line + 2), server.positions
    ),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: lambda desk, name, _, server: values.semantic_tokens(
        desk, name, server.positions
    ),
    types.TEXT_DOCUMENT_CODE_ACTION: lambda desk, name, params, server: _actions(
        desk, name, params.range, server
    ),
}
_OPTIONS: Final[Mapping[str, Any]] = {
    types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(trigger_characters=[".", ":", "$", "/", "{"]),
    types.TEXT_DOCUMENT_RENAME: types.RenameOptions(prepare_provider=True),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: values.LEGEND,
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(
        code_action_kinds=[types.CodeActionKind.QuickFix]
    ),
}


def serve(environment: Mapping[str, str], *, port: int | None = None) -> None:
    """Speak to one editor over standard input and output, or over a port of the loopback address."""
    if not environment.get("SABIR_DEBUG"):
        _speak_plainly()
    with Workers() as workers:
        server = SabirServer(environment, workers)
        _register(server)
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


def _register(server: SabirServer) -> None:
    notifications: Mapping[str, Callable[[Any], None]] = {
        types.TEXT_DOCUMENT_DID_OPEN: lambda params: server.typed(
            params.text_document.uri, params.text_document.text
        ),
        types.TEXT_DOCUMENT_DID_CHANGE: lambda params: server.typed(
            params.text_document.uri, server.workspace.get_text_document(params.text_document.uri).source
        ),
        types.TEXT_DOCUMENT_DID_CLOSE: lambda params: server.closed(params.text_document.uri),
        types.WORKSPACE_DID_CHANGE_WATCHED_FILES: lambda params: server.files_changed(params.changes),
    }
    for method, told in notifications.items():
        server.feature(method)(told)
    for method, question in _AT_A_PLACE.items():
        server.feature(method, _OPTIONS.get(method))(_asked_at_a_place(server, question))
    for method, question_of_file in _OF_A_FILE.items():
        server.feature(method, _OPTIONS.get(method))(_asked_of_a_file(server, question_of_file))


def _asked_at_a_place(
    server: SabirServer, question: Callable[[Desk, str, int, Any, SabirServer], Any]
) -> Callable[[Any], Any]:
    def answer(params: Any) -> Any:
        at = server.desk_of(params.text_document.uri)
        source = None if at is None else at[0].source(at[1])
        if at is None or source is None:
            return None
        return question(*at, server.positions.offset(source, params.position), params, server)

    return answer


def _asked_of_a_file(
    server: SabirServer, question: Callable[[Desk, str, Any, SabirServer], Any]
) -> Callable[[Any], Any]:
    def answer(params: Any) -> Any:
        at = server.desk_of(params.text_document.uri)
        return None if at is None else question(*at, params, server)

    return answer


def _hover(text: str | None) -> types.Hover | None:
    if text is None:
        return None
    return types.Hover(contents=types.MarkupContent(kind=types.MarkupKind.Markdown, value=text))


def _actions(desk: Desk, name: str, asked: types.Range, server: SabirServer) -> list[types.CodeAction] | None:
    source = desk.source(name)
    if source is None:
        return None
    findings = desk.findings(name)
    return [*diagnostics.code_actions(findings, source, asked, server.positions, server.uri_in(desk))]
