"""Questions to the past, and the way back to it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sabir.cli.main import main
from sabir.operations.deployment.environment import EnvironmentRequest
from sabir.operations.deployment.stored_request import restore_request

TRUST = ("--trust", "scripts")
ENVIRONMENT = """
name: demo
targets:
  m: {driver: local, root: world}
parts:
  one:
    language: resources
    inputs: {greeting: hello}
    model:
      resources:
        port: {kind: command, target: m, results: [number], fields: {run: 'echo number=80 > $SABIR_OUTPUTS'}}
        url: {kind: file, target: m, fields: {path: url, content: {eval: {concat: ["x:", {eval: '::port::number'}]}}}}
        text: {kind: file, target: m, fields: {path: text, content: {file: text.txt}}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SABIR_KEY", raising=False)
    (tmp_path / "world").mkdir()
    (tmp_path / "sabir.yaml").write_text(ENVIRONMENT)
    (tmp_path / "text.txt").write_text("one")
    for before, after in (("", ""), ("number=80", "number=81"), ("x:", "y:")):
        change(before, after)
        assert main(["deploy", ".", "--yes", "--quiet", *TRUST]) == 0
    (tmp_path / "text.txt").write_text("two")
    return tmp_path


def change(before: str, after: str) -> None:
    file = Path("sabir.yaml")
    file.write_text(file.read_text().replace(before, after) if before else file.read_text())


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert main([*words]) in (0, 3)
    return capsys.readouterr().out


def test_a_value_that_was_observed_knows_when(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "observed (at step 1 of deployment 2)" in asked(capsys, "why", ".", "one/url.content")
    assert "observed (at step 1 of deployment 1)" in asked(capsys, "why", ".", "one/url.content", "--at", "1")
    assert "not known yet" in asked(capsys, "why", ".", "one/url.content", "--no-state")
    assert asked(capsys, "query", ".", "::one::url::.status") == "ok\n"
    assert asked(capsys, "query", ".", "::one::url::.status", "--no-state") == "absent\n"


def test_each_deployment_can_be_asked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    contents = [
        asked(capsys, "query", ".", "::one::url::content", "--at", str(number)) for number in (1, 2, 3)
    ]
    assert contents == ["x:80\n", "x:81\n", "y:81\n"]
    assert asked(capsys, "query", ".", "content", "--at", "one/text", "--at", "1") == "one\n"
    assert asked(capsys, "query", ".", "::one::text::content") == "two\n"
    graph = json.loads(asked(capsys, "compile", ".", "--at", "1"))
    assert "x:80" in json.dumps(graph)
    assert '"x:80" \u2192 "y:81"' in asked(capsys, "diff", ".", "--at", "1", "--at", "3")
    assert '"one" \u2192 "two"' in asked(capsys, "diff", ".", "--at", "3")
    assert main(["query", ".", "::one", "--at", "9"]) == 2
    assert main(["diff", ".", ".", "--at", "1"]) == 2


def test_when_it_became_true(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, "bisect", ".", "::one::url::[content=$c]", "--var", "c=y:81")
    assert found.startswith("true since deployment 3: deploy by ")
    assert "update one/url" in found
    assert "sabir.yaml:12:" in found
    data = asked(capsys, "bisect", ".", "::one::port::[number=$n]", "--var", "n='81'", "--format", "json")
    assert json.loads(data)["deployment"] == 2
    assert main(["bisect", ".", "::one::url::[content=$c]", "--var", "c=z"]) == 1


def test_back_to_an_earlier_deployment(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["plan", ".", "--at", "1", *TRUST]) == 3
    shown = capsys.readouterr()
    assert "cannot go back: one/port: what it did is not undone" in shown.err
    assert main(["deploy", ".", "--at", "1", "--yes", *TRUST]) == 0
    assert (folder / "world/url").read_text() == "x:80"
    assert (folder / "world/text").read_text() == "one"
    assert main(["plan", ".", "--at", "1", *TRUST]) == 0
    assert main(["plan", ".", *TRUST]) == 3
    assert main(["deploy", ".", "--yes", *TRUST]) == 0
    assert (folder / "world/text").read_text() == "two"


def test_inputs_are_kept_sealed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--input", "greeting=canary-99"]
    Path("alone.yaml").write_text(
        "sabir: resources/1\nresources:\n  a: {kind: file, fields: {path: a, content: {get_input: greeting}}}\n"
    )
    assert main(["deploy", "alone.yaml", "--yes", *words]) == 0
    with closing(sqlite3.connect(".sabir/state.db")) as connection:
        wish = connection.execute("select wish from sabir_deployment order by started desc").fetchone()[0]
    assert "alone.yaml" in wish
    assert "canary-99" not in wish
    assert main(["plan", "alone.yaml", "--at", "1", "--environment", "alone.yaml"]) == 0


def test_drift_says_where_both_values_come_from(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "world/url").write_text("theirs")
    capsys.readouterr()
    assert main(["status", ".", *TRUST]) == 3
    shown = capsys.readouterr().out
    assert "content: written y:81, there is theirs" in shown
    assert "(written by deployment 3 from sabir.yaml:12:9; seen now)" in shown
    assert "content: recorded one, wanted two (sabir.yaml:13:" in shown


@pytest.mark.parametrize("option", ["config", "model"])
@pytest.mark.parametrize("place", ["../outside.yaml", "../outside", "inside.yaml"])
def test_what_was_named_beside_the_description_is_kept(described: Path, option: str, place: str) -> None:
    """Also by a deployment that goes back: without its configuration the past would be another one."""
    named = Path(place)
    file = named if named.suffix else named / "ccp.yaml"
    file.parent.mkdir(exist_ok=True)
    file.write_text("then")
    assert main(["deploy", ".", "--yes", "-q", f"--{option}", place]) == 0
    file.write_text("now")
    change("v1", "v2")
    assert main(["deploy", ".", "--yes", "-q", f"--{option}", place]) == 0
    assert main(["deploy", ".", "--yes", "-q", "--at", "1"]) == 0
    for number, text in ((1, "then"), (2, "now"), (3, "then")):
        with restore_request(EnvironmentRequest(path=Path()), number) as request:
            assert request.path.name == "described"
            kept = getattr(request.evaluation, option)
            assert kept is not None
            assert (kept if kept.is_file() else kept / "ccp.yaml").read_text() == text


@pytest.fixture
def described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "described"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("SABIR_KEY", raising=False)
    Path("sabir.yaml").write_text(
        "name: demo\nparts:\n  a:\n    language: resources\n"
        "    model: {resources: {x: {kind: file, fields: {path: x, content: v1}}}}\n"
    )
    return folder


def test_search_paths_are_kept(described: Path, tmp_path: Path) -> None:
    places = [tmp_path / "first" / "lib", tmp_path / "second" / "lib", described / "inside"]
    for place in places:
        place.mkdir(parents=True)
        (place / "text").write_text(f"then {place.parent.name}")
    words = [word for place in places for word in ("--search-path", str(place))]
    assert main(["deploy", ".", "--yes", "-q", *words]) == 0
    for place in places:
        (place / "text").write_text("now")
    with restore_request(EnvironmentRequest(path=Path()), 1) as request:
        kept = request.evaluation.search_path
        assert [(place / "text").read_text() for place in kept] == [
            "then first",
            "then second",
            "then described",
        ]
        assert request.path.resolve() in kept[2].resolve().parents


def test_a_search_path_that_is_too_much_to_keep(
    described: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    library = tmp_path / "library"
    library.mkdir()
    for number in range(5):
        (library / str(number)).touch()
    monkeypatch.setattr("sabir.operations.deployment.stored_request._MOST_FILES", 4)
    words = ["--search-path", str(library)]
    assert main(["deploy", ".", "--yes", "-q", *words]) == 0
    capsys.readouterr()
    assert main(["compile", ".", "--at", "1"]) == 1
    assert "the search path of deployment 1 was not kept: " in capsys.readouterr().err
    assert main(["compile", ".", "--at", "1", *words]) == 0


def test_what_a_configuration_includes_is_kept(
    described: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = tmp_path / "site"
    (site / "more").mkdir(parents=True)
    config = site / "ccp.yaml"
    config.write_text("!include [more/a.yaml, ../far.yaml, missing.yaml]\n---\nx: 1\n")
    (site / "more" / "a.yaml").write_text("!include [b.yaml, ../ccp.yaml]\n")
    (site / "more" / "b.yaml").write_text("then")
    (tmp_path / "far.yaml").write_text("y: 1\n")
    assert main(["deploy", ".", "--yes", "-q", "--config", str(config)]) == 0
    (site / "more" / "b.yaml").write_text("now")
    with restore_request(EnvironmentRequest(path=Path()), 1) as request:
        kept = request.evaluation.config
        assert kept is not None
        assert (kept.parent / "more" / "b.yaml").read_text() == "then"
        files = sorted(str(file.relative_to(kept.parent)) for file in kept.parent.rglob("*.yaml"))
        assert files == ["ccp.yaml", "more/a.yaml", "more/b.yaml"]
    capsys.readouterr()
    assert main(["compile", ".", "--at", "1"]) == 0
    assert "which were not kept: ../far.yaml" in capsys.readouterr().err


def test_what_was_gone_back_to_can_be_undone(tmp_path: Path) -> None:
    """What undoes an operation is found also when the description of today has it no more."""
    log, folder = tmp_path / "log", tmp_path / "shop"
    folder.mkdir()
    (folder / "service.yaml").write_text(
        "tosca_definitions_version: tosca_simple_yaml_1_3\n"
        "topology_template:\n"
        "  node_templates:\n"
        "    app:\n"
        "      type: tosca.nodes.SoftwareComponent\n"
        "      interfaces: {Standard: {operations: {create: create.sh, delete: delete.sh}}}\n"
    )
    (folder / "create.sh").write_text(f"echo create >> {log}\n")
    (folder / "delete.sh").write_text(f"echo delete >> {log}\n")
    words = [str(folder), "--here", "--yes", "--trust", "scripts"]
    assert main(["deploy", *words]) == 0
    assert main(["deploy", *words, "--at", "1"]) == 0
    (folder / "delete.sh").unlink()
    assert main(["destroy", *words, "--allow-delete", "all"]) == 0
    assert log.read_text().split() == ["create", "delete"]
