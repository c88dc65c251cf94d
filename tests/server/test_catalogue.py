from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from sabir.server.service import SabirService
from sabir.server.store.tokens import Role, Verb
from tests.server.conftest import MANIFEST, PACKAGE, archive

Headers = Callable[..., dict[str, str]]
PACKAGES = "/api/1/packages"


@pytest.mark.rows("V-137", "V-138", "V-140")
def test_a_package_with_errors_is_not_stored(client: TestClient[Litestar], headers: Headers) -> None:
    admin = headers()
    manifest = MANIFEST.replace("Type: Application", "Type: Aplication").replace(
        "\nName: Web", "\nName: Broken"
    )
    broken = {**PACKAGE, "manifest.yaml": manifest}
    answer = client.post(PACKAGES, content=archive(broken), headers=admin)
    assert answer.status_code == 400
    body = answer.json()
    assert body["message"].startswith("the package has 1 error")
    finding = next(finding for finding in body["findings"] if finding["severity"] == "error")
    assert (finding["code"], finding["file"], finding["line"]) == ("MAN:E071", "manifest.yaml", 2)
    assert finding["message"] == "Type cannot be 'Aplication'"
    assert finding["hint"] == "did you mean 'Application'?"
    assert client.get(PACKAGES, params={"search": "Broken"}, headers=admin).json()["packages"] == []


def test_a_package_is_stored_found_changed_and_removed(
    client: TestClient[Litestar], headers: Headers
) -> None:
    admin = headers()
    sent = archive()
    stored = client.post(PACKAGES, content=sent, params={"category": "Web"}, headers=admin).json()
    assert (stored["full_name"], stored["tags"], stored["categories"]) == (
        "org.example.Web",
        ["web", "http"],
        ["Web"],
    )
    where = f"{PACKAGES}/{stored['id']}"
    for search in ({"search": "SERVER"}, {"tag": "http"}, {"category": "Web"}):
        found = client.get(PACKAGES, params=search, headers=admin).json()["packages"]
        assert [package["id"] for package in found] == [stored["id"]]
    assert client.get(f"{where}/archive", headers=admin).content == sent
    assert client.get(f"{where}/icon", headers=admin).status_code == 200
    again = client.post(PACKAGES, content=sent, headers=admin)
    assert again.status_code == 409
    assert again.json()["error"]["message"] == "org.example.Web 0.0.0 is in the catalogue already"
    assert client.patch(where, json={"tags": ["a"]}, headers=admin).json()["tags"] == ["a"]
    assert client.delete(where, headers=admin).status_code == 204
    assert client.get(where, headers=admin).status_code == 404


@pytest.mark.parametrize(
    "body",
    [b"", b"no zip", archive()[:-30], archive({"a.txt": "x"})],
    ids=["empty", "no zip", "cut short", "in no language"],
)
def test_what_is_no_package_is_refused(client: TestClient[Litestar], headers: Headers, body: bytes) -> None:
    answer = client.post(PACKAGES, content=body, headers=headers())
    assert answer.status_code == 400
    assert answer.json()["message"]


@pytest.mark.parametrize(
    ("role", "limits", "method", "status"),
    [
        (Role.READER, {}, "GET", 200),
        (Role.READER, {}, "POST", 403),
        (Role.OPERATOR, {"verbs": (Verb.READ,)}, "POST", 403),
        (Role.ADMIN, {"lifetime": timedelta(seconds=-1)}, "GET", 401),
    ],
)
def test_tokens_limit(
    client: TestClient[Litestar],
    headers: Headers,
    role: Role,
    limits: dict[str, object],
    method: str,
    status: int,
) -> None:
    answer = client.request(method, PACKAGES, headers=headers(role, **limits))
    assert answer.status_code == status


def test_tokens_are_kept_as_digests(service: SabirService) -> None:
    info, secret = service.tokens.create("kept", Role.READER)
    with service.database.engine.connect() as connection:
        rows = connection.exec_driver_sql("select * from service_token").all()
    assert secret not in str(rows)
    assert service.tokens.find(secret) == info
    assert service.tokens.revoke(info.id)
    assert service.tokens.find(secret) is None


def test_without_a_token_only_health_answers(client: TestClient[Litestar]) -> None:
    assert client.get("/health").json()["status"] == "ok"
    refused = client.get(PACKAGES)
    assert refused.status_code == 401
    assert "Bearer" in refused.json()["error"]["message"]


def test_categories(client: TestClient[Litestar], headers: Headers) -> None:
    admin = headers()
    made = client.post("/api/1/categories", json={"name": "Databases"}, headers=admin).json()
    assert client.post("/api/1/categories", json={"name": "Databases"}, headers=admin).status_code == 409
    assert made["name"] in [each["name"] for each in client.get("/api/1/categories", headers=admin).json()]
    assert client.delete(f"/api/1/categories/{made['id']}", headers=admin).status_code == 204
