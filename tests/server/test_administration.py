from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from sabir.server.app import create_app
from sabir.server.settings import ServerSettings
from sabir.server.store.tokens import Role

Headers = Callable[..., dict[str, str]]


def test_tokens_are_given_out_used_and_revoked(client: TestClient[Litestar], headers: Headers) -> None:
    admin = headers()
    wanted = {"name": "ci", "role": "operator", "verbs": ["read"], "days": 3}
    created = client.post("/api/1/tokens", json=wanted, headers=admin).json()
    assert created["info"]["expires"] > created["info"]["created"]
    theirs = {"Authorization": f"Bearer {created['token']}"}
    assert client.get("/api/1/packages", headers=theirs).status_code == 200
    assert client.post("/api/1/packages", headers=theirs).status_code == 403
    assert client.get("/api/1/tokens", headers=theirs).status_code == 403
    (info,) = [
        info
        for info in client.get("/api/1/tokens", headers=admin).json()
        if info["id"] == created["info"]["id"]
    ]
    assert info["used"] is not None
    assert client.delete(f"/api/1/tokens/{info['id']}", headers=admin).status_code == 204
    assert client.delete(f"/api/1/tokens/{info['id']}", headers=admin).status_code == 404
    assert client.get("/api/1/packages", headers=theirs).status_code == 401
    noted = [line["verb"] for line in client.get("/api/1/audit?limit=1000", headers=admin).json()]
    assert {"create token", "revoke token"} <= set(noted)
    assert client.get("/api/1/audit", headers=headers(Role.OPERATOR)).status_code == 403


@pytest.mark.parametrize(
    "wanted",
    [{}, {"name": ""}, {"name": "x", "role": "king"}, {"name": "x", "days": 0}, {"name": "x", "extra": 1}],
)
def test_tokens_that_make_no_sense(
    client: TestClient[Litestar], headers: Headers, wanted: dict[str, object]
) -> None:
    assert client.post("/api/1/tokens", json=wanted, headers=headers()).status_code == 400


def test_metrics(client: TestClient[Litestar], headers: Headers) -> None:
    client.get("/api/1/packages", headers=headers())
    text = client.get("/metrics", headers=headers(Role.READER)).text
    assert 'sabir_requests_total{method="GET",route="/api/1/packages",status="200"}' in text
    assert 'sabir_jobs{state="waiting"} 0.0' in text
    assert client.get("/metrics").status_code == 401


def test_headers_keep_others_out(client: TestClient[Litestar]) -> None:
    policy = client.get("/health").headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy


def test_options_are_told_without_a_token(client: TestClient[Litestar]) -> None:
    assert client.options("/api/1/tokens").status_code == 204


@pytest.fixture
def small(tmp_path: Path) -> TestClient[Litestar]:
    settings = ServerSettings(data=tmp_path, upload_limit=2000, body_limit=1000, requests_a_minute=5)
    return TestClient(create_app(settings))


def test_large_bodies_and_many_requests_are_refused(small: TestClient[Litestar]) -> None:
    with small:
        token = small.app.state.service.tokens.create("x", Role.ADMIN)[1]
        headers = {"Authorization": f"Bearer {token}"}
        assert small.post("/api/1/packages", content=b"x" * 1500, headers=headers).status_code == 400
        assert small.post("/api/1/packages", content=b"x" * 2500, headers=headers).status_code == 413
        large = {"name": "x" * 1500}
        assert small.post("/api/1/categories", json=large, headers=headers).status_code == 413
        answers = [small.get("/health").status_code for _ in range(4)]
        assert answers[-1] == 429


def test_the_openapi_document_names_every_route(client: TestClient[Litestar]) -> None:
    document = client.get("/api/1/schema/openapi.json").json()
    assert "/api/1/environments/{environment_id}/jobs/{job_id}/events" in document["paths"]
    unnamed = [
        (path, method)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if not operation.get("tags")
    ]
    assert unnamed == []


def test_an_address_that_leads_nowhere_tells_where_the_api_is(client: TestClient[Litestar]) -> None:
    answer = client.get("/v1/nothing")
    assert answer.status_code == 404
    assert answer.json()["error"]["message"].endswith("/api/1/schema/openapi.json describes the API")
