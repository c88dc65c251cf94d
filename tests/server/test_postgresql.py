"""The service with PostgreSQL as its database, and jobs that keep their state there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from sabir.server.app import create_app
from sabir.server.service import SabirService
from sabir.server.settings import ServerSettings
from sabir.server.store.tokens import Role
from tests.deployments.postgresql import postgresql, why_not
from tests.server.conftest import archive
from tests.server.test_environments import DESCRIPTION, ENVIRONMENTS
from tests.server.test_jobs import follow

pytestmark = [pytest.mark.slow, pytest.mark.skipif(why_not() is not None, reason=why_not() or "")]


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[TestClient[Litestar]]:
    with postgresql() as server:
        settings = ServerSettings(data=tmp_path, state=server.url)
        with TestClient(create_app(settings, SabirService(settings))) as connected:
            yield connected


def test_packages_environments_and_deployments(remote: TestClient[Litestar]) -> None:
    token = remote.app.state.service.tokens.create("admin", Role.ADMIN)[1]
    admin = {"Authorization": f"Bearer {token}"}
    stored = remote.post("/api/1/packages", content=archive(), headers=admin)
    assert stored.status_code == 201
    assert remote.post("/api/1/packages", content=archive(), headers=admin).status_code == 409
    found = remote.get("/api/1/packages", params={"search": "SERVER", "tag": "http"}, headers=admin).json()
    assert [package["id"] for package in found["packages"]] == [stored.json()["id"]]
    created = remote.post(ENVIRONMENTS, json={"name": "demo"}, headers=admin).json()
    where = f"{ENVIRONMENTS}/{created['id']}"
    remote.put(f"{where}/files/sabir.yaml", content=DESCRIPTION, headers=admin)
    told, job = follow(remote, admin, where, {"verb": "deploy"})
    assert job["state"] == "done", (job, told)
    (deployment,) = remote.get(f"{where}/history", headers=admin).json()
    assert deployment["state"] == "done"
    assert remote.get(f"{where}/graph", headers=admin).status_code == 200
    assert follow(remote, admin, where, {"verb": "destroy", "allow_delete": "all"})[1]["state"] == "done"
    assert remote.delete(where, headers=admin).status_code == 204
    assert remote.get("/api/1/audit", headers=admin).json()[0]["verb"] == "upload"
