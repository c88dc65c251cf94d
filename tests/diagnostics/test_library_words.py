"""What libraries say of broken input never reaches people as it is: each is broken by hand, with the library itself."""

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

from sabir.diagnostics.reasons import reason_of

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
    '{"a":': "at line 1, column 6, a value is missing",
    "{a: 1}": "at line 1, column 2, a key in double quotes is missing",
    '"\x01"': "at line 1, column 2, a text holds a control character",
    '"abc': "at line 1, column 1, the text has no end",
    '{"a" 1}': "at line 1, column 6, ':' is missing",
    "[1\n 2]": "at line 2, column 2, ',' is missing",
    "1 2": "at line 1, column 3, there is something behind its end",
    '"\\q"': "at line 1, column 2, a backslash cannot stand before this",
    '"\\u12"': "at line 1, column 3, a backslash cannot stand before this",
}
_TOML = {
    "[a\nb = 1": "at line 1, column 3, ']' is missing",
    "[[a\n": "at line 1, column 4, ']]' is missing",
    "a = \n": "at line 1, column 5, there is no value, or it is not written like this",
    "a = 1\na = 2": "at its end a name is there twice",
    "[a]\n[a]": "at line 2, column 3, a name is there twice",
    'a = "x': "at its end the text has no end",
    "a = [1": "at its end ']' is missing",
    "a = {b = 1": "at its end '}' is missing",
    "= 1": "at line 1, column 1, a line begins with a key or with [",
    "a = 1 2": "at line 1, column 7, something stands behind the value",
    "a\n": "at line 1, column 2, '=' is missing",
    'a = "\\q"': "at line 1, column 8, a backslash cannot stand before this",
    'a = "\x01"': "at line 1, column 6, '\\x01' cannot stand here",
}
_INI = {
    "a\nb": "line 1 stands in no [section]",
    "[a]\nb\n": "line 2 is no NAME = VALUE",
    "[a]\n[a]": "line 2 begins the section 'a' again",
    "[a]\nb=1\nb=2": "line 3 sets 'b' again",
}
_CUT_KEY = b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"


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


def _key(data: bytes) -> None:
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    load_pem_private_key(data, None)


def _certificate(data: bytes) -> None:
    from cryptography.x509 import load_der_x509_certificate

    load_der_x509_certificate(data)


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
    *((lambda text=text: base64.b64decode(text, validate=True), "it is no base64 text") for text in ("a", "abc", "a!", "é")),
    (lambda: zlib.decompress(b"abc"), "its data is damaged"),
    (lambda: zipfile.ZipFile(io.BytesIO(b"abc")), "it is no ZIP archive"),
    (lambda: b"\xff".decode(), "it is no UTF-8 text"),
    (lambda: Path("/").read_text(), "Is a directory"),
    (lambda: Path("/no/such").read_text(), "No such file or directory"),
    (lambda: socket.getaddrinfo("a" * 70 + ".b", 80), "it is no name of a host"),
    (lambda: socket.create_connection(("127.0.0.1", 9), 5), "Connection refused"),
    (lambda: asyncio.run(_open(9)), "Connection refused"),
    (lambda: urllib.request.urlopen(_CLOSED), "Connection refused"),
    (lambda: urllib.request.urlopen("http://127.0.0.1:x/"), "the port 'x' is no number"),
    (lambda: _httpx(_CLOSED), "Connection refused"),
    (lambda: _keystone(_CLOSED), "Connection refused"),
    (lambda: _sqlite("sqlite:////no/such/x.db"), "unable to open database file"),
    (lambda: _sqlite("nosuch://x"), "there is no kind of database 'nosuch'"),
    (lambda: _sqlite("::"), "it is no address of a database"),
    (lambda: _key(b"abc"), "it is no PEM file"),
    (lambda: _key(_CUT_KEY), "it is no key that can be read"),
    (lambda: _certificate(b"abc"), "its data is damaged"),
    (lambda: _trusting(Path(__file__)), "no certificate or crl found"),
    (lambda: ssl.create_default_context().load_cert_chain(__file__), "it holds no certificate with its key"),
    (lambda: _schema({"minimum": "a"}), '"a" is not of type "number"'),
    (lambda: _yaml("a: b: c"), "at line 1, column 5, mapping values are not allowed here"),
    (lambda: ipaddress.ip_network("x"), "'x' is no IP network"),
    (lambda: _formatted("{0}{1}"), "the format wants more values"),
    (lambda: _formatted("{"), "a '{' of the format stands alone; '{{' means the sign itself"),
)  # fmt: skip


@pytest.mark.parametrize(("break_it", "words"), ROWS, ids=[words for _, words in ROWS])
def test_it_is_said_in_our_words(break_it: Callable[[], Any], words: str) -> None:
    with pytest.raises(Exception) as raised:  # noqa: PT011  # whatever the library raises
        break_it()
    assert reason_of(raised.value) == words
    assert not any(internal in words for internal in INTERNALS)


def test_addresses_of_objects_go() -> None:
    told = "Max retries (Caused by NewConnectionError('<urllib3.HTTPConnection object at 0x7f00deadbeef>: no route'))"
    assert " at 0x" not in reason_of(RuntimeError(told))


def test_a_reason_is_one_line() -> None:
    assert reason_of(ValueError("one\n  two\n")) == "one two"
