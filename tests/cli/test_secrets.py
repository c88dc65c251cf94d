"""Secrets by reference: read when a step needs them, never stored, never shown."""

from __future__ import annotations

import base64
import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from sabir.cli.main import main

CANARY = "canary-8451"
ENVIRONMENT = """
name: demo
secrets:
  password: %s
targets:
  m: {driver: local, root: world}
parts:
  files:
    language: resources
    model:
      resources:
        one: {kind: file, target: m, fields: {path: one, content: {secret: password}, mode: "0600"}}
"""


class Service(BaseHTTPRequestHandler):
    """Vault and a cluster, as far as they are asked for one secret."""

    def do_GET(self) -> None:
        if self.path == "/v1/kv/data/shop/db" and self.headers["X-Vault-Token"] == "t0ken":
            self._answer(200, {"data": {"data": {"password": CANARY}}})
        elif self.path == "/api/v1/namespaces/shop/secrets/db":
            secret = {"password": base64.b64encode(CANARY.encode()).decode()}
            named = {"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "db", "namespace": "shop"}}
            self._answer(200, {**named, "data": secret})
        elif self.path == "/api/v1":
            kinds = [{"kind": "Secret", "name": "secrets", "namespaced": True}]
            self._answer(200, {"kind": "APIResourceList", "resources": kinds})
        else:
            self._answer(404, {"kind": "Status", "message": "not found", "reason": "NotFound"})

    def _answer(self, status: int, data: object) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(data).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  as the base class calls it
        pass


@pytest.fixture
def service() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SABIR_KEY", raising=False)
    monkeypatch.setenv("DB_PASSWORD", CANARY)
    monkeypatch.setenv("VAULT_TOKEN", "t0ken")
    (tmp_path / "world").mkdir()
    return tmp_path


def described(source: str) -> None:
    Path("sabir.yaml").write_text(ENVIRONMENT % source)


def deployed(*words: str) -> None:
    assert main(["deploy", ".", "--yes", *words]) == 0
    assert Path("world/one").read_text() == CANARY
    assert main(["plan", ".", *words]) == 0
    assert main(["status", ".", *words]) == 0


def test_from_the_environment(capsys: pytest.CaptureFixture[str]) -> None:
    described("{env: DB_PASSWORD}")
    assert main(["deploy", ".", "--yes"]) == 1
    assert "allow it with --trust env:DB_PASSWORD" in capsys.readouterr().err
    deployed("--trust", "env:DB_PASSWORD")


def test_from_a_file() -> None:
    Path("kept.txt").write_text(CANARY + "\n")
    described("{file: kept.txt}")
    deployed()


def test_from_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    described(f'{{command: [{sys.executable}, -c, \'print("{CANARY[:6]}" + "{CANARY[6:]}")\']}}')
    assert main(["deploy", ".", "--yes"]) == 1
    assert "--trust scripts" in capsys.readouterr().err
    deployed("--trust", "scripts")


def test_from_vault(
    service: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    described("{vault: {path: shop/db, mount: kv, field: password, address: '" + service + "'}}")
    assert main(["deploy", ".", "--yes"]) == 1
    assert "the token would go to" in capsys.readouterr().err
    monkeypatch.setenv("VAULT_ADDR", service)
    deployed()


def test_from_a_cluster(service: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("lightkube")
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u", "namespace": "shop"}}],
        "clusters": [{"name": "c", "cluster": {"server": service}}],
        "users": [{"name": "u", "user": {}}],
    }
    Path("kubeconfig").write_text(json.dumps(config))
    monkeypatch.setenv("KUBECONFIG", str(Path("kubeconfig").absolute()))
    described("{kubernetes: {name: db, key: password}}")
    deployed()


def test_it_is_stored_and_shown_nowhere(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    described("{env: DB_PASSWORD}")
    trust = ["--trust", "env:DB_PASSWORD"]
    main(["plan", ".", "--format", "json", *trust])
    deployed(*trust)
    Path("world/one").write_text("theirs")
    assert main(["status", ".", *trust]) == 3
    main(["status", ".", "--format", "json", *trust])
    main(["state", "show", ".", "files/one"])
    main(["state", "export", "."])
    main(["compile", "."])
    main(["history", ".", "--at", "1", "--format", "json"])
    assert main(["deploy", ".", "--repair", "--yes", *trust]) == 0
    assert Path("world/one").read_text() == CANARY
    shown = "".join(capsys.readouterr())
    assert "drifted" in shown
    assert CANARY not in shown
    from sabir.deployments.store.store import StateStore

    store = StateStore.open(".sabir/state.db", "demo")
    assert CANARY not in str(store.codec.read(store.records()["files/one"].desired))
    assert all(CANARY.encode() not in data for data in store.files(store.read_request(1)).values())
    store.close()
    for file in (folder / ".sabir").rglob("*"):
        assert not file.is_file() or CANARY.encode() not in file.read_bytes(), file


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("{enve: X}", "there is no provider 'enve': did you mean 'env'?"),
        ("{vault: {path: a}}", "it needs the field 'field'"),
        ("X", "needs one provider"),
        ("{file: gone.txt}", "gone.txt cannot be read: No such file or directory"),
        ("{file: /etc/hostname}", "leads out of the environment"),
        ("{env: NOT_SET_ANYWHERE}", "is not set"),
    ],
)
def test_what_cannot_be_had_is_said(source: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    described(source)
    assert main(["deploy", ".", "--yes", "--trust", "env"]) == 1
    assert words in capsys.readouterr().err


def test_a_name_that_is_not_described(capsys: pytest.CaptureFixture[str]) -> None:
    described("{env: X}")
    Path("sabir.yaml").write_text(
        Path("sabir.yaml").read_text().replace("secret: password", "secret: pasword")
    )
    assert main(["plan", "."]) == 1
    shown = capsys.readouterr().err
    assert "there is no secret 'pasword'" in shown
    assert "did you mean 'password'?" in shown


def test_in_the_settings_of_a_target() -> None:
    Path("where.txt").write_text("world\n")
    described("{env: DB_PASSWORD}\n  where: {file: where.txt}")
    text = Path("sabir.yaml").read_text()
    Path("sabir.yaml").write_text(text.replace("root: world", "root: {secret: where}"))
    deployed("--trust", "env:DB_PASSWORD")
