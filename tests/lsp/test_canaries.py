"""An editor shows values beside what is written: never a secret."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from tests.scenarios.canaries import MISTAKES, SOUND, leaks
from tests.support.files import write_files

pytestmark = pytest.mark.slow
_FILES = (
    "sabir.yaml",
    "vault.yaml",
    "model/main.cf",
    "package/Classes/Thing.yaml",
    "component/service/thing.yaml",
)
_AT_A_PLACE = ("hover", "definition", "completion", "references")
_OF_A_FILE = ("inlayHint", "documentSymbol", "codeAction", "semanticTokens/full", "foldingRange")


class _Editor:
    """As little of one as asks every question; all that the server says is kept."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._to: IO[bytes] = process.stdin
        self._from: IO[bytes] = process.stdout
        self._number = 0
        self.said: list[bytes] = []

    def tell(self, method: str, params: Any) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while True:
            message = self._read()
            if message.get("id") == self._number and "method" not in message:
                return message.get("result")
            if "id" in message:  # the server asks something itself
                self._send({"jsonrpc": "2.0", "id": message["id"], "result": None})

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps(message).encode()
        self._to.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self._to.flush()

    def _read(self) -> dict[str, Any]:
        length = 0
        while (line := self._from.readline().strip()) != b"":
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        data = self._from.read(length)
        self.said.append(data)
        message: dict[str, Any] = json.loads(data)
        return message


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[_Editor]:
    environment = {
        **os.environ,
        "SABIR_DEBUG": "1",
        "HOME": str(tmp_path),
        "SABIR_CACHE_DIR": str(tmp_path / "cache"),
    }
    words = [sys.executable, "-m", "sabir", "lsp"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        speaker = _Editor(process)
        yield speaker
        speaker.ask("shutdown", None)
        speaker.tell("exit", None)
        _, errors = process.communicate(timeout=60)
        assert leaks(errors) == []


@pytest.mark.parametrize(
    "mistake", [None, "a constraint", "an unknown input", "a contract", "an unknown key of a secret"]
)
def test_nothing_that_an_editor_is_told_holds_one(
    mistake: str | None, editor: _Editor, tmp_path: Path
) -> None:
    folder = write_files(tmp_path / "work", SOUND)
    if mistake is not None:
        file, before, after = MISTAKES[mistake]
        (folder / file).write_text(SOUND[file].replace(before, after), encoding="utf-8")
    uri = folder.as_uri()
    editor.ask(
        "initialize",
        {
            "processId": None,
            "rootUri": uri,
            "capabilities": {},
            "workspaceFolders": [{"uri": uri, "name": "w"}],
        },
    )
    editor.tell("initialized", {})
    for name in _FILES:
        _open(editor, folder / name)
    if mistake is None:
        _wait_for_values(editor, folder / "vault.yaml")
    for name in _FILES:
        _ask(editor, folder / name)
    said = b"".join(editor.said)
    assert mistake is not None or b"vault/vault.password = <<REDACTED>>" in said
    assert leaks(said) == []


def _open(editor: _Editor, file: Path) -> None:
    opened = {
        "uri": file.as_uri(),
        "languageId": "yaml",
        "version": 1,
        "text": file.read_text(encoding="utf-8"),
    }
    editor.tell("textDocument/didOpen", {"textDocument": opened})


def _wait_for_values(editor: _Editor, file: Path) -> None:
    """They are evaluated in the background."""
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    question = {"textDocument": {"uri": file.as_uri()}, "range": whole}
    deadline = time.monotonic() + 60
    while not editor.ask("textDocument/inlayHint", question):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _ask(editor: _Editor, file: Path) -> None:
    document = {"uri": file.as_uri()}
    lines = file.read_text(encoding="utf-8").splitlines()
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
    for question in _OF_A_FILE:
        context: dict[str, list[str]] = {"diagnostics": []}
        editor.ask(f"textDocument/{question}", {"textDocument": document, "range": whole, "context": context})
    for number, line in enumerate(lines):
        for character in {*range(0, len(line), 7), line.find("hush") + 3, len(line)}:
            place = {"textDocument": document, "position": {"line": number, "character": max(0, character)}}
            editor.ask("textDocument/hover", place)
            if character == len(line):
                for question in _AT_A_PLACE[1:]:
                    editor.ask(
                        f"textDocument/{question}",
                        {**place, "context": {"includeDeclaration": True, "triggerKind": 1}},
                    )
