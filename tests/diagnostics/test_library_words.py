"""What libraries say of broken input, without traces of their insides: each is broken by hand, with the library itself."""

from __future__ import annotations

import asyncio
import base64
import configparser
import io
import ipaddress
import json
import socket
import ssl
import tomllib
import urllib.request
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sabir.diagnostics.reasons import explain_error

INTERNALS = (
    "[Errno",
    "(char ",
    " at 0x",
    "<urlopen",
    "_ssl.c",
    "codec",
    "ParseError",
    "HTTPConnectionPool",
    "sqlalche.me",
    "\n",
)
_JSON = {
    '{"a":': "line 1, column 6",
    "{a: 1}": "line 1, column 2",
    '"abc': "line 1, column 1",
    "[1\n 2]": "line 2, column 2",
    '"\\u12"': "line 1, column 3",
}
_TOML = {"[a\nb = 1": "line 1, column 3", "a = \n": "line 1, column 5", 'a = "x': "end of document"}
"""What the library says is passed on, with the location."""
LOCATIONS = {*_JSON.values(), *_TOML.values()}
_INI = {
    "a\nb": "line 1: expected a [section]",
    "[a]\nb\n": "line 2: expected NAME = VALUE",
    "[a]\n[a]": "line 2: duplicate section 'a'",
    "[a]\nb=1\nb=2": "line 3: duplicate option 'b'",
}


def _ini(text: str) -> None:
    configparser.ConfigParser().read_string(text)


async def _open(port: int) -> None:
    await asyncio.open_connection("127.0.0.1", port)


def _sqlite(url: str) -> None:
    import sqlalchemy

    sqlalchemy.create_engine(url).connect()


def _keystone(url: str) -> None:
    from keystoneauth1.session import Session

    Session().get(url, authenticated=False)


def _httpx(url: str) -> None:
    import httpx2

    httpx2.get(url)


def _schema(schema: dict[str, Any]) -> None:
    import jsonschema_rs

    jsonschema_rs.validator_for(schema)


def _yaml(text: str) -> None:
    import yaml

    yaml.safe_load(text)


def _trusting(file: Path) -> None:
    ssl.create_default_context(cafile=str(file))


def _formatted(form: str) -> str:
    return form.format(1)


_CLOSED = "http://127.0.0.1:9/"
ROWS: tuple[tuple[Callable[[], Any], str], ...] = (
    *((lambda text=text: json.loads(text), words) for text, words in _JSON.items()),
    *((lambda text=text: tomllib.loads(text), words) for text, words in _TOML.items()),
    *((lambda text=text: _ini(text), words) for text, words in _INI.items()),
    *((lambda text=text: base64.b64decode(text, validate=True), "not base64 text") for text in ("a", "abc", "a!")),
    (lambda: zlib.decompress(b"abc"), "damaged data"),
    (lambda: zipfile.ZipFile(io.BytesIO(b"abc")), "File is not a zip file"),
    (lambda: b"\xff".decode(), "not UTF-8 text"),
    (lambda: Path("/").read_text(), "Is a directory"),
    (lambda: Path("/no/such").read_text(), "No such file or directory"),
    (lambda: socket.getaddrinfo("a" * 70 + ".b", 80), "not a valid host name"),
    (lambda: socket.create_connection(("127.0.0.1", 9), 5), "Connection refused"),
    (lambda: asyncio.run(_open(9)), "Connection refused"),
    (lambda: urllib.request.urlopen(_CLOSED), "Connection refused"),
    (lambda: urllib.request.urlopen("http://127.0.0.1:x/"), "nonnumeric port: 'x'"),
    (lambda: _httpx(_CLOSED), "Connection refused"),
    (lambda: _keystone(_CLOSED), "Connection refused"),
    (lambda: _sqlite("sqlite:////no/such/x.db"), "unable to open database file"),
    (lambda: _sqlite("nosuch://x"), "unknown type of database"),
    (lambda: _sqlite("::"), "not the URL of a database"),
    (lambda: _trusting(Path(__file__)), "no certificate or crl found"),
    (lambda: _schema({"minimum": "a"}), '"a" is not of type "number"'),
    (lambda: _yaml("a: b: c"), "at line 1, column 5, mapping values are not allowed here"),
    (lambda: ipaddress.ip_network("x"), "'x' does not appear to be an IPv4 or IPv6 network"),
    (lambda: _formatted("{0}{1}"), "index out of range"),
    (lambda: _formatted("{"), "Single '{' encountered in format string"),
)  # fmt: skip


@pytest.mark.parametrize(("break_it", "words"), ROWS, ids=[words for _, words in ROWS])
def test_it_is_said_in_our_words(break_it: Callable[[], Any], words: str) -> None:
    with pytest.raises(Exception) as raised:  # noqa: PT011  # whatever the library raises
        break_it()
    reason = explain_error(raised.value)
    assert reason == words or (words in reason and words in LOCATIONS)
    assert not any(internal in reason for internal in INTERNALS)


def test_addresses_of_objects_go() -> None:
    told = "Max retries (Caused by NewConnectionError('<urllib3.HTTPConnection object at 0x7f00deadbeef>: no route'))"
    assert " at 0x" not in explain_error(RuntimeError(told))


def test_a_reason_is_one_line() -> None:
    assert explain_error(ValueError("one\n  two\n")) == "one two"
