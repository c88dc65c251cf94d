"""Broken inputs of every kind, and what people read: never the words of Python or of a library."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from sabir.cli.main import main
from tests.hostile.attack import TOSCA

_MANIFEST = "Format: MuranoPL/1.4\nType: Application\nFullName: a.App\nName: a\nDescription: a\nClasses: {a.App: App.yaml}\n"
_ENVIRONMENT = "name: d\nparts: {f: {path: r.yaml}}\n"
_PACKAGE = {"manifest.yaml": _MANIFEST, "Classes/App.yaml": "Name: a.App\n"}
_FILE = "sabir: resources/1\nresources:\n  a: {kind: file, fields: {path: a, content: %s}}\n"
_CLUSTER = "{kind: kubernetes, target: t, fields: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}}}"
_INTERNALS = (
    "Traceback", "[Errno", "(char ", "codec", "unhashable", "invalid literal", "object at 0x", "NoneType",
    "while parsing", "Error:", "Exception:", "<class",
)  # fmt: skip


def _output(value: str) -> Mapping[str, str]:
    return {"service.yaml": f"{TOSCA}topology_template:\n  outputs:\n    o:\n      value: {value}\n"}


def _template(text: str) -> Mapping[str, str]:
    return _output(f'{{eval: {{template: "{{{{ {text} }}}}"}}}}')


def _method(expression: str) -> Mapping[str, str]:
    text = f"Name: a.App\nMethods:\n  m:\n    Scope: Public\n    Body:\n    - Return: {expression}\n"
    return {**_PACKAGE, "Classes/App.yaml": text, "model.yaml": "?: {type: a.App, id: x}\n"}


def _target(settings: str) -> Mapping[str, str]:
    environment = f"{_ENVIRONMENT}targets: {{t: {settings}}}\n"
    return {"sabir.yaml": environment, "r.yaml": f"sabir: resources/1\nresources:\n  a: {_CLUSTER}\n"}


def _secret(source: str) -> Mapping[str, str]:
    return {"sabir.yaml": f"{_ENVIRONMENT}secrets: {{s: {source}}}\n", "r.yaml": _FILE % "{secret: s}"}


_COMPILE = ("compile", ".")
_RUN = ("run", ".", "--call", "m")
_DEPLOY = ("deploy", ".", "--yes", "--trust", "scripts")
ROWS: tuple[tuple[Mapping[str, str], tuple[str, ...], str], ...] = (
    ({**_PACKAGE, "c.toml": "[a\n"}, ("check", ".", "--config", "c.toml"), "Expected ']'"),
    ({**_PACKAGE, "b.json": '{"a":'}, ("check", ".", "--baseline", "b.json"), "line 1, column 6"),
    (_output("{eval: {validate: [1, {minimum: a}]}}"), _COMPILE, '"a" is not of type "number"'),
    (_template("'{' | from_json"), _COMPILE, "line 1, column 2"),
    (_template("'a' | b64decode"), _COMPILE, "not base64 text"),
    (_template("[1] | first(3)"), _COMPILE, "first() takes 2 positional arguments but 3 were given"),
    (_template("'a' | indent(y=1)"), _COMPILE, "indent() got an unexpected keyword argument 'y'"),
    (_template("''.__class__"), _COMPILE, "access to attribute '__class__' of string is unsafe"),
    (_output("{eval: {template: \"{% include '../x' %}\"}}"), _COMPILE, "no loader for this environment"),
    (_template("[1] | sum('a')"), _COMPILE, "integer has no attribute 'a'"),
    (_template("dict([1])"), _COMPILE, "cannot convert dictionary"),
    (_template("'x' | to_datetime"), _COMPILE, "time data 'x' does not match format"),
    (_template("'a'.encode('nosuch')"), _COMPILE, "unknown encoding: nosuch"),
    ({"main.cf": 'import std\nx = std::json_loads("{")\n'}, _COMPILE, "std::json_loads(…) failed: no JSON: "),
    ({"main.cf": 'import std\nx = std::base64_decode("a")\n'}, _COMPILE, "this is no base64 text"),
    ({"main.cf": 'import std\nx = std::netmask("x")\n'}, _COMPILE, "'x' does not appear to be an IPv4 or IPv6 interface"),
    ({"main.cf": 'import std\nx = std::format("{0}{1}", 1)\n'}, _COMPILE, "index out of range"),
    (_method("int(a)"), _RUN, "expected an integer, found 'a'"),
    (_method("timespan(days => 99999999999)"), _RUN, "value out of range"),
    (_method("int('9' * 5000)"), _RUN, "number has too many digits"),
    (_method("random(5, 1)"), _RUN, "the range is empty: 5 is greater than 1"),
    ({"sabir.yaml": _ENVIRONMENT, "r.yaml": _FILE.replace("file,", "archive,") % "abc"}, _DEPLOY, "neither a ZIP nor a TAR"),
    ({**_target("{driver: kubernetes, kubeconfig: k}"), "k": "abc"}, _DEPLOY, "does not say what a kubeconfig says"),
    ({**_target("{driver: kubernetes, kubeconfig: k}"), "k": "a: ["}, _DEPLOY, "at line 1, column 5"),
    (_target("{driver: kubernetes, kubeconfig: k}"), _DEPLOY, "'k'"),
    (_secret("{file: nosuch}"), _DEPLOY, "secret 's': nosuch cannot be read: No such file or directory"),
    (_secret("{command: [nosuchprogram]}"), _DEPLOY, "'nosuchprogram' cannot be run: No such file or directory"),
)  # fmt: skip


@pytest.mark.parametrize(("files", "words", "says"), ROWS, ids=[f"{row[1][0]}: {row[2]}" for row in ROWS])
def test_it_is_said_in_our_words(
    files: Mapping[str, str],
    words: tuple[str, ...],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    assert main([*words]) in (1, 2)
    shown = "".join(capsys.readouterr()).replace(str(tmp_path) + os.sep, "")
    assert says in shown
    assert not [internal for internal in _INTERNALS if internal in shown], shown
