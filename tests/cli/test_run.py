"""`sabir run`: methods of loaded models from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sabir.cli.main import main

MANIFEST = """\
Format: MuranoPL/1.4
Type: Application
FullName: demo.shop
Name: Shop
Classes:
  demo.Shop: Shop.yaml
"""
CLASSES = """\
Namespaces:
  =: demo
  std: io.murano
Name: Shop
Extends: std:Application
Properties:
  port:
    Contract: $.int().notNull()
  part:
    Contract: $.class(Part)
  runs:
    Contract: $.int()
    Usage: Out
    Default: 0
  secret:
    Contract: $.string()
    Usage: Config
    Default: none
Methods:
  deploy:
    Body:
      - $.runs: $.runs + 1
      - Return: format('port {0}', $.port)
  twice:
    Usage: Action
    Arguments:
      - n:
          Contract: $.int().notNull()
    Body:
      - Return: $n * 2
  tell:
    Scope: Public
    Body:
      - Return: $.secret
  fail:
    Scope: Public
    Body:
      - $.inner()
  inner:
    Body:
      - Throw: broken
        Message: no more
  total:
    Usage: Static
    Scope: Public
    Body:
      - Return: 42
---
Name: Part
Methods:
  ping:
    Scope: Public
    Body:
      - logger(parts).info('pinged {0}', id($this))
      - Return: pong
"""
MODEL = {
    "?": {"id": "root", "type": "demo.Shop"},
    "port": "80",
    "part": {"?": {"id": "p1", "type": "demo.Part", "name": "the part"}},
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / "Classes").mkdir(parents=True)
    (folder / "manifest.yaml").write_text(MANIFEST)
    (folder / "Classes" / "Shop.yaml").write_text(CLASSES)
    (tmp_path / "model.json").write_text(json.dumps(MODEL))
    return folder


def run(*words: str | Path) -> int:
    return main([str(word) for word in words])


def answer(capfd: pytest.CaptureFixture[str]) -> Any:
    data = json.loads(capfd.readouterr().out)
    assert data["format"] == "sabir.run/1"
    return data["result"]


@pytest.mark.rows("M-033", "M-192", "M-193")
@pytest.mark.parametrize("form", ["json", "yaml"])
def test_deploy_of_the_root_by_default(shop: Path, form: str, capfd: pytest.CaptureFixture[str]) -> None:
    model = shop.parent / f"model.{form}"
    model.write_text(
        json.dumps(MODEL) if form == "json" else "'?': {id: root, type: demo.Shop}\nport: '80'\n"
    )
    assert run("run", shop, "--model", model) == 0
    assert answer(capfd) == "port 80"


@pytest.mark.rows("M-124", "M-140", "M-143")
@pytest.mark.parametrize(
    ("words", "result"),
    [
        (["--call", "twice", "--arg", "n=4"], 8),
        (["--call", "root.twice", "--arg", "n='4'"], 8),
        (["--call", "p1.ping"], "pong"),
        (["--call", "the part.ping"], "pong"),
        (["--call", "demo.Shop.total"], 42),
        (["--call", "tell"], "none"),
    ],
)
def test_exposed_methods(
    shop: Path, words: list[str], result: object, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run("run", shop, "--model", shop.parent / "model.json", *words) == 0
    assert answer(capfd) == result


@pytest.mark.rows("M-124", "M-144")
def test_a_session_method_is_refused(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run("run", shop, "--model", shop.parent / "model.json", "--call", "inner") == 1
    assert "method 'inner' of demo.Shop 'root' cannot be called from outside" in capfd.readouterr().err


@pytest.mark.rows("M-188")
def test_an_uncaught_exception_shows_name_message_and_stack(
    shop: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run("run", shop, "--model", shop.parent / "model.json", "--call", "fail") == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert "MRUN:E022 demo.broken: no more" in err
    assert "in demo.Shop.fail" in err
    assert "in demo.Shop.inner" in err
    assert "Traceback" not in err


def test_reports_go_to_stderr(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run("run", shop, "--model", shop.parent / "model.json", "--call", "p1.ping") == 0
    assert capfd.readouterr().err == "info: parts: pinged p1\n"


def test_the_memory_of_the_last_run(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    state = shop.parent / "state.json"
    assert run("run", shop, "--model", shop.parent / "model.json", "--save", state) == 0
    assert run("run", shop, "--model", state, "--save", state) == 0
    kept = json.loads(state.read_text())
    assert sorted(kept) == ["Attributes", "Objects", "ObjectsCopy"]
    assert kept["Objects"]["runs"] == 2


@pytest.mark.rows("M-102", "M-103")
def test_class_configuration_from_an_ini_file(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    configs = shop.parent / "configs"
    configs.mkdir()
    (configs / "demo.Shop.yaml").write_text("secret: told\n")
    ini = shop.parent / "murano.conf"
    ini.write_text("[engine]\nclass_configs = configs\n")
    for config in (ini, configs):
        words = ["--config", str(config), "--call", "tell"]
        assert run("run", shop, "--model", shop.parent / "model.json", *words) == 0
        assert answer(capfd) == "told"


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        ("[rabbitmq]\nhost = broker\n", 0, ""),
        ("host = broker\n", 2, "is no ini file"),
        ("[rabbitmq]\nport = many\n", 2, "[rabbitmq] port is a number, not 'many'"),
    ],
)
def test_settings_of_the_engine(
    shop: Path, text: str, status: int, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    ini = shop.parent / "murano.conf"
    ini.write_text(text)
    model = shop.parent / "model.json"
    assert run("run", shop, "--model", model, "--config", ini) == status
    assert words in capfd.readouterr().err


@pytest.mark.rows("M-194")
def test_a_model_is_edited_from_the_command_line(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run("run", shop, "--model", shop.parent / "model.json", "--set", "root.port=8080") == 0
    assert answer(capfd) == "port 8080"
    assert run("run", shop, "--model", shop.parent / "model.json", "--input", "port=81") == 0
    assert answer(capfd) == "port 81"
    assert run("run", shop, "--model", shop.parent / "model.json", "--set", "roof.port=1") == 2
    assert "did you mean 'root'?" in capfd.readouterr().err


def test_an_endless_loop_is_stopped(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (shop / "Classes" / "Shop.yaml").write_text(
        "Name: demo.Shop\nMethods:\n  deploy:\n    Body:\n      - While: 1 = 1\n        Do:\n          - $x: 1\n"
    )
    model = shop.parent / "model.yaml"
    model.write_text("'?': {type: demo.Shop}\n")
    assert run("run", shop, "--model", model, "--step-limit", "1000") == 1
    assert "the run took more than 1,000 steps" in capfd.readouterr().err
    assert run("run", shop, "--model", model, "--time-limit", "0.05") == 1
    assert "the run took longer than 0.05 seconds" in capfd.readouterr().err


def test_render_and_why(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run("why", shop, "--model", shop.parent / "model.json", "root.port") == 0
    assert "contract conversion" in capfd.readouterr().out


@pytest.mark.rows("M-116", "M-119")
def test_a_recorded_stack_is_shown(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (shop / "Classes" / "Shop.yaml").write_text(
        "Namespaces: {=: demo, sys: io.murano.system}\nName: Shop\nMethods:\n  deploy:\n    Body:\n"
        "      - $s: new(sys:HeatStack, $this, name => own)\n"
        "      - $s.updateTemplate({resources => {b => {type => one}}})\n"
        "      - $s.updateTemplate({resources => {c => {type => two}}})\n      - $s.push()\n"
        "      - If: $.fails\n        Then:\n          - Throw: Broken\n"
        "Properties:\n  fails: {Contract: $.bool()}\n"
    )
    model = shop.parent / "model.yaml"
    model.write_text("'?': {type: demo.Shop}\n")
    assert run("run", shop, "--model", model, "--record") == 0
    (action,) = json.loads(capfd.readouterr().out)["actions"]
    assert (action["action"], action["stack"]) == ("heat.create", "own")
    assert action["template"]["resources"] == {"b": {"type": "one"}, "c": {"type": "two"}}
    model.write_text("'?': {type: demo.Shop}\nfails: true\n")
    assert run("run", shop, "--model", model, "--record") == 1
    out, err = capfd.readouterr()
    assert [action["action"] for action in json.loads(out)["actions"]] == ["heat.create"], "as far as it came"
    assert "demo.Broken" in err
    assert run("run", shop, "--model", model) == 1
    assert "MRUN:E030 heat.create needs a cloud" in capfd.readouterr().err


def test_a_model_without_objects_takes_everything_away(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (shop / "Classes" / "Shop.yaml").write_text(
        "Namespaces: {=: demo, sys: io.murano.system}\nName: Shop\nMethods:\n  deploy:\n  .destroy:\n    Body:\n"
        "      - $s: new(sys:HeatStack, $this, name => own)\n"
        "      - $s.setTemplate({resources => {b => {type => one}}})\n      - $s.delete()\n"
    )
    state = shop.parent / "state.yaml"
    state.write_text("Objects: null\nObjectsCopy: {'?': {id: shop, type: demo.Shop}}\nAttributes: []\n")
    assert run("run", shop, "--model", state, "--record", "--save", state) == 0
    (action,) = json.loads(capfd.readouterr().out)["actions"]
    assert (action["action"], action["stack"]) == ("heat.delete", "own")
    assert json.loads(state.read_text())["ObjectsCopy"] is None
    assert run("compile", shop, "--model", state) == 1
    assert run("run", shop, "--model", state) == 1, "nothing is left to remove"
