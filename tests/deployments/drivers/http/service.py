"""A small service for tests: things below `/v1`, put at a place or posted to a collection, with a token, versions and pages."""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

__all__ = ["TOKEN", "Service", "running"]

TOKEN = "canary-of-the-service"
_PAGE = 2


class Service:
    """What is there, and how it misbehaves."""

    def __init__(self) -> None:
        self.things: dict[str, dict[str, Any]] = {}
        self.posts = 0
        self.keys: dict[str, str] = {}
        """Idempotency keys with the paths of what was created."""
        self.keeps_keys = False
        self.cut_after: set[str] = set()
        """Methods whose next request is heard, and not answered."""
        self.answers: list[tuple[int, bytes, dict[str, str]]] = []
        """Given instead of what is asked for."""
        self.pending = 0
        """How often things that were made anew are looked at before they are active."""
        self.drip = 0.0
        """Seconds between one byte of an answer and the next."""
        self.url = ""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    service: Service

    def log_message(self, *words: object) -> None:
        pass

    def answer(self) -> None:
        service = self.service
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size)) if size else None
        split = urlsplit(self.path)
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self._say(401, {"error": f"no {self.headers.get('Authorization')}"})
        elif service.answers:
            status, data, headers = service.answers.pop(0)
            self._send(status, data, headers)
        else:
            status, answer, headers = self._done(split.path, parse_qs(split.query), body)
            if self.command in service.cut_after:
                service.cut_after.remove(self.command)
                self.close_connection = True
                return
            self._say(status, answer, headers)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815  as the server looks for them

    def _done(self, path: str, query: dict[str, list[str]], body: Any) -> tuple[int, Any, dict[str, str]]:
        service = self.service
        thing = service.things.get(path)
        match self.command:
            case "POST":
                return self._post(path, body)
            case "GET" if path == "/v1/users":
                return self._page(int(query.get("page", ["0"])[0]))
            case "GET" if thing is not None:
                thing["looks"] += 1
                return 200, _shown(thing, service.pending), {"ETag": f'"{thing["version"]}"'}
            case "PUT" if thing is None:
                service.things[path] = {"body": body, "version": 1, "looks": 0}
                return 201, None, {}
            case "PUT" | "PATCH" if thing is not None:
                if self.headers.get("If-None-Match") == "*" or self.headers.get("If-Match", "") not in (
                    "",
                    f'"{thing["version"]}"',
                ):
                    return 412, None, {}
                thing["body"] = {**(thing["body"] if self.command == "PATCH" else {}), **body}
                thing["version"] += 1
                return 200, None, {}
            case "DELETE" if thing is not None:
                del service.things[path]
                return 204, None, {}
            case _:
                return 404, {"error": "nothing here"}, {}

    def _post(self, path: str, body: Any) -> tuple[int, Any, dict[str, str]]:
        service, key = self.service, self.headers.get("Idempotency-Key", "")
        if service.keeps_keys and key in service.keys:
            place = service.keys[key]
        else:
            service.posts += 1
            place = service.keys[key] = f"{path}/{service.posts}"
            service.things[place] = {"body": {**body, "id": service.posts}, "version": 1, "looks": 0}
        return 201, {"id": service.things[place]["body"]["id"]}, {"Location": f"{service.url}{place[3:]}"}

    def _page(self, number: int) -> tuple[int, Any, dict[str, str]]:
        users = [
            thing["body"] for path, thing in self.service.things.items() if path.startswith("/v1/users/")
        ]
        more = {"Link": f'<{self.service.url}/users?page={number + 1}>; rel="next"'}
        first = number * _PAGE
        return (
            200,
            {"items": users[first : first + _PAGE], "total": len(users)},
            more if len(users) > first + _PAGE else {},
        )

    def _say(self, status: int, answer: Any, headers: dict[str, str] | None = None) -> None:
        self._send(status, b"" if answer is None else json.dumps(answer).encode(), headers or {})

    def _send(self, status: int, data: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if not self.service.drip:
            self.wfile.write(data)
            return
        with suppress(OSError):  # nobody waits for the end
            for byte in data:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                time.sleep(self.service.drip)
        self.close_connection = True


def _shown(thing: dict[str, Any], pending: int) -> dict[str, Any]:
    """A password is taken, and not given back."""
    state = "active" if thing["looks"] > pending else "pending"
    return {
        "state": state,
        "by": "service",
        **{name: value for name, value in thing["body"].items() if name != "password"},
    }


@contextmanager
def running(service: Service, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """The address of the service, below which everything lies."""

    class Handler(_Handler):
        pass

    Handler.service = service
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        name = "127.0.0.1" if tls is None else "localhost"
        service.url = f"{'http' if tls is None else 'https'}://{name}:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield service.url
        finally:
            server.shutdown()
            thread.join(10)
