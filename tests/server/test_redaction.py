from __future__ import annotations

import pytest

from sabir.graph import Graph, Instance, Record, Sensitive, Value
from sabir.server.work.redaction import is_secret_name, mark_graph, redact_document, redact_text
from sabir.text import REDACTED

CANARY = "canary-2206"


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "adminPassword",
        "db_passwd",
        "PASS",
        "root_pass",
        "pwd",
        "clientSecret",
        "api_key",
        "apiKey",
        "private-key",
        "access_token",
        "credentials",
        "sshPassphrase",
    ],
)
def test_names_of_secrets(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "name",
        "passive",
        "compass",
        "bypass",
        "key",
        "keys",
        "secretName",
        "secretKeyRef",
        "password_file",
        "tokenUrl",
        "password_length",
        "monkey",
        "public_key",
    ],
)
def test_other_names(name: str) -> None:
    assert not is_secret_name(name)


def test_a_graph() -> None:
    attributes: dict[str, Value] = {
        "password": CANARY,
        "url": f"db://u:{CANARY}@h",
        "inner": {"token": "tok-5511"},
        "port": 80,
    }
    other: dict[str, Value] = {"command": ["run", "tok-5511"], "title": "hello"}
    graph = Graph(
        [
            Instance(id=name, type="t", language="toy", name=name, attributes=Record.of(values))
            for name, values in (("a", attributes), ("b", other))
        ],
        outputs={"it": CANARY},
    )
    marked = mark_graph(graph)
    assert dict(marked["a"].attributes) == {
        "password": Sensitive(CANARY),
        "url": Sensitive(f"db://u:{CANARY}@h"),
        "inner": {"token": Sensitive("tok-5511")},
        "port": 80,
    }
    assert dict(marked["b"].attributes) == {"command": ["run", Sensitive("tok-5511")], "title": "hello"}
    assert marked.outputs == {"it": Sensitive(CANARY)}


def test_a_document() -> None:
    data = {"a": [{"password": CANARY, "port": 5}], "b": f"x {CANARY} y", "c": {"secretName": "db-main"}}
    assert redact_document(data) == {
        "a": [{"password": REDACTED, "port": 5}],
        "b": f"x {REDACTED} y",
        "c": {"secretName": "db-main"},
    }


def test_a_message() -> None:
    text = f'm.json:1:1: X1 wrong\n  1 | {{"url": "{CANARY}"}}\n    | ^^^\n  = help\nit has "password": "{CANARY}", b'
    assert redact_text(text) == f'm.json:1:1: X1 wrong\n  = help\nit has "password": {REDACTED}, b'
