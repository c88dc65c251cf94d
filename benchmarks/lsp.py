"""The language server in a project of many files: `python -m benchmarks.lsp [FILES]`.

It starts `sabir lsp` on a package of so many classes, types keys into one of them, and says how long it took until the findings came,
how long answers took, and how much memory the server and its workers have.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter, sleep
from typing import Any

FILES = 500
KEYS = 40
CLASS = """\
Namespaces:
  =: org.example.many
  std: io.murano
Name: C{number}
Extends: {base}
Properties:
  name{number}:
    Contract: $.string().notNull()
  port:
    Contract: $.int().notNull()
    Default: {number}
Methods:
  deploy{number}:
    Arguments:
      - count:
          Contract: $.int()
    Body:
      - $line: format('{{0}} {{1}}', $.name{number}, $count)
      - If: $.port > 10
        Then:
          - Return: $line
      - Return: $.port + {number}
"""


def project(folder: Path, files: int) -> None:
    classes = "".join(f"  org.example.many.C{number}: C{number}.yaml\n" for number in range(files))
    head = "Format: MuranoPL/1.4\nType: Application\nFullName: org.example.many\nName: Many\nDescription: Many\nAuthor: Example\n"
    (folder / "Classes").mkdir()
    (folder / "manifest.yaml").write_text(f"{head}Classes:\n{classes}")
    for number in range(files):
        base = "std:Application" if number == 0 else f"C{(number - 1) // 2}"
        (folder / "Classes" / f"C{number}.yaml").write_text(CLASS.format(number=number, base=base))


class Editor:
    """The other side of the protocol, as little of it as is needed."""

    def __init__(self, folder: Path) -> None:
        words = [sys.executable, "-m", "sabir", "lsp"]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._numbers = itertools.count(1)
        uri = folder.as_uri()
        self.ask(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": uri,
                "capabilities": {},
                "workspaceFolders": [{"uri": uri, "name": "many"}],
            },
        )
        self.tell("initialized", {})

    def tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        number = next(self._numbers)
        self._send({"id": number, "method": method, "params": params})
        return self.until(lambda message: message.get("id") == number and "method" not in message)

    def until(self, condition: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while True:
            message = self._read()
            if "method" in message and "id" in message:
                self._send({"id": message["id"], "result": None})
            if condition(message):
                return message

    def findings(self, uri: str) -> dict[str, Any]:
        def is_meant(message: dict[str, Any]) -> bool:
            told = message.get("method") == "textDocument/publishDiagnostics"
            return told and message["params"]["uri"] == uri

        return self.until(is_meant)

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self.process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while (line := self.process.stdout.readline()).strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        message: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return message


def seconds_of_processor(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def megabytes(process: int) -> float:
    """Of a process and of those that it started."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6 + sum(megabytes(int(child)) for child in children)


def measure(editor: Editor, file: Path) -> None:
    uri, text, process = file.as_uri(), file.read_text(), editor.process.pid
    document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
    editor.tell("textDocument/didOpen", {"textDocument": document})
    editor.findings(uri)
    quiet = monotonic() + 1
    before = seconds_of_processor(process)
    while monotonic() < quiet:  # until everything was checked and evaluated once
        sleep(0.5)
        now = seconds_of_processor(process)
        quiet = monotonic() + 1 if now > before + 0.02 else quiet
        before = now
    times, used = list[float](), list[float]()
    for version in range(2, KEYS + 2):
        typed = text + "#" * version if version % 2 else text.replace("Then:", "Thn:")
        began, cpu = perf_counter(), seconds_of_processor(process)
        change = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": typed}]}
        editor.tell("textDocument/didChange", change)
        editor.findings(uri)
        times.append(perf_counter() - began)
        used.append(seconds_of_processor(process) - cpu)
    _say("findings after a key", times, f", {sum(used) / len(used) * 1000:.0f} ms of processor time a key")
    place = {"textDocument": {"uri": uri}, "position": {"line": 16, "character": 45}}
    for method, params in (
        ("textDocument/completion", place),
        ("textDocument/definition", {**place, "position": {"line": 4, "character": 10}}),
        ("textDocument/references", {**place, "context": {"includeDeclaration": True}}),
        ("textDocument/hover", place),
        ("textDocument/semanticTokens/full", {"textDocument": {"uri": uri}}),
        ("textDocument/documentSymbol", {"textDocument": {"uri": uri}}),
    ):
        answers = list[float]()
        for _ in range(10):
            began = perf_counter()
            editor.ask(method, params)
            answers.append(perf_counter() - began)
        _say(method.removeprefix("textDocument/"), answers)
    sys.stdout.write(f"memory of the server and its workers: {megabytes(process):.0f} MB\n")


def _say(name: str, times: list[float], more: str = "") -> None:
    sys.stdout.write(
        f"{name}: median {median(times) * 1000:.0f} ms, longest {max(times) * 1000:.0f} ms{more}\n"
    )


def main(files: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        project(folder, files)
        editor = Editor(folder)
        try:
            measure(editor, folder / "Classes" / f"C{files // 2}.yaml")
        finally:
            editor.process.kill()
            editor.process.wait()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else FILES)
