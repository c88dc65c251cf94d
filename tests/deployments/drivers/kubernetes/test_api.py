"""Requests to a cluster that is slow: how many are sent at a time, and when their timeout starts."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from sabir.deployments.drivers.kubernetes.api import KubernetesApi, KubernetesApiError, ObjectPath, Schemas

_AT_A_TIME = 4
_SECONDS = 0.05
"""The server works on 4 requests at a time, each for this long."""


class SlowServer:
    """Answers on loopback, a few requests at a time; counts what it is asked."""

    def __init__(self) -> None:
        self.pending, self.most_pending, self.paths = 0, 0, Counter[str]()
        self._capacity = asyncio.Semaphore(_AT_A_TIME)
        self.missing: frozenset[str] = frozenset()

    @asynccontextmanager
    async def connected(self, *, seconds: float) -> AsyncGenerator[KubernetesApi]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=1000)
        port = server.sockets[0].getsockname()[1]
        async with server, httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=seconds) as client:
            yield KubernetesApi(client, namespace="shop", seconds=seconds)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                await self._answer(head.split(b" ", 2)[1].decode(), writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client is gone
        finally:
            writer.close()

    async def _answer(self, path: str, writer: asyncio.StreamWriter) -> None:
        self.paths[path] += 1
        self.pending += 1
        self.most_pending = max(self.most_pending, self.pending)
        async with self._capacity:
            await asyncio.sleep(_SECONDS)  # how slow it is
        self.pending -= 1
        status = "404 Not Found" if path in self.missing else "200 OK"
        content = json.dumps(self._content(path)).encode()
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content)
        await writer.drain()

    def _content(self, path: str) -> dict[str, Any]:
        if path == "/openapi/v2":
            return {"definitions": {}}
        if path == "/api/v1":
            return {"resources": [{"kind": "ConfigMap", "name": "configmaps", "namespaced": True}]}
        return {"kind": "ConfigMap", "metadata": {"name": path.rpartition("/")[2], "namespace": "shop"}}


def run(work: Callable[[SlowServer, KubernetesApi], Awaitable[None]], *, seconds: float = 30.0) -> None:
    async def connected() -> None:
        server = SlowServer()
        async with server.connected(seconds=seconds) as api:
            await work(server, api)

    asyncio.run(connected())


def place(name: str) -> ObjectPath:
    path = f"/api/v1/namespaces/shop/configmaps/{name}"
    return ObjectPath(path=path, version="v1", kind="ConfigMap", name=name, namespace="shop")


@pytest.mark.slow
def test_time_in_the_queue_does_not_count_and_requests_are_bounded() -> None:
    """All of them take 2.5 seconds and no single one a fifth of the timeout."""

    async def work(server: SlowServer, api: KubernetesApi) -> None:
        found = await asyncio.gather(*(api.find(place(f"c{number}")) for number in range(200)))
        assert all(found)
        assert server.most_pending == 16

    run(work, seconds=1.5)


def test_what_all_reads_need_is_requested_once() -> None:
    async def work(server: SlowServer, api: KubernetesApi) -> None:
        manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}
        places = await asyncio.gather(*(api.find_path(manifest) for _ in range(50)))
        await asyncio.gather(*(api.schemas() for _ in range(50)))
        assert {one.path for one in places} == {place("c").path}
        assert server.paths == {"/api/v1": 1, "/openapi/v2": 1}

    run(work)


def test_a_shared_request_that_fails_is_sent_again_later() -> None:
    async def work(server: SlowServer, api: KubernetesApi) -> None:
        server.missing = frozenset(["/openapi/v2"])
        results = await asyncio.gather(*(api.schemas() for _ in range(20)), return_exceptions=True)
        assert all(isinstance(result, KubernetesApiError) for result in results)
        assert server.paths["/openapi/v2"] == 1
        server.missing = frozenset()
        await api.schemas()
        assert server.paths["/openapi/v2"] == 2

    run(work)


DOCUMENT = {
    "definitions": {
        "Shelf": {
            "x-kubernetes-group-version-kind": [{"group": "example.org", "version": "v1", "kind": "Shelf"}],
            "properties": {
                "apiVersion": {"type": "string"},
                "kind": {"type": "string"},
                "spec": {"$ref": "#/definitions/Spec"},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "anything": {"type": "object"},
                "open": {"properties": {"a": {}}, "x-kubernetes-preserve-unknown-fields": True},
            },
        },
        "Spec": {
            "properties": {
                "books": {"type": "array", "items": {"properties": {"title": {"type": "string"}}}},
                "ports": {
                    "items": {"properties": {"port": {}, "protocol": {}}},
                    "x-kubernetes-list-map-keys": ["port", "protocol"],
                },
            }
        },
    }
}


@pytest.mark.parametrize(
    ("rest", "left_out"),
    [
        ({"spec": {"books": [{"title": "a"}]}}, ()),
        ({"spec": {"books": [{"title": "a", "pages": 3}], "size": 1}}, ("spec.books[0].pages", "spec.size")),
        ({"labels": {"any": "text"}}, ()),
        ({"spec": {"ports": [{"port": 80, "protocol": "UDP"}]}}, ()),
        ({"anything": {"x": {"y": 1}}}, ()),
        ({"open": {"a": 1, "b": 2}}, ()),
        ({"colour": "red"}, ("colour",)),
    ],
)
def test_unknown_fields_are_left_out(rest: dict[str, Any], left_out: tuple[str, ...]) -> None:
    manifest = {"apiVersion": "example.org/v1", "kind": "Shelf", **rest}
    taken, paths = Schemas(DOCUMENT).without_unknown(manifest)
    assert paths == left_out
    assert (taken == manifest) is (not left_out)


def test_keys_of_list_items_are_filled_in() -> None:
    manifest = {"apiVersion": "example.org/v1", "kind": "Shelf", "spec": {"ports": [{"port": 80}]}}
    taken, _ = Schemas(DOCUMENT).without_unknown(manifest)
    assert taken["spec"]["ports"] == [{"protocol": "TCP", "port": 80}]


def test_a_kind_without_a_schema_is_sent_as_it_is() -> None:
    manifest = {"apiVersion": "example.org/v2", "kind": "Shelf", "colour": "red"}
    assert Schemas(DOCUMENT).without_unknown(manifest) == (manifest, ())
