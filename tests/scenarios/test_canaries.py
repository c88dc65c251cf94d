"""No secret stands in what any command writes, in any format, however broken the description is."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from sabir.cli.main import main
from tests.scenarios.canaries import MISTAKES, PLACES, SOUND, canary, leaks
from tests.support.files import write_files

RENDERED = (
    "start-order",
    "dependencies",
    "configuration",
    "mermaid",
    "dot",
    "svg",
    "inmanta-resources",
    "objectmodel",
)
CHECKED = (".", "vault.yaml", "model", "package", "component")
SUBJECTS = (
    "vault/vault.password",
    "vault/vault.pin",
    "vault/vault.token",
    "vault/vault.key",
    "vault/vault.user",
    "model/Thing/thing.text",
    "package/thing.text",
    "component/thing/main.env",
    "outputs.it",
)


def _formats(words: list[str], formats: str) -> Iterator[list[str]]:
    return ([*words, "--format", name] for name in formats.split())


COMMANDS = [
    *(
        words
        for path in CHECKED
        for words in _formats(["check", path], "text concise json yaml sarif github gitlab junit")
    ),
    *_formats(["compile", "."], "json yaml text dot mermaid svg html"),
    ["compile", ".", "--format", "text", "--origins"],
    *_formats(["query", ".", "::*::.name", "--why"], "text json yaml"),
    *(words for subject in SUBJECTS for words in _formats(["why", ".", subject], "text json mermaid")),
    *_formats(["impact", ".", "vault.yaml:7"], "text json"),
    *_formats(["diff", ".", "--set", "vault/vault.user=eve"], "text json markdown"),
    *_formats(["diff", ".", "--set", "vault/vault.password=x"], "text json markdown"),
    *(["render", ".", "--to", name] for name in RENDERED),
    *_formats(["plan", "."], "text json"),
]
BROKEN = [
    *_formats(["check", "."], "text json sarif github"),
    *(["check", path, "--format", "json"] for path in CHECKED[1:]),
    ["compile", "."],
    ["compile", ".", "--format", "html"],
    ["query", ".", "::*::.name", "--why"],
    ["why", ".", "vault/vault.password"],
    ["impact", ".", "vault.yaml:7"],
    ["diff", ".", "--set", "vault/vault.user=eve"],
    ["render", ".", "--to", "configuration"],
    ["plan", "."],
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SABIR_DEBUG", "1")
    monkeypatch.delenv("SABIR_KEY", raising=False)
    return write_files(tmp_path, SOUND)


def output(words: list[str]) -> str:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    err = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(words)
    assert status != 70, err.getvalue()
    out.seek(0)
    return out.read() + err.getvalue()


def shown(commands: list[list[str]]) -> list[str]:
    return [f"{' '.join(words)}: {', '.join(seen)}" for words in commands if (seen := leaks(output(words)))]


@pytest.mark.slow
def test_no_command_shows_a_secret(folder: Path) -> None:
    assert shown(COMMANDS) == []


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES)
def test_no_mistake_shows_a_secret(mistake: str, folder: Path) -> None:
    file, before, after = MISTAKES[mistake]
    assert before in SOUND[file]
    (folder / file).write_text(SOUND[file].replace(before, after))
    assert shown(BROKEN) == []


def test_a_kubernetes_secret_is_written_for_the_cluster(folder: Path) -> None:
    """Its data is what render is asked for; nothing else that is secret stands in what is rendered."""
    assert set(leaks(output(["render", ".", "--to", "kubernetes"]))) <= {
        "ccp-secret-config",
        "ccp-secret-data",
        "ccp-registry",
    }


def test_a_run_says_nothing_of_a_secret(folder: Path) -> None:
    """What a model holds for its run is no secret by itself; what marks it is heeded in what is said."""
    word = canary("murano-model")
    model = f'secrets: {{word: {word}}}\n"?": {{id: thing, type: test.Thing}}\nnumber: {word}\ntext: x\nitems: []\n'
    (folder / "model.yaml").write_text(model)
    said = output(["run", "package", "--model", "model.yaml"])
    assert "number" in said
    assert leaks(said) == []


def test_they_are_there(folder: Path) -> None:
    """What asks for values by name gets them: else nothing above would tell anything."""
    revealed = {
        place
        for words in (
            ["compile", ".", "--reveal"],
            ["render", ".", "--to", "configuration", "--option", "reveal=yes"],
        )
        for place in leaks(output(words))
    }
    assert revealed >= set(PLACES) - {"input-default"}, sorted(set(PLACES) - revealed)
    assert canary("property-value") in output(["query", ".", "::vault::vault::password", "--reveal"])


def test_what_is_kept_of_a_deployment(folder: Path) -> None:
    (folder / "sabir.yaml").write_text(
        f"parts:\n  files:\n    language: resources\n    model:\n      resources:\n"
        f"        secret: {{kind: file, fields: {{path: s, content: {{sensitive: {canary('resource-field')}}}}}}}\n"
    )
    shown_lines = [
        output(["plan", ".", "-o", "saved.plan"]),
        output(["deploy", ".", "--yes", "--format", "json"]),
    ]
    shown_lines += [output(["status", "."]), output(["history", "."])]
    assert [leaks(text) for text in shown_lines] == [[], [], [], []]
    assert (folder / ".sabir/world/s").read_text() == canary("resource-field")
    kept = [path for path in folder.rglob("*") if path.is_file() and "world" not in path.parts]
    assert {path.name for path in kept} >= {"saved.plan", "state.db"}
    assert {path.name for path in kept if leaks(path.read_bytes())} == {
        "sabir.yaml",
        "vault.yaml",
        "thing.yaml",
    }


WHOLE = [
    *_formats(["plan", "."], "text json"),
    *_formats(["deploy", ".", "--yes"], "text json"),
    *_formats(["status", "."], "text json"),
    *_formats(["history", "."], "text json"),
    *_formats(["history", ".", "--at", "1"], "text json"),
    *_formats(["state", "list", "."], "text json"),
    *_formats(["state", "show", ".", "files/secret"], "text json"),
    *_formats(["state", "export", "."], "text json"),
    *_formats(["plan", ".", "--destroy"], "text json"),
    *_formats(["destroy", ".", "--yes", "--allow-delete", "all"], "text json"),
    *_formats(["history", ".", "--at", "2"], "text json"),
]


@pytest.mark.slow
def test_a_whole_environment_is_deployed_in_silence(folder: Path) -> None:
    """All parts but the one that needs a cluster, from plan to destroy, and then with a target that refuses."""
    before, _, rest = SOUND["sabir.yaml"].partition("  component:\n")
    after = rest[rest.index("  files:\n") :]
    (folder / "sabir.yaml").write_text(before + after)
    assert shown(WHOLE) == []
    assert "files/secret" in output(["history", ".", "--at", "1"])
    (folder / "sabir.yaml").write_text((before + after).replace("path: secret", "path: ../../../secret"))
    assert shown(WHOLE) == []
