"""Murano's API, with the requests that its client was seen to send."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from sabir.server.service import SabirService
from sabir.server.store.tokens import Role
from tests.server.conftest import archive
from tests.server.test_jobs import until

MANIFEST = """\
Format: MuranoPL/1.4
Type: Application
FullName: com.example.Hello
Name: Hello
Description: Greets people
Author: Example
Classes:
  com.example.Hello: Hello.yaml
"""
CLASS = """\
Namespaces:
  =: com.example
  std: io.murano
Name: Hello
Extends: std:Application
Properties:
  who:
    Contract: $.string().notNull()
Methods:
  deploy:
    Body:
      - $this.find(std:Environment).reporter.report($this, format('hello {0}', $.who))
  greet:
    Scope: Public
    Arguments:
      - who:
          Contract: $.string()
    Body:
      - Return: format('hello {0}', $who)
  wave:
    Usage: Static
    Scope: Public
    Arguments:
      - who:
          Contract: $.string()
    Body:
      - Return: format('bye {0}', $who)
"""
PACKAGE = {
    "manifest.yaml": MANIFEST,
    "Classes/Hello.yaml": CLASS,
    "LICENSE": "x\n",
    "logo.png": "\x89PNG\r\n",
}
APPLICATION = {"?": {"type": "com.example.Hello", "id": "a1"}, "who": "bob"}
TARGETS = "targets:\n  farm: {driver: machines, user: root, hosts: [localhost]}\n"

Request = Callable[..., Any]


@pytest.fixture
def murano(
    client: TestClient[Litestar], service: SabirService, headers: Callable[..., dict[str, str]]
) -> Request:
    """Requests as the client makes them: the token in a header of its own, JSON also where there is no body."""
    token = headers()["Authorization"].removeprefix("Bearer ")

    def request(method: str, path: str, body: Any = None, *, status: int = 200, **more: Any) -> Any:
        sent = {"X-Auth-Token": token, "Content-Type": "application/json", **more.pop("headers", {})}
        if "files" in more:
            del sent["Content-Type"]
        content = None if body is None else json.dumps(body)
        answer = client.request(method, f"/v1{path}", content=content, headers=sent, **more)
        assert answer.status_code == status, answer.text
        is_json = answer.headers.get("content-type", "").startswith("application/json")
        return answer.json() if is_json and answer.content else answer.content

    return request


def upload(murano: Request, files: dict[str, str], status: int = 200, **metadata: Any) -> Any:
    parts = {
        "__metadata__": (None, json.dumps({"is_public": False, **metadata})),
        "com.example.Hello": ("tmphn8p45vk", archive(files)),
    }
    return murano("POST", "/catalog/packages", files=parts, status=status)


@pytest.fixture
def package(murano: Request) -> Iterator[dict[str, Any]]:
    stored = upload(murano, PACKAGE)
    yield stored
    murano("DELETE", f"/catalog/packages/{stored['id']}")


@pytest.mark.rows("V-137", "V-138", "V-140")
def test_a_bad_package_is_told_and_not_stored(murano: Request) -> None:
    bad = {**PACKAGE, "manifest.yaml": MANIFEST.replace("Type: Application", "Type: Aplication")}
    answer = upload(murano, bad, status=400)
    # The client takes the answer for broken when anything beside objects is at its top.
    assert all(isinstance(value, dict) for value in answer.values())
    assert "manifest.yaml:2: MAN:E071 Type cannot be 'Aplication'" in answer["error"]["message"]
    assert "did you mean 'Application'?" in [finding["hint"] for finding in answer["error"]["findings"]]
    listed = murano("GET", "/catalog/packages?include_disabled=True&owned=False&limit=20")
    assert "com.example.Hello" not in [each["fully_qualified_name"] for each in listed["packages"]]


def test_packages(murano: Request, package: dict[str, Any]) -> None:
    where = f"/catalog/packages/{package['id']}"
    assert upload(murano, PACKAGE, status=409)["error"]["message"]
    shown = murano("GET", where)
    needed = "id name fully_qualified_name type description is_public enabled owner_id tags categories class_definitions"
    assert set(needed.split()) <= set(shown)
    assert shown["class_definitions"] == ["com.example.Hello"]
    query = "/catalog/packages?fqn=com.example.Hello&version=0&owned=True&limit=20"
    assert [each["id"] for each in murano("GET", query)["packages"]] == [package["id"]]
    operations = [
        {"op": "replace", "path": "/enabled", "value": False},
        {"op": "replace", "path": "/name", "value": "x"},
        {"op": "replace", "path": "/tags", "value": ["a", "b"]},
    ]
    special = {"Content-Type": "application/murano-packages-json-patch"}
    changed = murano("PATCH", where, operations, headers=special)
    assert (changed["enabled"], changed["name"], changed["tags"]) == (False, "x", ["a", "b"])
    usual = murano("GET", "/catalog/packages?include_disabled=False&owned=False&limit=20")["packages"]
    assert package["id"] not in [each["id"] for each in usual]
    assert sorted(zipfile.ZipFile(io.BytesIO(murano("GET", f"{where}/download"))).namelist()) == sorted(
        PACKAGE
    )
    for wrong in ([{"op": "replace", "path": "/id", "value": "x"}], {"a": 1}, [{"op": "x"}], 3):
        assert "error" in murano("PATCH", where, wrong, headers=special, status=400)


def test_pages_of_packages(murano: Request, package: dict[str, Any]) -> None:
    other = upload(
        murano,
        {
            **PACKAGE,
            "manifest.yaml": MANIFEST.replace("FullName: com.example.Hello", "FullName: com.example.Other"),
        },
    )
    first = murano("GET", "/catalog/packages?search=Greets&limit=1")
    second = murano("GET", f"/catalog/packages?search=Greets&limit=1&marker={first['next_marker']}")
    assert [first["packages"][0]["id"], second["packages"][0]["id"]] == [package["id"], other["id"]]
    assert "next_marker" not in second
    murano("DELETE", f"/catalog/packages/{other['id']}")


def test_categories(murano: Request) -> None:
    assert "error" in upload(murano, PACKAGE, status=400, categories=["Greeters"])
    category = murano("POST", "/catalog/categories", {"name": "Greeters"})
    stored = upload(murano, PACKAGE, categories=["Greeters"])
    assert murano("GET", f"/catalog/categories/{category['id']}")["name"] == "Greeters"
    inside = murano("GET", "/catalog/packages?category=Greeters&limit=20")["packages"]
    assert [each["id"] for each in inside] == [stored["id"]]
    murano("DELETE", f"/catalog/packages/{stored['id']}")
    murano("DELETE", f"/catalog/categories/{category['id']}")
    murano("GET", f"/catalog/categories/{category['id']}", status=404)


@pytest.fixture
def environment(murano: Request) -> Iterator[str]:
    created = murano("POST", "/environments", {"name": "env", "region": None})
    yield f"/environments/{created['id']}"
    murano("DELETE", f"/environments/{created['id']}?abandon=True")


@pytest.mark.rows("M-194")
def test_edits_are_reflected_in_the_model(murano: Request, environment: str) -> None:
    session = murano("POST", f"{environment}/configure")
    inside = {"X-Configuration-Session": session["id"]}
    added = murano("POST", f"{environment}/services/", APPLICATION, headers=inside)
    assert added == APPLICATION
    murano(
        "POST", f"{environment}/services/", {"?": {"type": "com.example.Hello"}, "who": "eve"}, headers=inside
    )
    model = murano("GET", f"{environment}/model//", headers=inside)
    assert [each["who"] for each in model["applications"]] == ["bob", "eve"]
    assert len(model["applications"][1]["?"]["id"]) == 32
    assert murano("GET", f"{environment}/services/a1/who", headers=inside) == "bob"
    special = {**inside, "Content-Type": "application/env-model-json-patch"}
    operations = [{"op": "replace", "path": "/applications/0/who", "value": "carol"}]
    assert (
        murano("PATCH", f"{environment}/model/", operations, headers=special)["applications"][0]["who"]
        == "carol"
    )
    murano("DELETE", f"{environment}/services/a1", headers=inside)
    assert [each["who"] for each in murano("GET", f"{environment}/services", headers=inside)] == ["eve"]
    murano("PUT", f"{environment}/services/", [APPLICATION], headers=inside)
    assert murano("GET", environment, headers=inside)["services"] == [APPLICATION]
    assert murano("GET", environment)["services"] == []
    assert murano("GET", environment)["status"] == "pending"
    murano("GET", f"{environment}/services/none", headers=inside, status=404)
    murano("POST", f"{environment}/services/", APPLICATION, status=400)
    wrong = [{"op": "replace", "path": "/?/id", "value": "x"}]
    murano("PATCH", f"{environment}/model/", wrong, headers=special, status=400)
    murano("DELETE", f"{environment}/sessions/{session['id']}")
    murano("GET", f"{environment}/sessions/{session['id']}", status=404)


def test_what_cannot_be_deployed_is_told(murano: Request, environment: str) -> None:
    session = murano("POST", f"{environment}/configure")
    murano(
        "PUT", f"{environment}/services/", [APPLICATION], headers={"X-Configuration-Session": session["id"]}
    )
    answer = murano("POST", f"{environment}/sessions/{session['id']}/deploy", status=400)
    assert answer["error"]["message"] == "no package of the catalogue has the class 'com.example.Hello'"
    assert murano("GET", f"{environment}/sessions/{session['id']}")["state"] == "opened"


@pytest.mark.slow
@pytest.mark.rows("M-140", "M-194")
@pytest.mark.usefixtures("package")
def test_deploy_call_and_take_away(murano: Request, service: SabirService) -> None:
    service.settings.murano.write_text(TARGETS)
    created = murano("POST", "/environments", {"name": "deployed"})
    environment = f"/environments/{created['id']}"
    service.environments.allow(created["id"], ("scripts",))
    session = murano("POST", f"{environment}/configure")
    inside = {"X-Configuration-Session": session["id"]}
    murano("POST", f"{environment}/services/", APPLICATION, headers=inside)
    murano("POST", f"{environment}/sessions/{session['id']}/deploy")
    assert murano("GET", environment, headers=inside)["services"] == [APPLICATION]
    murano("POST", f"{environment}/sessions/{session['id']}/deploy", status=403)
    until(lambda: murano("GET", environment)["status"] != "deploying")
    (deployment,) = murano("GET", f"{environment}/deployments")["deployments"]
    reports = murano("GET", f"{environment}/deployments/{deployment['id']}")["reports"]
    assert deployment["state"] == "success", reports
    assert ("a1", "hello bob") in [(report["entity_id"], report["text"]) for report in reports]
    assert murano("GET", f"{environment}/sessions/{session['id']}")["state"] == "deployed"
    last = murano("GET", f"{environment}/lastStatus")["lastStatuses"]
    assert last["a1"]["text"] == "hello bob"
    (application,) = murano("GET", f"{environment}/services")
    assert "a1_greet" in application["?"]["_actions"]

    task = murano("POST", f"{environment}/actions/a1_greet", {"who": "dan"})["task_id"]
    until(lambda: bool(murano("GET", f"{environment}/actions/{task}")))
    assert murano("GET", f"{environment}/actions/{task}") == {"isException": False, "result": "hello dan"}
    murano("POST", f"{environment}/actions/a1_none", {}, status=200)
    murano("POST", f"{environment}/actions/none_greet", {}, status=404)

    until(lambda: murano("GET", environment)["status"] not in ("deploying", "ready"))
    murano("DELETE", f"{environment}?abandon=False")
    until(lambda: service.environments.get(created["id"]) is None)


@pytest.mark.slow
@pytest.mark.rows("M-140")
@pytest.mark.usefixtures("package")
def test_static_methods_and_schemas(murano: Request) -> None:
    call = {
        "className": "com.example.Hello",
        "methodName": "wave",
        "packageName": None,
        "classVersion": "=0",
        "parameters": {"who": "erin"},
    }
    assert murano("POST", "/actions", call) == "bye erin"
    failed = murano("POST", "/actions", {**call, "methodName": "wafe"}, status=400)
    assert "wafe" in failed["error"]["message"]
    schema = murano("GET", "/schemas/com.example.Hello?classVersion=%3D0")
    assert schema[""]["$defs"]["com.example.Hello"]["properties"]["who"] == {"type": "string"}
    methods = murano("GET", "/schemas/com.example.Hello/greet,wave?classVersion=%3D0")
    assert {name: sorted(each["properties"]) for name, each in methods.items()} == {
        "greet": ["who"],
        "wave": ["who"],
    }
    refused = murano("GET", "/schemas/com.example.Hello/gret?classVersion=%3D0", status=400)
    assert "did you mean 'greet'?" in refused["error"]["message"]
    murano("GET", "/schemas/com.example.None?classVersion=%3D0", status=400)


@pytest.mark.rows("M-140")
def test_templates_of_others(murano: Request, client: TestClient[Litestar]) -> None:
    """A public template can be cloned by everybody and changed by its owner only; others are not seen."""
    service: SabirService = client.app.state.service
    other = {"X-Auth-Token": service.tokens.create("other", Role.OPERATOR)[1]}
    public = client.post("/v1/templates", json={"name": "open", "is_public": True}, headers=other).json()
    hidden = client.post("/v1/templates", json={"name": "hidden"}, headers=other).json()
    names = [each["name"] for each in murano("GET", "/templates")["templates"]]
    assert ("open" in names, "hidden" in names) == (True, False)
    murano("GET", f"/templates/{hidden['id']}", status=404)
    murano("PUT", f"/templates/{public['id']}", {"name": "mine"}, status=403)
    murano("DELETE", f"/templates/{public['id']}", status=403)
    clone = murano("POST", f"/templates/{public['id']}/clone", {"name": "mine"})
    assert (clone["is_public"], clone["services"]) == (False, [])
    murano("POST", f"/templates/{clone['id']}/services", [1], status=200)
    murano("DELETE", f"/templates/{clone['id']}")
