"""Whatever an editor sends, the language server answers or refuses at once, goes on, and shows nothing of what it should not read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.attack import CANARY
from tests.hostile.editor import Editor, Ended

pytestmark = pytest.mark.slow

MANIFEST = "Format: MuranoPL/1.4\nType: Application\nFullName: a.App\nName: a\nDescription: a\nClasses: {a.App: App.yaml}\n"
TEXT = "Name: a.App\nMethods:\n  go:\n    Body:\n      - $x: 1\n"
SOON = 5.0
"""Seconds for an answer, on a machine that others use, too."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p" / "Classes").mkdir(parents=True)
    (tmp_path / "p" / "manifest.yaml").write_text(MANIFEST)
    (tmp_path / "p" / "Classes" / "App.yaml").write_text(TEXT)
    (tmp_path.parent / "secret.yaml").write_text(f"{CANARY}: {CANARY}\n")
    return tmp_path


@pytest.fixture
def editor(folder: Path) -> Iterator[Editor]:
    editor = Editor(folder)
    opened(editor, class_uri(folder))
    yield editor
    assert "Traceback" not in editor.said
    assert CANARY not in editor.said
    editor.close()


def class_uri(folder: Path) -> str:
    return (folder / "p" / "Classes" / "App.yaml").as_uri()


def opened(editor: Editor, uri: str, text: str = TEXT) -> None:
    document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
    editor.tell("textDocument/didOpen", {"textDocument": document})


def hover(editor: Editor, folder: Path) -> dict[str, Any]:
    position = {"line": 0, "character": 1}
    return editor.ask(
        "textDocument/hover",
        {"textDocument": {"uri": class_uri(folder)}, "position": position},
        seconds=SOON,
    )


def is_alive(editor: Editor, folder: Path) -> bool:
    return "result" in hover(editor, folder)


@pytest.mark.parametrize(
    "position",
    [
        {"line": -1, "character": 0},
        {"line": 2**31, "character": 0},
        {"line": 10**30, "character": 5},
        {"line": 1, "character": 2**64},
        {"line": "x", "character": 0},
        {"line": None, "character": 0},
        {},
        [],
    ],
    ids=str,
)
def test_positions_that_are_none(editor: Editor, folder: Path, position: Any) -> None:
    params = {"textDocument": {"uri": class_uri(folder)}, "position": position, "newName": "x"}
    for method in ("hover", "completion", "definition", "references", "rename"):
        refused = editor.ask(f"textDocument/{method}", params, seconds=SOON)
        assert refused["error"]["code"] == -32602
        assert refused["error"]["message"].startswith(f"the parameters of textDocument/{method}")
    assert is_alive(editor, folder)


def test_positions_behind_the_end(editor: Editor, folder: Path) -> None:
    for position in ({"line": 2**31 - 1, "character": 0}, {"line": 1, "character": 2**31 - 1}):
        params = {"textDocument": {"uri": class_uri(folder)}, "position": position}
        assert "result" in editor.ask("textDocument/completion", params, seconds=SOON)


@pytest.mark.parametrize(
    "uri",
    [
        "http://127.0.0.1:9/x.yaml",
        "file:///etc/passwd",
        "file:///../../etc/passwd",
        "file://{folder}/p/Classes/../../../secret.yaml",
        "file://{folder}/p/Classes/%2e%2e/%2e%2e/%2e%2e/secret.yaml",
        "file://elsewhere/x.yaml",
        "file:///%00",
        "file:///tmp/%ff.yaml",
        "untitled:1",
        "file://",
        "",
        "x" * 100_000,
    ],
    ids=lambda uri: uri[:60],
)
def test_addresses_that_are_no_file_of_the_project(editor: Editor, folder: Path, uri: str) -> None:
    uri = uri.replace("{folder}", str(folder))
    opened(editor, uri, "a: [")
    answer = editor.ask(
        "textDocument/hover",
        {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}},
        seconds=SOON,
    )
    assert CANARY not in str(answer)
    assert "root:" not in str(answer)
    editor.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert is_alive(editor, folder)


@pytest.mark.parametrize(
    ("start", "end"),
    [((999_999, 0), (9_999_999, 0)), ((3, 0), (1, 0)), ((-5, -5), (2, 0)), ((10**20, 0), (10**20, 0))],
)
def test_changes_of_places_that_are_not_there(
    editor: Editor, folder: Path, start: tuple[int, int], end: tuple[int, int]
) -> None:
    names = ("line", "character")
    places = {"start": dict(zip(names, start, strict=True)), "end": dict(zip(names, end, strict=True))}
    for uri in (class_uri(folder), "file:///never/opened.yaml"):
        document = {"uri": uri, "version": 2}
        editor.tell(
            "textDocument/didChange",
            {"textDocument": document, "contentChanges": [{"range": places, "text": "x"}]},
        )
    assert is_alive(editor, folder)


@pytest.mark.parametrize(
    "message",
    [
        b"{{{{{",
        b"[]",
        b"7",
        b"[" * 100_000 + b"]" * 100_000,
        b'{"jsonrpc": "2.0", "id": [1], "method": "textDocument/hover", "params": {}}',
        b'{"jsonrpc": "2.0", "id": 5, "method": 7}',
        b'{"jsonrpc": "2.0", "id": 5, "result": 7}',
        b'{"jsonrpc": "7", "id": 5, "method": "shutdown"}',
        b'{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 4711}}',
        b'{"jsonrpc": "2.0", "method": "textDocument/didClose", "params": {"textDocument": {"uri": "file:///never"}}}',
        b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": 7}}}',
        b"\xff\xfe",
    ],
    ids=lambda message: repr(message[:40]),
)
def test_messages_that_are_none(editor: Editor, folder: Path, message: bytes) -> None:
    editor.send(message)
    assert is_alive(editor, folder)


@pytest.mark.parametrize(
    "header", [b"Content-Length: -5\r\n\r\n", b"Content-Length: abc\r\n\r\n", b"X: y\r\n\r\n"]
)
def test_headers_that_say_nothing(editor: Editor, folder: Path, header: bytes) -> None:
    editor.write(header)
    assert is_alive(editor, folder)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            b"Content-Length: 99000000000\r\n\r\n{",
            "announced a message of 99,000,000,000 bytes; at most 64 MB are taken",
        ),
        (b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n{", "a length that nobody can count"),
        (b"x" * 70_000, "a header of more than 64 kB"),
    ],
    ids=["99 GB", "digits", "header"],
)
def test_more_than_is_taken(folder: Path, data: bytes, words: str) -> None:
    editor = Editor(folder)
    editor.write(data)
    assert editor.process.wait(20) == 2
    assert words in editor.said
    assert "Traceback" not in editor.said
    editor.close()


def test_too_early_and_too_late(folder: Path) -> None:
    editor = Editor(folder, initialize=False)
    assert hover(editor, folder)["error"]["code"] == -32002
    editor.ask("initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}})
    opened(editor, class_uri(folder))
    assert is_alive(editor, folder)
    assert "result" in editor.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    assert "result" in editor.ask("shutdown", None)
    assert hover(editor, folder)["error"]["code"] == -32600
    editor.tell("exit", None)
    assert editor.process.wait(20) == 0
    with pytest.raises((Ended, BrokenPipeError)):
        hover(editor, folder)
    assert editor.said == ""
    editor.close()


def test_ten_thousand_documents(editor: Editor, folder: Path) -> None:
    for number in range(10_000):
        opened(editor, (folder / "p" / "Classes" / f"N{number}.yaml").as_uri())
    uri = class_uri(folder)
    params = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 1}}
    assert "result" in editor.ask("textDocument/hover", params, seconds=60)
    assert _most(editor) < 400


def test_requests_that_are_cancelled(editor: Editor, folder: Path) -> None:
    for number in range(1000, 2000):
        params = {"textDocument": {"uri": class_uri(folder)}, "position": {"line": 0, "character": 1}}
        editor.send({"jsonrpc": "2.0", "id": number, "method": "textDocument/hover", "params": params})
        editor.tell("$/cancelRequest", {"id": number})
    assert is_alive(editor, folder)


def _most(editor: Editor) -> float:
    """Megabytes that it had at most."""
    lines = Path(f"/proc/{editor.process.pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM:"))) / 1024
