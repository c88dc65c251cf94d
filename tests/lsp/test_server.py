"""The server as an editor meets it: started over standard input and output, spoken to by a real client."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

EXAMPLES = Path(__file__).parents[2] / "examples"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("workspace")
    shutil.copytree(EXAMPLES / "shop", folder / "shop")
    for name in ("broken", "hello"):
        shutil.copytree(EXAMPLES / "murano" / name, folder / name)
    return folder


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]  # the library has no types
    scope="module", config=ClientServerConfig(server_command=[sys.executable, "-m", "sabir", "lsp"])
)
async def client(lsp_client: LanguageClient, workspace: Path) -> AsyncIterator[None]:
    uri = workspace.as_uri()
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(),
            root_uri=uri,
            workspace_folders=[types.WorkspaceFolder(uri, "workspace")],
        )
    )
    yield
    await lsp_client.shutdown_session()


async def _until(client: LanguageClient, condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)


def _open(client: LanguageClient, path: Path, text: str | None = None) -> str:
    uri = path.as_uri()
    item = types.TextDocumentItem(uri, "yaml", 1, path.read_text() if text is None else text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    return uri


def _codes(client: LanguageClient, uri: str) -> set[str]:
    return {str(shown.code) for shown in client.diagnostics.get(uri, ())}


def _at(uri: str, line: int, character: int) -> types.HoverParams:
    return types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, character))


@pytest.mark.rows("V-141")
@pytest.mark.asyncio(loop_scope="module")
async def test_the_same_codes_as_check(client: LanguageClient, workspace: Path) -> None:
    uri = _open(client, workspace / "broken" / "Classes" / "Greeter.yaml")
    manifest = (workspace / "broken" / "manifest.yaml").as_uri()
    await _until(
        client, lambda: {"MPL:E110", "E006"} <= _codes(client, uri) and bool(_codes(client, manifest))
    )
    assert "MAN:E071" in _codes(client, manifest)
    shown = next(shown for shown in client.diagnostics[uri] if shown.code == "MPL:E110")
    assert shown.message.endswith("did you mean 'std'?")
    assert shown.range.start == types.Position(5, 9)


@pytest.mark.asyncio(loop_scope="module")
async def test_fixes_are_actions(client: LanguageClient, workspace: Path) -> None:
    uri = _open(client, workspace / "broken" / "Classes" / "Greeter.yaml")
    await _until(client, lambda: "MPL:E110" in _codes(client, uri))
    line = types.Range(types.Position(5, 9), types.Position(5, 9))
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(types.TextDocumentIdentifier(uri), line, types.CodeActionContext([]))
    )
    assert actions is not None
    fix, suppression = actions
    assert isinstance(fix, types.CodeAction)
    assert isinstance(suppression, types.CodeAction)
    assert fix.edit is not None
    assert fix.edit.changes is not None
    assert [edit.new_text for edit in fix.edit.changes[uri]] == ["std"]
    assert suppression.title == "Suppress MPL:E110 in this line"


@pytest.mark.asyncio(loop_scope="module")
async def test_a_slip_is_shown_while_typing_and_goes_when_it_is_mended(
    client: LanguageClient, workspace: Path
) -> None:
    path = workspace / "broken" / "Classes" / "Greeter.yaml"
    uri = _open(client, path)
    await _until(client, lambda: "MPL:E110" in _codes(client, uri))
    change = types.TextDocumentContentChangeWholeDocument(path.read_text().replace("sdt:", "std:"))
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(2, uri), [change])
    )
    await _until(client, lambda: "MPL:E110" not in _codes(client, uri))


@pytest.mark.asyncio(loop_scope="module")
async def test_values_and_where_they_came_from_across_languages(
    client: LanguageClient, workspace: Path
) -> None:
    uri = _open(client, workspace / "shop" / "web" / "service" / "shop-web.yaml")
    place = _at(uri, 11, 12)
    hover = None
    async with asyncio.timeout(30):
        while hover is None:
            hover = await client.text_document_hover_async(place)
            await asyncio.sleep(0.05)
    assert isinstance(hover.contents, types.MarkupContent)
    assert "10.20.2.20:3306" in hover.contents.value
    assert "network/main.cf:29:5" in hover.contents.value
    assert _codes(client, uri) == set()
    definitions = await client.text_document_definition_async(
        types.DefinitionParams(place.text_document, place.position)
    )
    assert isinstance(definitions, list)
    assert {Path(place.uri).name for place in definitions if isinstance(place, types.Location)} == {
        "sabir.yaml"
    }
    hints = await client.text_document_inlay_hint_async(
        types.InlayHintParams(place.text_document, types.Range(types.Position(0, 0), types.Position(20, 0)))
    )
    assert [hint.label for hint in hints or () if hint.position.line == 4] == ["= [8080]"]


@pytest.mark.asyncio(loop_scope="module")
async def test_what_is_typed_in_one_language_is_a_finding_in_another(
    client: LanguageClient, workspace: Path
) -> None:
    path = workspace / "shop" / "sabir.yaml"
    text = path.read_text()
    uri = _open(client, path, text.replace("::network::database::ip", "::network::databas::ip"))
    await _until(client, lambda: bool(_codes(client, uri)))
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(2, uri),
            [types.TextDocumentContentChangeWholeDocument(text)],
        )
    )
    await _until(client, lambda: not _codes(client, uri))


@pytest.mark.asyncio(loop_scope="module")
async def test_a_file_in_no_language_is_left_alone(client: LanguageClient, workspace: Path) -> None:
    path = workspace / "notes.txt"
    path.write_text("nothing")
    uri = _open(client, path)
    assert await client.text_document_hover_async(_at(uri, 0, 0)) is None


def _change(client: LanguageClient, uri: str, version: int, text: str) -> None:
    change = types.TextDocumentContentChangeWholeDocument(text)
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(version, uri), [change])
    )


async def _completed(client: LanguageClient, uri: str, text: str, typed: str) -> set[str]:
    """What is proposed behind the last place of a text."""
    end = text.index(typed) + len(typed)
    line, character = text.count("\n", 0, end), end - text.rfind("\n", 0, end) - 1
    answer = await client.text_document_completion_async(
        types.CompletionParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
    )
    assert isinstance(answer, types.CompletionList)
    return {item.label for item in answer.items}


@pytest.mark.rows("V-141")
@pytest.mark.asyncio(loop_scope="module")
async def test_policy_files(client: LanguageClient, workspace: Path) -> None:
    """Slips after a key, what breaks a rule after the evaluation, names of the graph while an expression is typed."""
    path = workspace / "shop" / "policy.yaml"
    text = path.read_text()
    uri = _open(client, path)
    _change(client, uri, 2, text.replace("condition: gateway", "conditon: gateway"))
    await _until(client, lambda: "E910" in _codes(client, uri))
    assert "did you mean 'condition'?" in " ".join(shown.message for shown in client.diagnostics[uri])
    _change(client, uri, 3, text)
    await _until(client, lambda: not _codes(client, uri))

    stricter = text.replace("eval: port}, 80", "eval: port}, 8080")
    _change(client, uri, 4, stricter)
    environment = (workspace / "shop" / "sabir.yaml").as_uri()
    await _until(client, lambda: "SHOP:W001" in _codes(client, environment))
    hover = await client.text_document_hover_async(_at(uri, 6, 14))
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "**SHOP:W001** (constant)" in hover.contents.value
    assert "frontend listens on the port 8080" in hover.contents.value

    symbols = await client.text_document_document_symbol_async(
        types.DocumentSymbolParams(types.TextDocumentIdentifier(uri))
    )
    assert [child.name for symbol in symbols or () for child in symbol.children or ()] == [  # type: ignore[union-attr]
        "SHOP:E001",
        "SHOP:W001",
    ]
    added = stricter.rstrip() + '\n  - code: SHOP:E002\n    for: "::network::\n    '
    _change(client, uri, 5, added)
    assert {"message", "condition", "why"} <= await _completed(client, uri, added, "::network::\n    ")
    assert {"back", "database"} <= await _completed(client, uri, added, '"::network::')
    typed = stricter.replace("condition: gateway", "condition: ")
    _change(client, uri, 6, typed)
    assert {"gateway", "cidr"} <= await _completed(client, uri, typed, "condition: ")
    typed = stricter.replace("[.type=Network]", "[.type=")
    _change(client, uri, 7, typed)
    assert {"Network", "com.example.shop.Endpoint"} <= await _completed(client, uri, typed, "[.type=")
    _change(client, uri, 8, text)

    named = _open(client, workspace / "shop" / "sabir.yaml")
    line = (workspace / "shop" / "sabir.yaml").read_text().splitlines().index("rules: policy.yaml")
    definitions = await client.text_document_definition_async(
        types.DefinitionParams(types.TextDocumentIdentifier(named), types.Position(line, 9))
    )
    assert isinstance(definitions, list)
    assert [place.uri for place in definitions if isinstance(place, types.Location)] == [uri]


COMPLETIONS = {
    "a class": (
        "hello/Classes/Greeter.yaml",
        "Extends: std:Application",
        "Extends: std:App",
        {"Application"},
    ),
    "a property": (
        "hello/Classes/Greeter.yaml",
        "Return: len($.pages)",
        "Return: len($.",
        {"pages", "visitors"},
    ),
    "a function": ("hello/Classes/Greeter.yaml", "Return: len($.pages)", "Return: le", {"len"}),
    "a keyword": ("hello/Classes/Greeter.yaml", "- Return: len($.pages)", "- Ret", {"Return"}),
    "a key of a manifest": ("hello/manifest.yaml", "Author: The", "Auth", {"Author"}),
    "an entity": ("shop/network/main.cf", "Host(name=", "Ho", {"Host"}),
    "a keyword of Inmanta": ("shop/network/main.cf", "implement ", "impl", {"implement"}),
    "a node type": (
        "shop/database/service-template.yaml",
        "type: shop.nodes.Database",
        "type: shop.",
        {"shop.nodes.Database"},
    ),
    "an input": ("shop/database/service-template.yaml", "{get_input: address}", "{get_input: ", {"address"}),
    "a language": ("shop/sabir.yaml", "language: tosca", "language: ", {"tosca", "ccp"}),
    "a part": ("shop/sabir.yaml", '"::network::back::cidr"', '"::', {"network", "database"}),
    "an attribute of an instance": (
        "shop/sabir.yaml",
        '"::network::back::cidr"',
        '"::network::back::',
        {"cidr"},
    ),
    "a variable of a template": ("shop/web/service/shop-web.yaml", "- {{ web.port }}", "- {{ w", {"web"}),
}


@pytest.mark.rows("V-141")
@pytest.mark.parametrize("name", COMPLETIONS)
@pytest.mark.asyncio(loop_scope="module")
async def test_completion(client: LanguageClient, workspace: Path, name: str) -> None:
    """`written` stands in the file; in its place somebody has typed as far as `typed`."""
    file, written, typed, expected = COMPLETIONS[name]
    path = workspace / file
    whole = path.read_text()
    before, _, after = whole.partition(written)
    text = before + typed
    uri = _open(client, path)
    _change(client, uri, 2, text + after)
    proposed = set[str]()
    async with asyncio.timeout(20):
        while not expected <= proposed:
            line, character = text.count("\n"), len(text) - text.rfind("\n") - 1
            answer = await client.text_document_completion_async(
                types.CompletionParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
            )
            assert isinstance(answer, types.CompletionList)
            proposed = {item.label for item in answer.items}
            await asyncio.sleep(0.3)  # values come with the first evaluation
    client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
