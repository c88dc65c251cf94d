"""Questions on a terminal: one line, a visible cursor, No by default, and a clean end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sabir.cli.main import main
from tests.cli.terminal import END_OF_INPUT, INTERRUPT, run_in_terminal

ENVIRONMENT = """
name: shop
targets:
  m: {driver: local, root: world}
parts:
  files:
    language: resources
    model:
      resources:
        etc: {kind: directory, target: m, fields: {path: etc}}
        motd: {kind: file, target: m, fields: {path: etc/motd, content: hello}, requires: [etc]}
      operations:
        note:
          of: motd
          events: [nightly]
          run: {it: {kind: command, target: m, fields: {run: 'echo noted > noted'}}}
        count:
          of: motd
          events: [nightly]
          run: {it: {kind: command, target: m, fields: {run: 'echo 1 > counted'}}}
"""
DEPLOY = "Apply these 2 changes? [y/N] "
DESTROY = "This deletes all 2 resources of 'shop'. Type 'shop' to confirm: "
TRUST = ("--trust", "scripts")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "sabir.yaml").write_text(ENVIRONMENT)
    (tmp_path / "world").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SABIR_KEY", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("answer", "code", "ending"),
    [
        ("y\n", 0, "deployment 1 done: 2 done\n"),
        ("YES\n", 0, "deployment 1 done: 2 done\n"),
        ("n\n", 1, f"{DEPLOY}n\nnothing was done\n"),
        ("\n", 1, f"{DEPLOY}\nnothing was done\n"),
        (END_OF_INPUT, 1, f"{DEPLOY}\nnothing was done\n"),
        (INTERRUPT, 130, f"{DEPLOY}^C\nsabir: stopped\n"),
    ],
)
def test_deploy_asks_on_one_line_with_the_cursor_visible(
    folder: Path, answer: str, code: int, ending: str
) -> None:
    with run_in_terminal("deploy", ".", folder=folder) as terminal:
        terminal.wait_for(f"2 to create\n{DEPLOY}")
        assert terminal.is_cursor_visible
        terminal.send(answer)
        assert terminal.finish() == code
    assert terminal.text.endswith(ending)
    assert terminal.text.count(DEPLOY) == 1
    assert terminal.is_cursor_visible
    assert (folder / "world/etc/motd").exists() is (code == 0)


@pytest.mark.parametrize(
    ("columns", "variables"),
    [(40, {}), (100, {"NO_COLOR": "1"}), (100, {"TERM": "dumb"}), (100, {"LC_ALL": "C"})],
)
def test_every_terminal_shows_the_question(folder: Path, columns: int, variables: dict[str, str]) -> None:
    with run_in_terminal("deploy", ".", folder=folder, columns=columns, variables=variables) as terminal:
        terminal.wait_for(DEPLOY)
        assert terminal.is_cursor_visible
        terminal.send("y\n")
        assert terminal.finish() == 0


def test_an_unclear_answer_is_asked_for_again(folder: Path) -> None:
    with run_in_terminal("deploy", ".", folder=folder) as terminal:
        terminal.wait_for(DEPLOY)
        terminal.send("perhaps\n")
        terminal.wait_for(f"{DEPLOY}perhaps\n{DEPLOY}")
        terminal.send("no\n")
        assert terminal.finish() == 1


def test_one_change_is_one_change(folder: Path) -> None:
    assert main(["deploy", ".", "--yes", *TRUST]) == 0
    (folder / "sabir.yaml").write_text(ENVIRONMENT.replace("hello", "good day"))
    with run_in_terminal("deploy", ".", folder=folder) as terminal:
        terminal.wait_for("Apply this change? [y/N] ")
    with run_in_terminal("deploy", ".", "--repair", folder=folder) as terminal:
        terminal.wait_for("Apply this change, check 1 resource and repair drift? [y/N] ")
    (folder / "sabir.yaml").write_text(ENVIRONMENT)
    with run_in_terminal("deploy", ".", "--repair", folder=folder) as terminal:
        terminal.wait_for("Check 2 resources and repair drift? [y/N] ")


@pytest.mark.parametrize(
    ("answer", "code"), [("shop\n", 0), ("shops\n", 1), ("\n", 1), (END_OF_INPUT, 1), (INTERRUPT, 130)]
)
def test_destroy_asks_for_the_name_and_shows_no_error(folder: Path, answer: str, code: int) -> None:
    assert main(["deploy", ".", "--yes", *TRUST]) == 0
    with run_in_terminal("destroy", ".", *TRUST, folder=folder) as terminal:
        terminal.wait_for(f"2 to delete\n{DESTROY}")
        assert "--allow-delete" not in terminal.text
        assert terminal.is_cursor_visible
        terminal.send(answer)
        assert terminal.finish() == code
    assert (folder / "world/etc/motd").exists() is (code != 0)


def test_a_share_of_the_resources_and_the_only_one(folder: Path) -> None:
    assert main(["deploy", ".", "--yes"]) == 0
    with run_in_terminal("destroy", ".", "--target", "files/motd", folder=folder) as terminal:
        terminal.wait_for("This deletes 1 of 2 resources of 'shop'. Type 'shop' to confirm: ")
        terminal.send("shop\n")
        assert terminal.finish() == 0
    with run_in_terminal("destroy", ".", folder=folder) as terminal:
        terminal.wait_for("This deletes the only resource of 'shop'. Type 'shop' to confirm: ")


@pytest.mark.parametrize(
    ("words", "question"),
    [
        (("call", ".", "motd.note"), "Run files/motd.note? [y/N] "),
        (("notify", ".", "nightly"), "Run these 2 operations? [y/N] "),
    ],
)
def test_call_and_notify_ask_for_operations(folder: Path, words: tuple[str, ...], question: str) -> None:
    assert main(["deploy", ".", "--yes", *TRUST]) == 0
    for answer, code in (("\n", 1), (INTERRUPT, 130), ("y\n", 0)):
        with run_in_terminal(*words, *TRUST, folder=folder) as terminal:
            terminal.wait_for(question)
            assert terminal.is_cursor_visible
            assert not (folder / "world/noted").exists()
            terminal.send(answer)
            assert terminal.finish() == code
    assert (folder / "world/noted").exists()


WAVES = """
name: shop
targets:
  m: {driver: local, root: world}
parts:
  a:
    language: resources
    model:
      resources:
        first: {kind: command, target: m, results: [n], fields: {run: 'echo n=1 > $SABIR_OUTPUTS'}}
  b:
    path: b.yaml
    inputs: {n: {eval: {concat: ["7", {eval: '::a::first::n'}]}}}
  c:
    language: resources
    model:
      resources:
        last: {kind: file, target: m, fields: {path: {eval: '::b::node::size'}, content: a}}
"""
TEMPLATE = """
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Sized: {derived_from: tosca.nodes.Root, properties: {size: {type: string, constraints: [{pattern: '[0-9]+'}]}}}
topology_template:
  inputs: {n: {type: string}}
  node_templates:
    node: {type: Sized, properties: {size: {get_input: n}}}
"""


@pytest.mark.parametrize(
    ("answer", "code", "state"), [("y\n", 0, "done"), ("n\n", 1, "failed"), (INTERRUPT, 130, "interrupted")]
)
def test_a_second_wave_that_deletes_is_confirmed_again(
    folder: Path, answer: str, code: int, state: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "sabir.yaml").write_text(WAVES)
    (folder / "b.yaml").write_text(TEMPLATE)
    assert main(["deploy", ".", "--yes", *TRUST]) == 0
    (folder / "sabir.yaml").write_text(WAVES.replace("n=1", "n=2"))
    with run_in_terminal("deploy", ".", *TRUST, folder=folder) as terminal:
        terminal.wait_for("Apply this change? [y/N] ")
        terminal.send("y\n")
        terminal.wait_for("1 to replace; 1 as it should be\nApply this change? [y/N] ")
        assert terminal.is_cursor_visible
        terminal.send(answer)
        assert terminal.finish() == code
    assert terminal.is_cursor_visible
    assert (folder / "world/71").exists() is (code != 0)
    capsys.readouterr()
    assert main(["history", ".", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["deployments"][-1]["state"] == state


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["deploy", "."], "  help: pass --yes to apply without confirmation\n"),
        (["destroy", "."], "  help: pass --yes --allow-delete all to apply without confirmation\n"),
    ],
)
def test_without_a_terminal_nothing_is_asked(
    folder: Path, words: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if words[0] == "destroy":
        assert main(["deploy", ".", "--yes"]) == 0
    capsys.readouterr()
    assert main(words) == 2
    expected = "sabir: cannot ask for confirmation: stdin is not a terminal\n" + hint
    assert capsys.readouterr().err.endswith(expected)


def test_quiet_requires_yes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["deploy", "."], ["destroy", "."], ["call", ".", "motd.note"], ["notify", ".", "nightly"]):
        assert main([*words, "--quiet"]) == 2
        assert capsys.readouterr().err.startswith("sabir: --quiet requires --yes\n  help: ")
    assert main(["deploy", ".", "--quiet", "--yes"]) == 0


def test_json_events_are_not_mixed_with_the_question(folder: Path) -> None:
    with (
        (folder / "events").open("w") as events,
        run_in_terminal("deploy", ".", "--format", "json", folder=folder, stdout=events.fileno()) as terminal,
    ):
        terminal.wait_for(f"2 to create\n{DEPLOY}")
        terminal.send("y\n")
        assert terminal.finish() == 0
    lines = (folder / "events").read_text().splitlines()
    assert [json.loads(line)["event"] for line in (lines[0], lines[-1])] == ["plan", "end"]


FORM = """
Version: 2.1
Application: {'?': {type: demo.Root}, host: $.conf.host, secret: $.conf.secret}
Forms:
  - conf:
      fields:
        - {name: host, type: string, label: "Host \\e[31m", initial: a}
        - {name: secret, type: password, label: Secret, confirmInput: false}
"""


@pytest.fixture
def package(folder: Path) -> Path:
    package = folder / "package"
    (package / "UI").mkdir(parents=True)
    (package / "Classes").mkdir()
    (package / "UI/ui.yaml").write_text(FORM)
    (package / "Classes/Root.yaml").write_text(
        "Namespaces: {=: demo}\nName: Root\n"
        "Properties: {host: {Contract: $.string()}, secret: {Contract: $.string()}}\n"
    )
    (package / "manifest.yaml").write_text(
        "Format: 1.4\nType: Application\nFullName: demo.Root\nName: Demo\nClasses: {demo.Root: Root.yaml}\n"
    )
    return package


def test_questions_of_a_form(package: Path) -> None:
    with (
        (package.parent / "model").open("w") as out,
        run_in_terminal("model", str(package), folder=package.parent, stdout=out.fileno()) as terminal,
    ):
        terminal.wait_for("conf.host: Host \\x1b[31m [a]: ")
        assert "\x1b" not in terminal.output  # a package does not steer the terminal
        terminal.send("web\n")
        terminal.wait_for("conf.secret: Secret: ")
        terminal.send("Hush-4711\n")
        assert terminal.finish() == 0, terminal.text
    assert "Hush" not in terminal.text
    model = json.loads((package.parent / "model").read_text())
    assert (model["host"], model["secret"]) == ("web", "Hush-4711")


@pytest.mark.parametrize("answer", [END_OF_INPUT, INTERRUPT])
@pytest.mark.parametrize("is_secret", [False, True])
def test_an_end_in_a_form(package: Path, answer: str, is_secret: bool) -> None:
    with run_in_terminal("model", str(package), folder=package.parent) as terminal:
        terminal.wait_for("[a]: ")
        if is_secret:
            terminal.send("web\n")
            terminal.wait_for("Secret: ")
        terminal.send(answer)
        assert terminal.finish() == 130
    assert terminal.text.endswith("\nsabir: stopped\n")
