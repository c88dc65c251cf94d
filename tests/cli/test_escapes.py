"""Whose words it may be: nothing that is quoted steers the terminal of who reads it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from sabir.checks.formatters.palette import escape_control_lines
from sabir.cli.main import main
from tests.test_text import find_harmful

TITLE = "\x1b]0;pwned\x07"
RED = "\x1b[31m"
YAML_TITLE = TITLE.encode("unicode_escape").decode()
TEMPLATE = (
    "tosca_definitions_version: tosca_simple_yaml_1_3\n"
    f'node_types: {{"T{YAML_TITLE}": {{derived_from: tosca.nodes.Root, properties: {{p: {{type: string}}}}}}}}\n'
    "topology_template:\n  node_templates:\n"
    f'    "n{YAML_TITLE}": {{type: "T{YAML_TITLE}", properties: {{p: "v{YAML_TITLE}\\u009b"}}}}\n'
)
OTHER = "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template: {node_templates: {}}\n"
WORDS = (
    ("query", "PATH", "::*::.name"),
    ("query", "PATH", "::*::p"),
    ("query", "PATH", "::*::p", "--format", "json"),
    ("query", "PATH", "::*::p", "--format", "yaml"),
    ("query", "PATH", f"::{RED}"),
    ("compile", "PATH"),
    ("compile", "PATH", "--set", f"a{RED}=1"),
    ("diff", "PATH", "OTHER"),
    ("diff", "PATH", "OTHER", "--format", "markdown"),
    ("why", "PATH", "."),
    ("why", "PATH", f"n{TITLE}.p"),
    ("check", f"PATH{RED}"),
    ("check", "ODD"),
    ("check", "ODD", "--format", "github"),
    ("test", "ODD"),
    (f"che{RED}ck", "PATH"),
    ("check", "PATH", "--config", f"x{RED}.toml"),
)


@pytest.mark.parametrize("words", WORDS, ids=lambda words: ascii(" ".join(words)))
def test_a_terminal_is_never_steered(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(TEMPLATE, encoding="utf-8")
    (tmp_path / "other.yaml").write_text(OTHER, encoding="utf-8")
    odd = tmp_path / f"odd{RED}{TITLE}"
    odd.mkdir()
    (odd / "main.cf").write_text("x = y\n", encoding="utf-8")
    paths = {"PATH": tmp_path / "service.yaml", "OTHER": tmp_path / "other.yaml", "ODD": odd}
    for name, path in paths.items():
        words = tuple(word.replace(name, str(path)) for word in words)
    shown = _on_a_terminal(words, tmp_path)
    assert shown
    assert not {"\x1b", "\x07", "\x9b"} & set(shown), ascii(shown)


def _on_a_terminal(words: tuple[str, ...], folder: Path) -> str:
    master, terminal = pty.openpty()
    environment = {
        **os.environ,
        "NO_COLOR": "1",
        "TERM": "dumb",  # a slow machine shows a progress bar, which is not what is looked at here
        "HOME": str(folder),
        "SABIR_CACHE_DIR": str(folder / "cache"),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "sabir", *words],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    pieces: list[bytes] = []
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        pieces.append(piece)
    process.wait()
    os.close(master)
    return b"".join(pieces).decode("utf-8", "replace")


NASTY = "\x1b[31m\x9b\u202eevil\u2066\u061c\u2028\x7f\ufeff\xad"
PROJECT = f"""
name: demo
parts:
  files:
    language: resources
    model:
      resources:
        motd: {{kind: file, fields: {{path: motd, content: {json.dumps("Grüße " + NASTY)}}}}}
      operations:
        note: {{of: motd, about: {json.dumps(NASTY)}, run: {{it: {{kind: file, fields: {{path: x, content: y}}}}}}}}
"""
DOCUMENTS = (
    ("query", "service.yaml", "::*::p", "--format", "json"),
    ("query", "service.yaml", "::*::p", "--format", "yaml"),
    ("compile", "service.yaml", "--format", "json"),
    ("compile", "service.yaml", "--format", "yaml"),
    ("why", "service.yaml", "nasty.p", "--format", "json"),
    ("diff", "service.yaml", "other.yaml", "--format", "json"),
    ("impact", "service.yaml", "service.yaml:7", "--format", "json"),
    ("check", ".", "--format", "json"),
    ("check", ".", "--format", "sarif"),
    ("check", ".", "--format", "gitlab"),
    ("plan", "project", "--format", "json"),
    ("deploy", "project", "--yes", "--format", "json"),
    ("status", "project", "--format", "json"),
    ("history", "project", "--format", "json"),
    ("state", "list", "project", "--format", "json"),
    ("state", "show", "project", "files/motd"),
    ("state", "export", "project"),
    ("call", "project", "--list", "--format", "json"),
)


def test_documents_hold_nothing_invisible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SABIR_KEY", raising=False)
    template = (
        "tosca_definitions_version: tosca_simple_yaml_1_3\n"
        "node_types:\n  T: {derived_from: tosca.nodes.Root, properties: {p: {type: string}}}\n"
        "topology_template:\n  node_templates:\n    nasty:\n      type: T\n"
        f"      properties: {{p: {json.dumps('Grüße ' + NASTY)}}}\n"
    )
    Path("service.yaml").write_text(template, encoding="utf-8")
    Path("other.yaml").write_text(OTHER, encoding="utf-8")
    Path("broken.yaml").write_text(
        template + f"    {json.dumps('x' + NASTY)}: {{type: {json.dumps('T' + NASTY)}}}\n", encoding="utf-8"
    )
    Path("project").mkdir()
    Path("project/sabir.yaml").write_text(PROJECT, encoding="utf-8")
    for words in DOCUMENTS:
        assert main([*words]) in (0, 1, 3), words
        text = capfd.readouterr().out
        assert find_harmful(text) == set(), words
        assert text, words
        if "yaml" in words:
            assert yaml.safe_load(text)
            continue
        for document in text.splitlines() if words[0] == "deploy" else [text]:
            json.loads(document)
        if words[0] in ("query", "compile", "why"):
            assert "Grüße" in text, words
            assert "\\u009b\\u202eevil\\u2066" in text, words


@pytest.mark.parametrize(
    ("text", "painted", "expected"),
    [
        ("a\nb\tc", False, "a\nb\tc"),
        (f"{RED}a", False, "\\x1b[31ma"),
        (f"{RED}a\x1b[0m", True, f"{RED}a\x1b[0m"),
        (f"{TITLE}{RED}", True, f"\\x1b]0;pwned\\x07{RED}"),
        ("a\u061cb", False, "a\\x61cb"),
        ("a\x9b31m\u202eb", True, "a\\x9b31m\\x202eb"),
        ("a\r\nb\rc", False, "a\nb\\x0dc"),
    ],
)
def test_only_our_own_colours_are_left(text: str, painted: bool, expected: str) -> None:
    assert escape_control_lines(text, painted=painted) == expected
