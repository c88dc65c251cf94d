"""Rows that are remembered: read once, and never as they were before a change."""

from __future__ import annotations

from pathlib import Path

from litestar import Litestar
from litestar.testing import TestClient

from sabir.deployments.store.database import Database
from sabir.server.store.rows import RowCache
from sabir.server.store.tables import SERVICE
from sabir.server.store.tokens import Role, TokenStore
from tests.server.test_environments import DESCRIPTION, ENVIRONMENTS, Headers


def test_read_once_until_something_changes() -> None:
    remembered, reads = RowCache[str, int](), list[str]()

    def read() -> int:
        reads.append("a")
        return len(reads)

    assert [remembered.get("a", read), remembered.get("a", read), remembered.recall("a")] == [1, 1, 1]
    remembered.forget()
    assert remembered.recall("a") is None
    assert remembered.get("a", read) == 2


def test_a_change_while_it_is_read() -> None:
    remembered = RowCache[str, str]()

    def read() -> str:
        remembered.forget()  # as if another thread wrote the row just after it was read
        return "old"

    assert remembered.get("a", read) == "old"
    assert remembered.recall("a") is None


def test_what_is_not_there_is_asked_for_again() -> None:
    remembered = RowCache[str, str]()
    assert remembered.get("a", lambda: None) is None
    assert remembered.get("a", lambda: "new") == "new"


def test_no_more_than_so_many() -> None:
    remembered = RowCache[int, int](most=3)
    for number in range(10):
        remembered.get(number, lambda number=number: number)  # type: ignore[misc]
    assert sum(remembered.recall(number) is not None for number in range(10)) <= 3


def test_a_revoked_token_opens_nothing(tmp_path: Path) -> None:
    database = Database.open(str(tmp_path / "state.db"), create=True)
    database.prepare(SERVICE)
    tokens = TokenStore(database.engine)
    info, secret = tokens.create("ann", Role.READER)
    assert tokens.recall(secret) is None
    assert tokens.find(secret) is not None
    assert tokens.recall(secret) is not None
    assert tokens.all()[0].used is not None
    assert tokens.revoke(info.id)
    assert tokens.recall(secret) is None
    assert tokens.find(secret) is None
    database.close()


def test_a_graph_that_the_reader_has_is_not_sent_again(
    client: TestClient[Litestar], headers: Headers
) -> None:
    admin = headers()
    where = f"{ENVIRONMENTS}/{client.post(ENVIRONMENTS, json={'name': 'seen'}, headers=admin).json()['id']}"
    client.put(f"{where}/files/sabir.yaml", content=DESCRIPTION, headers=admin)
    first = client.get(f"{where}/graph", headers=admin)
    again = client.get(f"{where}/graph", headers={**admin, "If-None-Match": first.headers["etag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
    client.put(f"{where}/files/sabir.yaml", content=DESCRIPTION + "# edited\n", headers=admin)
    other = client.get(f"{where}/graph", headers={**admin, "If-None-Match": first.headers["etag"]})
    assert other.status_code == 200
    assert other.headers["etag"] != first.headers["etag"]
