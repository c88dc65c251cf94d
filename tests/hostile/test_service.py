"""A real service and clients that keep to no rule: each request is answered or refused, and ordinary readers are answered meanwhile."""

from __future__ import annotations

import http.client
import io
import json
import socket
import struct
import threading
import time
import zipfile
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import pytest

from tests.hostile.attack import CANARY
from tests.hostile.attacks import ATTACKS
from tests.server.live import Live, live_service

pytestmark = pytest.mark.slow
SOON = 5.0
"""Seconds in which an ordinary reader is answered, on a machine that others use, too."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Live]:
    folder = tmp_path_factory.mktemp("service")
    (folder / "secret.yaml").write_text(CANARY)
    with live_service(folder / "data", "--requests-a-minute", "1000000") as live:
        yield live


def ask(
    service: Live, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> tuple[int, bytes]:
    place = urlsplit(service.url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)
    try:
        sent = {"Authorization": f"Bearer {service.token}", **(headers or {})}
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@contextmanager
def readers(service: Live, count: int = 3) -> Generator[list[float]]:
    """Ordinary readers: how long each of their requests took. All are answered."""
    ended, times, failures = threading.Event(), list[float](), list[object]()

    def read() -> None:
        while not ended.is_set():
            began = time.monotonic()
            try:
                status, _ = ask(service, "GET", "/api/1/packages")
            except OSError as error:
                failures.append(error)
            else:
                if status != 200:
                    failures.append(status)
            times.append(time.monotonic() - began)
            time.sleep(0.05)

    threads = [threading.Thread(target=read) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield times
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert failures == []
    assert times
    assert max(times) < SOON


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members:
            packed.writestr(name, content)
    return stream.getvalue()


def linked() -> bytes:
    link = zipfile.ZipInfo("manifest.yaml")
    link.external_attr = 0o120777 << 16
    return zipped((link, b"../../../../../etc/passwd"))


def overlapping() -> bytes:
    """A directory of 5,000 entries that all name the one file of 1 MB."""
    whole = zipped(("a", bytes(1 << 20)))
    start = whole.index(b"PK\x01\x02")
    entry = whole[start : whole.index(b"PK\x05\x06")]
    count = 5000
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(entry) * count, start, 0)
    return whole[:start] + entry * count + end


def forged(field: int, value: int) -> bytes:
    """A number of the central directory that is not true."""
    data = bytearray(zipped(("manifest.yaml", b"a: 1\n" * 100)))
    place = data.index(b"PK\x01\x02") + field
    data[place : place + 4] = struct.pack("<L", value)
    return bytes(data)


ARCHIVES: Mapping[str, Callable[[], bytes]] = {
    **{
        f"{attack.door}: {attack.attack}": lambda attack=attack: attack.files()["package.zip"]  # type: ignore[misc]
        for attack in ATTACKS
        if attack.words[1:] == ("PATH/package.zip",)
    },
    "no archive": lambda: b"hello",
    "nothing": lambda: b"",
    "half of an archive": lambda: zipped(("manifest.yaml", b"a: 1"))[:30],
    "200 MB of nothing": lambda: zipped(("manifest.yaml", bytes(200 << 20))),
    "many files that share their bytes": overlapping,
    "a link": linked,
    "a length that is not true": lambda: forged(24, 0xFFFFFFF0),
    "a place that is not there": lambda: forged(42, 0xFFFFFFF0),
    "names that climb": lambda: zipped(("../../RAN", b"x"), ("/etc/RAN", b"x"), ("a\\..\\RAN", b"x")),
    "the same name twice": lambda: zipped(("manifest.yaml", b"a: 1"), ("./manifest.yaml", b"a: 2")),
    "30,000 files": lambda: zipped(*((f"f{number}", b"") for number in range(30_000))),
    "folders nested 5,000 deep": lambda: zipped(("a/" * 5000 + "f", b"x")),
    "an archive in an archive, ten times": lambda: _nested(10),
    "a billion laughs": lambda: zipped(
        ("manifest.yaml", b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
            b"%c: &%c [%s]\n" % (98 + n, 98 + n, b",".join([b"*%c" % (97 + n)] * 9)) for n in range(9)
        ))
    ),
}  # fmt: skip


def _nested(levels: int) -> bytes:
    data = bytes(10 << 20)
    for level in range(levels):
        data = zipped((f"{level}.zip", data))
    return data


def test_archives_of_strangers_while_others_read(service: Live) -> None:
    with readers(service):
        for name, archive in ARCHIVES.items():
            began = time.monotonic()
            status, body = ask(service, "POST", "/api/1/packages", archive())
            assert status in (400, 413), (name, status, body[:500])
            assert time.monotonic() - began < 30, name
            text = body.decode()
            assert json.loads(text), name
            for words in (CANARY, "Traceback", "root:", "Error:"):
                assert words not in text, (name, text[:500])


PATHS = [
    "/%2e%2e/%2e%2e/secret.yaml",
    "/static/../../secret.yaml",
    "/static/%2e%2e/%2e%2e/%2e%2e/secret.yaml",
    "/static/..%2f..%2f..%2fsecret.yaml",
    "/static/....//....//secret.yaml",
    "/static/%00",
    "/api/1/packages/..%2f..%2fsecret.yaml",
    "/api/1/packages/%2e%2e",
    "/api/1/environments/..%2f..%2f/files/secret.yaml",
    "//127.0.0.1/secret.yaml",
    "/" + "a" * 20_000,
    "/api/1/packages?limit=99999999999999999999",
    "/api/1/packages?search=" + "%" * 1000,
    "/%ff%fe",
]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path[:50])
def test_paths_that_lead_elsewhere(service: Live, path: str) -> None:
    status, body = ask(service, "GET", path)
    assert 200 <= status < 500
    assert CANARY.encode() not in body
    assert b"Traceback" not in body


def test_files_of_an_environment_stay_in_it(service: Live) -> None:
    status, body = ask(
        service, "POST", "/api/1/environments", b'{"name": "demo"}', {"Content-Type": "application/json"}
    )
    assert status == 201, body
    id_ = json.loads(body)["id"]
    for name in (
        "../x",
        "%2e%2e/x",
        "..%2f..%2fx",
        ".sabir/state.db",
        "a%00b",
        "a/../../x",
        "%2e%2e%2f" * 20 + "etc/passwd",
    ):
        for method in ("GET", "PUT", "DELETE"):
            status, body = ask(
                service, method, f"/api/1/environments/{id_}/files/{name}", b"x" if method == "PUT" else None
            )
            assert 400 <= status < 500, (method, name, status, body[:200])
            assert b"root:" not in body


def test_a_token_in_an_address_is_none(service: Live) -> None:
    for path in (f"/api/1/packages?token={service.token}", f"/api/1/packages?access_token={service.token}"):
        assert ask(service, "GET", path, headers={"Authorization": ""})[0] == 401


@contextmanager
def connected(service: Live, count: int, data: bytes) -> Generator[list[socket.socket]]:
    place = urlsplit(service.url)
    with ExitStack() as stack:
        sockets = []
        for _ in range(count):
            opened = socket.create_connection((place.hostname, place.port), timeout=20)
            stack.enter_context(opened)
            opened.sendall(data)
            sockets.append(opened)
        yield sockets


def test_slow_clients_keep_nobody_waiting(service: Live) -> None:
    head = f"POST /api/1/packages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {service.token}\r\n"
    half_body = f"{head}Content-Length: 1000000\r\n\r\nPK".encode()
    with connected(service, 150, half_body) as slow, connected(service, 150, head.encode()), readers(service):
        for _ in range(10):
            for opened in slow:
                opened.sendall(b"x")
            time.sleep(0.2)


def test_followers_that_never_read(service: Live) -> None:
    told = {"Content-Type": "application/json"}
    _, body = ask(service, "POST", "/api/1/environments", b'{"name": "followed"}', told)
    where = f"/api/1/environments/{json.loads(body)['id']}"
    resources = "".join(f"  r{n}: {{kind: file, fields: {{path: f{n}, content: x}}}}\n" for n in range(500))
    for name, text in {
        "sabir.yaml": "name: followed\nparts:\n  f: {path: resources.yaml}\n",
        "resources.yaml": f"sabir: resources/1\nresources:\n{resources}",
    }.items():
        assert ask(service, "PUT", f"{where}/files/{name}", text.encode())[0] in (200, 201)
    status, body = ask(service, "POST", f"{where}/jobs", b'{"verb": "deploy"}', told)
    assert status in (200, 201, 202), body
    job = f"{where}/jobs/{json.loads(body)['id']}"
    asked = f"GET {job}/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {service.token}\r\n\r\n".encode()
    with connected(service, 100, asked) as followers, readers(service):
        deadline = time.monotonic() + 60
        while json.loads(ask(service, "GET", job)[1])["state"] not in ("done", "failed"):
            assert time.monotonic() < deadline
            time.sleep(0.2)
        assert json.loads(ask(service, "GET", job)[1])["state"] == "done"
        assert followers[0].recv(15) == b"HTTP/1.1 200 OK"


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n"
        + b"".join(b"X-%d: y\r\n" % number for number in range(100_000))
        + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * (4 << 20) + b"\r\n\r\n",
        b"GET /" + b"a" * (4 << 20) + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /api/1/packages HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"POST /api/1/packages HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        b"POST /api/1/packages HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\r\n" * 100_000,
    ],
    ids=lambda data: repr(data[:40]),
)
def test_requests_that_are_none(service: Live, data: bytes) -> None:
    with readers(service, 1):
        try:
            with connected(service, 1, data) as (opened,):
                opened.settimeout(10)
                answer = opened.recv(1 << 16)
        except (OSError, TimeoutError):
            answer = b""
        assert b"Traceback" not in answer
        assert not answer.startswith(b"HTTP/1.1 5")
