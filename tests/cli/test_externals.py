"""Other deployed environments, reached from expressions."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.cli.main import main

NETWORK = """
name: network
targets: {m: {driver: local, root: world}}
parts:
  net:
    language: resources
    model:
      resources:
        lan: {kind: command, target: m, results: [cidr], fields: {run: 'echo cidr=10.0.0.0/24 > $SABIR_OUTPUTS'}}
        motd: {kind: file, target: m, fields: {path: motd, content: hello}}
"""
SHOP = """
name: shop
externals: {network: ../network}
parts:
  web:
    language: resources
    model:
      resources:
        conf: {kind: file, fields: {path: conf, content: {eval: {external: network}, select: '::net::lan::cidr'}}}
        text: {kind: file, fields: {path: text, content: {eval: {external: network}, select: '::net::motd::content'}}}
"""
TRUST = ("--trust", "scripts")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("SABIR_KEY", raising=False)
    for name, text in (("network", NETWORK), ("shop", SHOP)):
        (tmp_path / name / "world").mkdir(parents=True)
        (tmp_path / name / "sabir.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_was_last_deployed_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    outside = ("--trust", "outside")
    assert main(["plan", "shop"]) == 1
    assert "--trust outside" in capsys.readouterr().err
    assert main(["plan", "shop", *outside]) == 1
    assert "nothing is deployed at" in capsys.readouterr().err
    assert main(["deploy", "network", "--yes", *TRUST]) == 0
    Path("network/sabir.yaml").write_text(NETWORK.replace("hello", "not deployed yet"))
    assert main(["deploy", "shop", "--yes", *outside]) == 0
    assert Path("shop/.sabir/world/conf").read_text() == "10.0.0.0/24"
    assert Path("shop/.sabir/world/text").read_text() == "hello"
    capsys.readouterr()
    assert main(["query", "shop", "::web::conf::content", *outside]) == 0
    assert capsys.readouterr().out == "10.0.0.0/24\n"


def test_a_check_does_not_blame_what_it_may_not_reach(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "shop"]) == 0, capsys.readouterr().out
    assert main(["compile", "shop"]) == 1
    assert "--trust outside" in capsys.readouterr().err
