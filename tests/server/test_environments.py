from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from sabir.server.service import SabirService
from sabir.server.store.tokens import Role
from tests.server.conftest import archive

Headers = Callable[..., dict[str, str]]
ENVIRONMENTS = "/api/1/environments"
DESCRIPTION = """\
name: demo
parts:
  files:
    language: resources
    model:
      resources:
        etc: {kind: directory, fields: {path: etc}}
        motd:
          kind: file
          requires: [etc]
          fields: {path: etc/motd, content: hello}
"""


@pytest.fixture
def environment(client: TestClient[Litestar], headers: Headers) -> Iterator[str]:
    """The path of an environment with a description."""
    admin = headers()
    created = client.post(ENVIRONMENTS, json={"name": "demo"}, headers=admin)
    assert created.status_code == 201, created.text
    where = f"{ENVIRONMENTS}/{created.json()['id']}"
    assert client.put(f"{where}/files/sabir.yaml", content=DESCRIPTION, headers=admin).status_code == 200
    yield where
    assert client.delete(where, headers=admin).status_code == 204


def test_an_environment_is_listed_renamed_and_unique(
    client: TestClient[Litestar], headers: Headers, environment: str
) -> None:
    admin = headers()
    assert "demo" in [info["name"] for info in client.get(ENVIRONMENTS, headers=admin).json()]
    assert client.post(ENVIRONMENTS, json={"name": "demo"}, headers=admin).status_code == 409
    assert client.patch(environment, json={"name": "shop"}, headers=admin).json()["name"] == "shop"
    assert client.get(f"{ENVIRONMENTS}/none", headers=admin).status_code == 404


def test_each_edit_makes_a_revision(client: TestClient[Litestar], headers: Headers, environment: str) -> None:
    admin = headers()
    before = client.get(environment, headers=admin).json()["revision"]
    after = client.put(f"{environment}/files/a/b.txt", content=b"x", headers=admin).json()["revision"]
    assert after == before + 1
    assert client.get(f"{environment}/files/a/b.txt", headers=admin).content == b"x"
    listed = client.get(f"{environment}/files", headers=admin).json()
    assert [file["path"] for file in listed] == ["a/b.txt", "sabir.yaml"]
    assert client.delete(f"{environment}/files/a/b.txt", headers=admin).status_code == 204
    assert client.delete(f"{environment}/files/a/b.txt", headers=admin).status_code == 404


def test_a_zip_stands_in_place_of_all_files(
    client: TestClient[Litestar], headers: Headers, environment: str
) -> None:
    admin = headers()
    packed = archive({"sabir.yaml": DESCRIPTION, "more/readme.md": "x"})
    client.put(f"{environment}/files/old.txt", content=b"x", headers=admin)
    assert client.put(f"{environment}/files", content=packed, headers=admin).status_code == 200
    listed = client.get(f"{environment}/files", headers=admin).json()
    assert [file["path"] for file in listed] == ["more/readme.md", "sabir.yaml"]


KINDS = {
    "a.txt": (b"plain\n", True),
    "b.txt": (b"\xef\xbb\xbfone\r\ntwo", True),
    "c.txt": ("größe\n".encode(), True),
    "d.txt": (b"", True),
    "e.zip": (archive({"x": "y"}), False),
    "f.txt": ("größe\n".encode("latin-1"), False),
    "g.txt": (b"a\0b", False),
    "h.txt": ("utf-16\n".encode("utf-16"), False),
    "i.txt": (b"\xed\xa0\x80", False),
}


def test_the_list_of_files_tells_text_from_binary(
    client: TestClient[Litestar], headers: Headers, environment: str
) -> None:
    admin = headers()
    for name, (content, _) in KINDS.items():
        assert client.put(f"{environment}/files/{name}", content=content, headers=admin).status_code == 200
        assert client.get(f"{environment}/files/{name}", headers=admin).content == content
    listed = client.get(f"{environment}/files", headers=admin).json()
    found = {file["path"]: (file["size"], file["text"]) for file in listed if file["path"] in KINDS}
    assert found == {name: (len(content), text) for name, (content, text) in KINDS.items()}


def test_text_is_written_as_it_is_and_never_over_a_binary_file(
    client: TestClient[Litestar], headers: Headers, environment: str
) -> None:
    admin, packed = headers(), archive({"x": "y"})
    text = {**admin, "Content-Type": "text/plain; charset=utf-8"}
    content = b"\xef\xbb\xbfone\r\ntwo\rthree\nfour"
    assert client.put(f"{environment}/files/notes.txt", content=content, headers=text).status_code == 200
    assert client.get(f"{environment}/files/notes.txt", headers=admin).content == content
    client.put(f"{environment}/files/package.zip", content=packed, headers=admin)
    refused = client.put(f"{environment}/files/package.zip", content=b"PK", headers=text)
    assert (refused.status_code, "binary file" in refused.json()["error"]["message"]) == (409, True)
    assert client.get(f"{environment}/files/package.zip", headers=admin).content == packed
    damaged = client.put(f"{environment}/files/notes.txt", content=b"a\xff", headers=text)
    assert damaged.status_code == 400
    assert client.get(f"{environment}/files/notes.txt", headers=admin).content == content
    assert client.put(f"{environment}/files/package.zip", content=b"PK", headers=admin).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["../x", "%2e%2e/x", "a/../../x", ".sabir/state.db", "a%00b", "x" * 300],
)
def test_files_stay_inside(
    client: TestClient[Litestar], headers: Headers, environment: str, service: SabirService, path: str
) -> None:
    before = sorted(service.settings.data.parent.rglob("*x*"))
    answer = client.put(f"{environment}/files/{path}", content=b"x", headers=headers())
    assert answer.status_code in (400, 404, 405), answer.text
    assert sorted(service.settings.data.parent.rglob("*x*")) == before


@pytest.mark.parametrize(
    "content",
    [b"", b"no zip", archive({"../x": "y"}), archive({"a": "x", "a/b": "y"}), archive({".sabir/x": "y"})],
)
def test_bad_archives_are_refused(
    client: TestClient[Litestar], headers: Headers, environment: str, content: bytes
) -> None:
    answer = client.put(f"{environment}/files", content=content, headers=headers())
    assert answer.status_code == 400
    assert answer.json()["error"]["message"]
    listed = client.get(f"{environment}/files", headers=headers()).json()
    assert [file["path"] for file in listed] == ["sabir.yaml"]


def test_a_bomb_is_refused(
    client: TestClient[Litestar], headers: Headers, environment: str, tmp_path: Any
) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("zeros", b"\0" * (100 << 20))
    content = (tmp_path / "bomb.zip").read_bytes()
    assert client.put(f"{environment}/files", content=content, headers=headers()).status_code == 400


def test_leave_is_given_by_administrators_only(
    client: TestClient[Litestar], headers: Headers, environment: str
) -> None:
    wanted = {"trust": ["scripts"]}
    refused = client.patch(environment, json=wanted, headers=headers(Role.OPERATOR))
    assert refused.status_code == 403
    assert client.patch(environment, json=wanted, headers=headers()).json()["trust"] == ["scripts"]
    wrong = client.patch(environment, json={"trust": ["all"]}, headers=headers())
    assert (wrong.status_code, wrong.json()["error"]["message"][:5]) == (400, "'all'")


def test_a_token_sees_its_environments_only(
    client: TestClient[Litestar], headers: Headers, environment: str
) -> None:
    other = headers(Role.OPERATOR, environments=("0" * 32,))
    assert client.get(environment, headers=other).status_code == 403
    assert client.get(ENVIRONMENTS, headers=other).json() == []
    assert client.post(ENVIRONMENTS, json={"name": "new"}, headers=other).status_code == 403


def test_questions_to_the_graph(client: TestClient[Litestar], headers: Headers, environment: str) -> None:
    reader = headers(Role.READER)
    graph = client.get(f"{environment}/graph", headers=reader).json()
    assert graph["findings"] == []
    names = {instance["name"] for instance in graph["graph"]["instances"]}
    assert {"etc", "motd"} <= names
    query = {"expression": "::files/motd::content"}
    assert client.post(f"{environment}/query", json=query, headers=reader).json()["values"] == ["hello"]
    why = client.get(f"{environment}/why", params={"subject": "files/motd.content"}, headers=reader).json()
    assert (why["steps"][0]["file"], why["steps"][0]["line"]) == ("sabir.yaml", 11)
    impact = client.get(f"{environment}/impact", params={"line": "sabir.yaml:11"}, headers=reader).json()
    assert "content" in {affected["attribute"] for affected in impact["affected"]}
    values = {"values": {"files/motd.content": "bye"}}
    difference = client.post(f"{environment}/what-if", json=values, headers=reader).json()
    (changed,) = difference["changed"]
    assert changed["changes"][0] == {"name": "content", "before": "hello", "after": "bye"}


def test_wrong_questions_are_told_what_is_near(
    client: TestClient[Litestar], headers: Headers, environment: str
) -> None:
    answer = client.get(f"{environment}/why", params={"subject": "files/mtd"}, headers=headers())
    assert answer.status_code == 400
    assert "did you mean 'files/motd'" in answer.json()["error"]["message"]


def test_errors_of_a_description_are_findings(
    client: TestClient[Litestar], headers: Headers, environment: str
) -> None:
    admin = headers()
    broken = DESCRIPTION.replace("requires: [etc]", "requires: [etcetera]")
    client.put(f"{environment}/files/sabir.yaml", content=broken, headers=admin)
    answer = client.get(f"{environment}/why", params={"subject": "nothing"}, headers=admin)
    assert answer.status_code == 422
    finding = answer.json()["error"]["findings"][0]
    assert (finding["file"], finding["line"]) == ("sabir.yaml", 10)
    assert client.get(f"{environment}/graph", headers=admin).json()["findings"] == [finding]


def test_an_empty_environment_has_no_graph(
    client: TestClient[Litestar], headers: Headers, environment: str
) -> None:
    client.delete(f"{environment}/files/sabir.yaml", headers=headers())
    answer = client.get(f"{environment}/graph", headers=headers())
    assert answer.status_code == 400
    assert answer.json()["error"]["message"]
