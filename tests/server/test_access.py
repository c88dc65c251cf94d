"""What each role sees: plain values of models and files are for those who may deploy them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from sabir.server.store.tokens import Role, Verb

Headers = Callable[..., dict[str, str]]
CANARY = "canary-7391"
MODEL = {
    "?": {"id": "thing", "type": "t.Thing", "name": "thing"},
    "adminPassword": CANARY,
    "url": f"db://bob:{CANARY}@host",
}
FILES = {
    "sabir.yaml": "parts:\n  m:\n    language: muranopl\n    path: package\n    model: model.json\n",
    "model.json": json.dumps(MODEL),
    "package/manifest.yaml": "Format: MuranoPL/1.4\nType: Library\nFullName: t\nName: t\nClasses: {t.Thing: Thing.yaml}\n",
    "package/Classes/Thing.yaml": (
        "Namespaces: {=: t, std: io.murano}\nName: Thing\nExtends: std:Object\nProperties:\n"
        "  adminPassword: {Contract: $.string()}\n  url: {Contract: $.string()}\n"
        "Methods:\n  deploy:\n    Body: [Return: 1]\n"
    ),
}
APPLICATION = {"?": {"id": "app", "type": "t.Thing", "name": "app"}, "password": CANARY}

CONTENT = [
    ("GET", "/api/1/environments/{files}/files/model.json", None),
    ("GET", "/api/1/environments/{files}/plan.html", None),
    ("GET", "/v1/environments/{murano}/services", None),
    ("GET", "/v1/environments/{murano}/services/app", None),
    ("GET", "/v1/environments/{murano}/model", None),
    ("GET", "/v1/environments/{murano}/model/applications/app/password", None),
    ("GET", "/v1/templates/{template}/services", None),
    ("GET", "/v1/environments/{murano}/actions/none", None),
]
"""Routes that a token needs the right to deploy for."""
SHOWN = [
    ("GET", "/api/1/environments/{files}", None),
    ("GET", "/api/1/environments/{files}/files", None),
    ("GET", "/api/1/environments/{files}/graph", None),
    ("GET", "/api/1/environments/{files}/graph.html", None),
    ("GET", "/api/1/environments/{files}/why?subject=m/thing.adminPassword", None),
    ("GET", "/api/1/environments/{files}/impact?line=model.json:1", None),
    ("GET", "/api/1/environments/{files}/plan", None),
    ("GET", "/api/1/environments/{files}/drift", None),
    ("GET", "/api/1/environments/{files}/operations", None),
    ("GET", "/api/1/environments/{files}/status", None),
    ("GET", "/api/1/environments/{files}/history", None),
    ("GET", "/api/1/environments/{files}/jobs", None),
    ("POST", "/api/1/environments/{files}/query", {"expression": "::m::thing::adminPassword"}),
    ("POST", "/api/1/environments/{files}/query", {"expression": "::m::thing::url"}),
    (
        "POST",
        "/api/1/environments/{files}/query",
        {"expression": "{eval: {file: model.json}, select: contents}"},
    ),
    ("POST", "/api/1/environments/{files}/query", {"expression": "{{ lookup('file', 'model.json') }}"}),
    ("POST", "/api/1/environments/{files}/what-if", {"values": {"m/thing.adminPassword": "other"}}),
    ("GET", "/v1/environments/{murano}", None),
    ("GET", "/v1/environments/{murano}/lastStatus", None),
    ("GET", "/v1/environments/{murano}/deployments", None),
    ("GET", "/v1/environments/{murano}/sessions/{session}", None),
    ("GET", "/v1/templates/{template}", None),
    ("GET", "/v1/templates", None),
]
"""Routes for everyone who may read; without plain values for those who may not deploy."""


@pytest.fixture(scope="module")
def places(client: TestClient[Litestar], service: Any) -> Iterator[dict[str, str]]:
    admin = {"Authorization": f"Bearer {service.tokens.create('places', Role.ADMIN)[1]}"}
    files = client.post("/api/1/environments", json={"name": "access"}, headers=admin).json()["id"]
    for path, text in FILES.items():
        stored = client.put(f"/api/1/environments/{files}/files/{path}", content=text, headers=admin)
        assert stored.status_code == 200
    murano = client.post("/v1/environments", json={"name": "access-murano"}, headers=admin).json()["id"]
    session = client.post(f"/v1/environments/{murano}/configure", headers=admin).json()["id"]
    added = client.post(
        f"/v1/environments/{murano}/services",
        json=APPLICATION,
        headers={**admin, "X-Configuration-Session": session},
    )
    assert added.status_code == 200
    made = {"name": "access", "is_public": True, "services": [APPLICATION]}
    template = client.post("/v1/templates", json=made, headers=admin).json()["id"]
    yield {"files": files, "murano": murano, "session": session, "template": template}
    for path in (f"/api/1/environments/{files}", f"/v1/templates/{template}"):
        client.delete(path, headers=admin)
    client.delete(f"/v1/environments/{murano}?abandon=true", headers=admin)


ROLES: dict[str, tuple[Role, dict[str, Any], bool]] = {
    "reader": (Role.READER, {}, False),
    "operator": (Role.OPERATOR, {}, True),
    "admin": (Role.ADMIN, {}, True),
    "operator-read": (Role.OPERATOR, {"verbs": (Verb.READ,)}, False),
    "operator-edit": (Role.OPERATOR, {"verbs": (Verb.READ, Verb.EDIT)}, False),
    "admin-read": (Role.ADMIN, {"verbs": (Verb.READ,)}, False),
    "operator-deploy": (Role.OPERATOR, {"verbs": (Verb.READ, Verb.DEPLOY)}, True),
}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(("method", "path", "body"), CONTENT, ids=[path for _, path, _ in CONTENT])
def test_contents_need_the_right_to_deploy(
    client: TestClient[Litestar],
    headers: Headers,
    places: dict[str, str],
    role: str,
    method: str,
    path: str,
    body: Any,
) -> None:
    name, limits, may = ROLES[role]
    asked = {**headers(name, **limits), "X-Configuration-Session": places["session"]}
    answer = client.request(method, path.format(**places), headers=asked, json=body)
    assert (answer.status_code != 403) is may
    assert may or CANARY not in answer.text


@pytest.mark.parametrize(
    ("method", "path", "body"), SHOWN, ids=[f"{path} {body or ''}" for _, path, body in SHOWN]
)
def test_readers_see_no_plain_secrets(
    client: TestClient[Litestar],
    headers: Headers,
    places: dict[str, str],
    method: str,
    path: str,
    body: Any,
) -> None:
    asked = {**headers(Role.READER), "X-Configuration-Session": places["session"]}
    answer = client.request(method, path.format(**places), headers=asked, json=body)
    assert answer.status_code in (200, 422)  # a plan without permission to run scripts is refused
    assert CANARY not in answer.text


def test_those_who_may_deploy_see_what_is_there(
    client: TestClient[Litestar], headers: Headers, places: dict[str, str]
) -> None:
    operator = {**headers(Role.OPERATOR), "X-Configuration-Session": places["session"]}
    for path in (
        "/api/1/environments/{files}/files/model.json",
        "/api/1/environments/{files}/graph",
        "/v1/environments/{murano}",
        "/v1/environments/{murano}/model",
        "/v1/templates/{template}",
    ):
        assert CANARY in client.get(path.format(**places), headers=operator).text


def test_readers_still_see_everything_else(
    client: TestClient[Litestar], headers: Headers, places: dict[str, str]
) -> None:
    reader = {**headers(Role.READER), "X-Configuration-Session": places["session"]}
    graph = client.get(f"/api/1/environments/{places['files']}/graph", headers=reader).json()["graph"]
    assert "m/thing" in [instance["id"] for instance in graph["instances"]]
    shown = client.get(f"/v1/environments/{places['murano']}", headers=reader).json()
    assert shown["services"] == [{"?": {"id": "app", "type": "t.Thing", "name": "app"}}]
    listed = client.get(f"/api/1/environments/{places['files']}/files", headers=reader).json()
    assert [file["path"] for file in listed] == sorted(FILES)


def test_the_log_and_the_result_of_a_job(
    client: TestClient[Litestar], headers: Headers, places: dict[str, str]
) -> None:
    reader, where = headers(Role.READER), f"/api/1/environments/{places['files']}/jobs"
    job = client.post(where, json={"verb": "plan"}, headers=reader).json()["id"]
    with client.stream("GET", f"{where}/{job}/events", headers=reader) as events:
        assert CANARY not in "".join(events.iter_text())
    for path in (where, f"{where}/{job}", f"{where}/{job}/log"):
        assert CANARY not in client.get(path, headers=reader).text
