"""Bodies that are nested too deeply are refused by every route, before anything works with them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from tests.server.conftest import PACKAGE, archive

Headers = Callable[..., dict[str, str]]
FIELDS = ("values", "variables", "inputs", "arguments", "parameters", "defaultNetworks", "extra")
RAW = re.compile(r"/files(/|$)|/api/1/packages$|/v1/catalog/packages$|/stop$|/configure$|/deploy$")
"""Routes that take an archive, a file, a form or nothing."""


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def bodies(depth: int) -> list[str]:
    inner = nested(depth)
    fields = ", ".join(f'"{name}": {{"a": {inner}}}' for name in FIELDS)
    known = (
        '"name": "deep", "expression": "x", "verb": "plan", "className": "a", "methodName": "b", "token": "t"'
    )
    return [inner, '{"a":' * depth + "1" + "}" * depth, f'{{{known}, "services": [{inner}], {fields}}}']


@pytest.mark.parametrize("depth", [100_000, 5_000, 900, 150])
def test_no_route_takes_a_body_that_is_nested_too_deeply(
    client: TestClient[Litestar], headers: Headers, depth: int
) -> None:
    admin = {**headers(), "Content-Type": "application/json"}
    paths = client.get("/api/1/schema/openapi.json").json()["paths"]
    routes = [
        (method, path)
        for path, methods in paths.items()
        for method in methods
        if method in ("post", "put", "patch") and not RAW.search(path)
    ]
    assert len(routes) > 20
    for method, path in routes:
        place = re.sub(r"\{[^}]*\}", "none", path)
        for body in bodies(depth):
            answer = client.request(method, place, content=body, headers=admin)
            # Routes that look for what the path names first do not find it.
            assert answer.status_code in (400, 404), (method, path, answer.text)


def test_murano_routes_that_read_the_body_themselves(client: TestClient[Litestar], headers: Headers) -> None:
    admin = headers()
    environment = client.post("/v1/environments", json={"name": "deep-murano"}, headers=admin).json()["id"]
    where = f"/v1/environments/{environment}"
    session = client.post(f"{where}/configure", headers=admin).json()["id"]
    template = client.post("/v1/templates", json={"name": "deep"}, headers=admin).json()["id"]
    asked = {**admin, "X-Configuration-Session": session}
    try:
        for depth in (100_000, 900, 150):
            patch = f'[{{"op": "add", "path": "/x", "value": {nested(depth)}}}]'
            for method, path, body in (
                ("POST", f"{where}/services", f'{{"?": {{}}, "a": {nested(depth)}}}'),
                ("PUT", f"{where}/services", f"[{nested(depth)}]"),
                ("PATCH", f"{where}/model", patch),
                ("POST", f"{where}/actions/{environment}_deploy", f'{{"a": {nested(depth)}}}'),
                ("POST", f"/v1/templates/{template}/services", f'{{"?": {{}}, "a": {nested(depth)}}}'),
            ):
                answer = client.request(method, path, content=body, headers=asked)
                assert answer.status_code == 400, (path, answer.text)
                assert "deep" in answer.json()["error"]["message"]
    finally:
        client.delete(f"{where}?abandon=true", headers=admin)
        client.delete(f"/v1/templates/{template}", headers=admin)


def test_patches_do_not_nest_a_model_without_end(client: TestClient[Litestar], headers: Headers) -> None:
    admin = headers()
    environment = client.post("/v1/environments", json={"name": "deeper"}, headers=admin).json()["id"]
    where = f"/v1/environments/{environment}"
    session = client.post(f"{where}/configure", headers=admin).json()["id"]
    asked = {**admin, "X-Configuration-Session": session}
    try:
        for path, status in (("/x", 200), ("/x" + "/0" * 60, 400)):
            value = nested(60).replace("[]", "[0]")
            patch = f'[{{"op": "add", "path": "{path}", "value": {value}}}]'
            answer = client.patch(f"{where}/model", content=patch, headers=asked)
            assert answer.status_code == status, answer.text
    finally:
        client.delete(f"{where}?abandon=true", headers=admin)


def test_nesting_that_people_write_is_accepted(client: TestClient[Litestar], headers: Headers) -> None:
    admin = headers()
    made = {"name": "nested", "services": [{"?": {"type": "a"}, "value": json.loads(nested(40))}]}
    template = client.post("/v1/templates", json=made, headers=admin)
    assert template.status_code == 200
    assert client.delete(f"/v1/templates/{template.json()['id']}", headers=admin).status_code == 200


@pytest.mark.parametrize("depth", [100_000, 900])
@pytest.mark.parametrize("name", ["manifest.yaml", "Classes/Web.yaml", "UI/ui.yaml"])
def test_a_package_with_deeply_nested_yaml(
    client: TestClient[Litestar], headers: Headers, name: str, depth: int
) -> None:
    packed = archive({**PACKAGE, name: f"Format: 1.0\nName: {nested(depth)}\n"})
    assert client.post("/api/1/packages", content=packed, headers=headers()).status_code == 400


@pytest.mark.parametrize("depth", [100_000, 900])
@pytest.mark.parametrize("name", ["sabir.yaml", "model.json"])
def test_an_environment_with_a_deeply_nested_file(
    client: TestClient[Litestar], headers: Headers, name: str, depth: int
) -> None:
    admin = headers()
    files = {
        "sabir.yaml": "parts: {m: {language: muranopl, path: package, model: model.json}}\n",
        "model.json": '{"?": {"type": "org.example.Web"}}',
        "package/manifest.yaml": PACKAGE["manifest.yaml"],
        "package/Classes/Web.yaml": PACKAGE["Classes/Web.yaml"],
        name: f'{{"parts": {nested(depth)}}}',
    }
    id_ = client.post("/api/1/environments", json={"name": "deep"}, headers=admin).json()["id"]
    where = f"/api/1/environments/{id_}"
    try:
        assert client.put(f"{where}/files", content=archive(files), headers=admin).status_code == 200
        answer = client.get(f"{where}/graph", headers=admin)
        assert answer.status_code in (200, 422)
        findings = answer.json().get("findings") or answer.json()["error"]["message"]
        assert findings
    finally:
        assert client.delete(where, headers=admin).status_code == 204
