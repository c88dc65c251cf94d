"""A machine that is away hides only what is on it."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from sabir.cli.main import main
from tests.deployments.sshd import Sshd

_DESCRIPTION = """\
name: two
targets:
  near: {near}
  far: {far}
parts:
  all:
    language: resources
    model:
      resources:
        a: {{kind: file, target: near, fields: {{path: a, content: hello}}}}
        b: {{kind: file, target: far, fields: {{path: b, content: hello}}}}
        c: {{kind: file, target: far, fields: {{path: c, content: hello}}}}
        d: {{kind: file, target: far, fields: {{path: d, content: {content}}}}}
"""


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port that is taken and on which nobody listens."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]


def test_what_is_on_it_is_planned_as_recorded(
    server: Sshd,
    closed_port: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for name in ("near", "far"):
        (tmp_path / name).mkdir()

    def describe(content: str, **others: object) -> None:
        near = json.dumps({"driver": "ssh", **server.settings(tmp_path / "near")})
        far = json.dumps({"driver": "ssh", **server.settings(tmp_path / "far", **others)})
        (tmp_path / "sabir.yaml").write_text(_DESCRIPTION.format(near=near, far=far, content=content))

    monkeypatch.chdir(tmp_path)
    describe("hello")
    assert main(["deploy", ".", "--yes"]) == 0
    describe("hello", port=closed_port)
    capfd.readouterr()

    assert main(["plan", ".", "--refresh"]) == 0
    shown = capfd.readouterr()
    assert shown.err.count("DEP:W007") == 1
    assert (
        f"not looked at: all/b and 2 more: target 'far' (127.0.0.1:{closed_port}): it cannot be reached"
        in shown.err
    )

    (tmp_path / "near" / "a").unlink()
    describe("changed", port=closed_port)
    assert main(["plan", ".", "--refresh", "--format", "json"]) == 3
    steps = json.loads(capfd.readouterr().out)["steps"]
    assert {(step["address"], step["action"]) for step in steps} == {("all/a", "create"), ("all/d", "update")}

    assert main(["status", ".", "--format", "json"]) == 3
    resources = json.loads(capfd.readouterr().out)["resources"]
    states = {each["address"]: (each["state"], each.get("message") or "") for each in resources}
    assert states["all/a"][0] == "gone"
    for address in ("all/b", "all/c", "all/d"):
        assert states[address][0] == "not readable"
        assert str(closed_port) in states[address][1]
