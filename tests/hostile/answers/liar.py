"""An HTTP server on the loopback address that tells the truth, except where it was told to lie."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from msgspec import Struct

__all__ = ["LIES", "Asked", "Lie", "Truth", "lying", "says"]


class Asked(Struct, frozen=True):
    """A request as a server meets it."""

    method: str
    path: str
    body: Any
    url: str
    """Of the server itself."""


Truth = Callable[[Asked], tuple[int, Any, Mapping[str, str]]]
"""What an honest server answers: status, data, headers."""

Lie = Callable[[BaseHTTPRequestHandler, str], None]
"""Writes an answer itself; it gets the address of a server that must never be asked."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    truth: Truth
    lie: Lie
    lies_at: Callable[[Asked], bool]
    elsewhere: str
    url: str

    def log_message(self, *words: object) -> None:
        pass

    def answer(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        content = self.rfile.read(size)
        with suppress(ValueError):
            content = json.loads(content)
        asked = Asked(self.command, self.path, content, self.url)
        with suppress(OSError):  # whoever asked has enough
            if type(self).lies_at(asked):
                type(self).lie(self, self.elsewhere)
                return
            status, data, headers = type(self).truth(asked)
            send(self, status, json.dumps(data).encode(), **headers)

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = do_HEAD = answer  # noqa: N815  as http.server calls them


def send(handler: BaseHTTPRequestHandler, status: int, content: bytes, **headers: str) -> None:
    handler.send_response(status)
    told = {"Content-Type": "application/json", "Content-Length": str(len(content)), **headers}
    for name, value in told.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(content)


@contextmanager
def lying(truth: Truth, lie: Lie, at: Callable[[Asked], bool], elsewhere: str) -> Iterator[str]:
    """The address of a server that lies where it is asked so."""

    class Handler(_Handler):
        pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        url = f"http://127.0.0.1:{server.server_port}"
        Handler.truth, Handler.lie, Handler.lies_at = staticmethod(truth), staticmethod(lie), staticmethod(at)
        Handler.elsewhere, Handler.url = elsewhere, url
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield url
        finally:
            server.shutdown()


def _endless(handler: BaseHTTPRequestHandler, _: str) -> None:
    """2 GB were announced, and more would come."""
    handler.send_response(200)
    handler.send_header("Content-Length", str(2 << 30))
    handler.end_headers()
    handler.wfile.write(b'{"a": "')
    while True:
        handler.wfile.write(b"a" * 65536)


def _watch(handler: BaseHTTPRequestHandler, _: str) -> None:
    """Lines of a watch without an end, in chunks."""
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    line = b'{"type": "MODIFIED", "object": {"kind": "ConfigMap"}}\n' * 500
    while True:
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))


def _dripping(handler: BaseHTTPRequestHandler, _: str) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    while True:
        handler.wfile.write(b" ")
        time.sleep(0.2)


def _slow_headers(handler: BaseHTTPRequestHandler, _: str) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        handler.wfile.write(b"X: y\r\n")
        time.sleep(0.2)


def _many_headers(handler: BaseHTTPRequestHandler, _: str) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        handler.wfile.write(b"".join(b"X-%d: %s\r\n" % (number, b"y" * 1000) for number in range(100)))


def _bomb(handler: BaseHTTPRequestHandler, _: str) -> None:
    send(handler, 200, _packed(), Content_Encoding="gzip")


@cache
def _packed() -> bytes:
    return gzip.compress(bytes(300 << 20), 1)


def _half(handler: BaseHTTPRequestHandler, _: str) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"kind": ')
    handler.close_connection = True


def _sent_on(handler: BaseHTTPRequestHandler, elsewhere: str) -> None:
    send(handler, 302, b"{}", Location=f"{elsewhere}/somewhere/else")


def says(content: bytes, status: int = 200, **headers: str) -> Lie:
    return lambda handler, _: send(handler, status, content, **headers)


LIES: Final[Mapping[str, Lie]] = {
    "2 GB": _endless,
    "lines of a watch without an end": _watch,
    "a byte now and then": _dripping,
    "headers now and then": _slow_headers,
    "headers without an end": _many_headers,
    "300 MB packed into 1 MB": _bomb,
    "JSON nested 100,000 deep": says(b"[" * 100_000 + b"]" * 100_000),
    "JSON nested 5,000 deep": says(b'{"a":' * 5000 + b"1" + b"}" * 5000),
    "five million lists": says(b"[" + b"[]," * 5_000_000 + b"[]]"),
    "a number of 100,000 digits": says(b'{"metadata": ' + b"9" * 100_000 + b"}"),
    "a list in place of a map": says(b"[1, 2]"),
    "a map of other things": says(b'{"metadata": 5, "kind": [], "stack": 7, "id": {}, "resources": "x"}'),
    "a page for people": says(b"<html>canary</html>", Content_Type="text/html"),
    "half of an answer": _half,
    "the way to another server": _sent_on,
    "later, in a billion seconds": says(b"{}", 503, Retry_After="1000000000"),
    "too many requests, for ever": says(b"{}", 429, Retry_After="1000000000"),
}
