"""No secret stands in what a command that acts says, keeps, or starts."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.scenarios.acting import ACTING, HIDDEN, OPERATOR, hidden
from tests.scenarios.test_canaries import output
from tests.support.files import write_files

_HERE = ("--here", "--trust", "scripts", "--trust", "env")
_ADDRESSES = ("one", "two", "three", "four", "login", "fails")
_FORMATS = ("text", "json")
ACTS = (
    *(["plan", ".", *_HERE, "--format", name] for name in ("text", "json", "markdown", "html")),
    ["plan", ".", *_HERE, "-o", "saved.plan"],
    ["plan", ".", *_HERE, "-o", "signed.plan", "--sign", "plan.key"],
    ["plan", ".", *_HERE, "--format", "html", "-o", "plan.html"],
    ["plan", ".", *_HERE, "--format", "markdown", "-o", "plan.md"],
    ["deploy", ".", *_HERE, "--yes"],
    ["deploy", ".", *_HERE, "--yes", "--format", "json"],
    *(["call", ".", "--list", *_HERE, "--format", name] for name in _FORMATS),
    *(
        ["call", ".", "it/one.rotate", "--arg", "to=x", *_HERE, "--yes", "--format", name]
        for name in _FORMATS
    ),
    *(["notify", ".", "leaked", "--arg", "to=x", *_HERE, "--yes", "--format", name] for name in _FORMATS),
)
LOOKS = (
    *(["status", ".", *_HERE, "--format", name] for name in _FORMATS),
    *(["history", ".", "--format", name] for name in _FORMATS),
    *(["history", ".", str(number), "--format", name] for number in range(1, 7) for name in _FORMATS),
    *(["facts", ".", "--format", name] for name in _FORMATS),
    *(["state", "list", ".", "--format", name] for name in _FORMATS),
    *(["state", "show", ".", f"it/{name}", "--format", form] for name in _ADDRESSES for form in _FORMATS),
    ["state", "export", "."],
    *(["query", ".", "::it::*", "--at", "1", "--format", name] for name in (*_FORMATS, "yaml")),
    *(["query", ".", f"::it::{name}::content", "--why"] for name in _ADDRESSES),
    *(["why", ".", f"it/{name}.content", "--format", form] for name in _ADDRESSES for form in (*_FORMATS, "mermaid")),
    ["why", ".", "it/login.token"],
    ["why", ".", "it/login.run"],
    *(["compile", ".", "--at", "1", "--format", name] for name in ("json", "yaml", "text", "html", "svg", "dot")),
    ["diff", ".", "--at", "1"],
    ["bisect", ".", "::it::one::content"],
    ["adopt", ".", *_HERE],
    ["export", ".", "--to", "kubernetes"],
    ["render", ".", "--to", "configuration"],
    *(["plan", ".", "--destroy", *_HERE, "--format", name] for name in ("text", "json", "markdown", "html")),
    ["destroy", ".", *_HERE, "--yes", "--allow-delete", "all"],
    *(["history", ".", "8", "--format", name] for name in _FORMATS),
    ["deploy", ".", "--at", "1", *_HERE, "--yes"],
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in (*OPERATOR.items(), ("HOME", str(tmp_path)), ("SABIR_DEBUG", "1")):
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "world").mkdir()
    key = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "plan.key").write_bytes(key)
    return write_files(tmp_path, ACTING)


def seen(data: str | bytes) -> list[str]:
    raw = data.encode() if isinstance(data, str) else data
    return [place for place in HIDDEN if hidden(place).encode() in raw]


def test_nothing_is_said(folder: Path) -> None:
    told = {" ".join(words): output(words) for words in (*ACTS, *LOOKS)}
    assert {words: places for words, text in told.items() if (places := seen(text))} == {}
    assert "it is <<REDACTED>>" in told[" ".join(["deploy", ".", *_HERE, "--yes"])]
    assert (folder / "world" / "three").exists() or "three" in "".join(told.values())


def test_nothing_is_kept(folder: Path) -> None:
    for words in ACTS:
        output(words)
    assert (folder / "world" / "four").read_text() == hidden("variable")
    own = folder / ".sabir" / "operations"
    assert {stat.S_IMODE(mark.stat().st_mode) for mark in own.iterdir()} == {0o700}
    kept = [
        file for file in folder.rglob("*") if file.is_file() and not {own, folder / "world"} & {*file.parents}
    ]
    names = {file.name for file in kept}
    assert names >= {"state.db", "saved.plan", "signed.plan", "plan.html", "plan.md"}
    told = {file.name: places for file in kept if (places := seen(file.read_bytes()))}
    assert set(told) == {"sabir.yaml", "it.yaml", "variables"}


def test_nothing_stands_in_the_list_of_processes(folder: Path) -> None:
    for words in ACTS:
        output(words)
    assert seen((folder / "processes").read_text()) == []
    variables = (folder / "variables").read_text().splitlines()
    assert seen("\n".join(variables)) == ["by-reference", "variable"], "its own, and what the operator has"
    assert not [line for line in variables if line.startswith("SABIR_KEY")]
    assert os.environ["SABIR_KEY"] == OPERATOR["SABIR_KEY"]
