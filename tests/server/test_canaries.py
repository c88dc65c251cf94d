"""No secret of an environment stands in an answer of the service, in what it logs, or in clear in its files."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from sabir.server.app import create_app
from sabir.server.service import SabirService
from sabir.server.settings import ServerSettings
from sabir.server.store.tokens import Role
from tests.scenarios.canaries import SOUND, canary, leaks
from tests.server.test_jobs import follow

pytestmark = pytest.mark.slow
_ENVIRONMENTS = "/api/1/environments"
_SUBJECTS = (
    "vault/vault.password",
    "vault/vault.token",
    "model/Thing/thing.text",
    "package/thing.text",
    "files/secret.content",
)
_JOBS: tuple[dict[str, Any], ...] = (
    {"verb": "plan"},
    {"verb": "deploy", "inputs": {"unused": canary("input-given")}},
    {"verb": "deploy"},
    {"verb": "plan", "refresh": True},
    {"verb": "destroy", "allow_delete": "all"},
)


def _without_cluster() -> dict[str, str]:
    """All parts but the one that needs a cluster."""
    before, _, rest = SOUND["sabir.yaml"].partition("  component:\n")
    return {**SOUND, "sabir.yaml": before + rest[rest.index("  files:\n") :]}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[SabirService]:
    running = SabirService(ServerSettings(data=tmp_path))
    yield running
    running.close()


def test_no_answer_holds_one(service: SabirService, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    told: dict[str, str] = {}
    token = service.tokens.create("tester", Role.ADMIN)[1]
    headers = {"Authorization": f"Bearer {token}"}
    with caplog.at_level(logging.DEBUG), TestClient(create_app(service.settings, service)) as client:
        where = _filled(client, headers)
        for job in _JOBS:
            told[f"{job['verb']} job"] = repr(follow(client, headers, where, job))
            told |= _asked(client, headers, where)
    told["log"] = caplog.text
    assert {route: places for route, text in told.items() if (places := leaks(text))} == {}
    assert len(told) > 25
    kept = [
        file
        for file in tmp_path.rglob("*")
        if file.is_file() and "files" not in file.relative_to(tmp_path).parts
    ]
    assert {file.suffix for file in kept} >= {".db", ".log", ".out"}
    assert {
        str(file.relative_to(tmp_path)): places for file in kept if (places := leaks(file.read_bytes()))
    } == {}


def _filled(client: TestClient[Litestar], headers: dict[str, str]) -> str:
    created = client.post(_ENVIRONMENTS, json={"name": "canaries"}, headers=headers).json()
    where = f"{_ENVIRONMENTS}/{created['id']}"
    for name, text in _without_cluster().items():
        client.put(f"{where}/files/{name}", content=text, headers=headers)
    return where


def _asked(client: TestClient[Litestar], headers: dict[str, str], where: str) -> dict[str, str]:
    """Every route that reads, but the files themselves: who may edit them reads them."""
    routes = [
        "",
        "/drift",
        "/graph",
        "/graph.html",
        "/history",
        "/history/1",
        "/history/2",
        "/jobs",
        "/operations",
        "/plan",
    ]
    routes += ["/plan.html", "/status", "/files", "/impact?line=vault.yaml:7"]
    routes += [f"/why?subject={subject}" for subject in _SUBJECTS]
    jobs = client.get(f"{where}/jobs", headers=headers).json()
    listed = jobs["jobs"] if isinstance(jobs, dict) else jobs
    routes += [f"/jobs/{job['id']}{part}" for job in listed for part in ("", "/log")]
    told: dict[str, str] = {}
    for route in routes:
        answer = client.get(where + route, headers=headers)
        assert answer.status_code == 200 or route.startswith("/history/"), (route, answer.text)
        told[route] = answer.text
    for route in ("/api/1/audit", "/metrics", "/health", "/api/1/environments"):
        told[route] = client.get(route, headers=headers).text
    for expression in ("::*", "::vault::vault::password", "::files::secret::content"):
        told[expression] = client.post(
            f"{where}/query", json={"expression": expression}, headers=headers
        ).text
    changed = {"values": {"vault/vault.user": "eve", "vault/vault.password": "x"}}
    asked = client.post(f"{where}/what-if", json=changed, headers=headers)
    assert asked.status_code == 200, asked.text
    told["/what-if"] = asked.text
    return told
