from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from sabir.server.access import PAGE_HEADER
from sabir.server.service import SabirService
from sabir.server.store.tokens import Role
from tests.server.conftest import PACKAGE, archive

Headers = Callable[..., dict[str, str]]
UI = """\
Version: 2.3
Application:
  ?:
    type: org.example.Web
Forms:
  - main:
      fields:
        - name: title
          type: string
          label: Title
          description: What the page says
          maxLength: 10
        - name: port
          type: integer
          label: Port
          initial: 80
          minValue: 1
"""


def test_the_page_needs_no_token_and_brings_nothing_from_elsewhere(client: TestClient[Litestar]) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    for name in (
        "style.css",
        "app.js",
        "api.js",
        "catalogue.js",
        "environments.js",
        "forms.js",
        "live.js",
        "dom.js",
    ):
        text = client.get(f"/page/{name}")
        assert text.status_code == 200
        assert "//" not in text.text.replace("// ", "").replace("goo.gl", "")
    assert client.get("/page/..%2F__init__.py").status_code == 404
    assert client.get("/page/nothing.js").status_code == 404


def test_signing_in_gives_a_cookie_that_scripts_cannot_read(
    service: SabirService, client: TestClient[Litestar]
) -> None:
    _, secret = service.tokens.create("page", Role.READER)
    answer = client.post("/api/1/session", json={"token": secret})
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert answer.json()["name"] == "page"
    assert client.post("/api/1/session", json={"token": "x"}).status_code == 401
    client.cookies.clear()


def test_a_foreign_page_can_change_nothing_with_the_cookie(
    service: SabirService, client: TestClient[Litestar]
) -> None:
    _, secret = service.tokens.create("page", Role.ADMIN)
    cookies = {"Cookie": f"sabir_token={secret}"}
    assert client.get("/api/1/session", headers=cookies).status_code == 200
    refused = client.post("/api/1/categories", json={"name": "Forged"}, headers=cookies)
    assert refused.status_code == 403
    with_header = {**cookies, PAGE_HEADER: "1"}
    assert client.post("/api/1/categories", json={"name": "Fine"}, headers=with_header).status_code == 201


@pytest.fixture(scope="module")
def package_id(service: SabirService, client: TestClient[Litestar]) -> Iterator[str]:
    _, secret = service.tokens.create("page", Role.ADMIN)
    manifest = PACKAGE["manifest.yaml"].replace("org.example.Web\nName", "org.example.Form\nName")
    files = {**PACKAGE, "manifest.yaml": manifest, "UI/ui.yaml": UI}
    answer = client.post(
        "/api/1/packages", content=archive(files), headers={"Authorization": f"Bearer {secret}"}
    )
    assert answer.status_code == 201, answer.text
    yield answer.json()["id"]
    service.catalogue.remove(answer.json()["id"])


def test_forms_have_what_a_page_draws(
    client: TestClient[Litestar], headers: Headers, package_id: str
) -> None:
    forms = client.get(f"/api/1/packages/{package_id}/forms", headers=headers(Role.READER)).json()["forms"]
    title, port = forms[0]["fields"]
    assert (title["type"], title["label"], title["maxLength"]) == ("string", "Title", 10)
    assert (port["type"], port["initial"], port["minValue"]) == ("integer", "80", 1)


@pytest.mark.rows("M-194")
def test_filled_forms_make_the_model(client: TestClient[Litestar], headers: Headers, package_id: str) -> None:
    where, reader = f"/api/1/packages/{package_id}/model", headers(Role.READER)
    refused = client.post(
        where, json={"values": {"main.title": "much too long a title"}}, headers=reader
    ).json()
    assert refused["model"] is None
    assert refused["errors"][0].startswith("main.title: ")
    made = client.post(where, json={"values": {"main.title": "Hello"}}, headers=reader).json()
    assert made["errors"] == []
    assert made["model"]["?"]["type"] == "org.example.Web"


def test_the_picture_of_an_environment_is_the_page_of_compile(
    client: TestClient[Litestar], headers: Headers
) -> None:
    admin = headers()
    made = client.post("/api/1/environments", json={"name": "pictured"}, headers=admin).json()
    where = f"/api/1/environments/{made['id']}"
    model = "entity Host:\n  string name\nend\nimplement Host using std::none\nHost(name='web')\n"
    assert client.put(f"{where}/files/main.cf", content=model.encode(), headers=admin).status_code == 200
    picture = client.get(f"{where}/graph.html", headers=admin)
    assert picture.headers["content-type"].startswith("text/html")
    assert picture.headers["content-security-policy"] == "frame-ancestors 'self'"
    assert "script-src 'sha256-" in picture.text
    assert "web" in picture.text


def test_static_files_are_listed_in_the_distribution() -> None:
    import sabir.server.page

    folder = Path(sabir.server.page.__file__).parent / "static"
    assert {file.suffix for file in folder.iterdir()} == {".html", ".css", ".js"}
