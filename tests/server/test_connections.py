"""Connections of a real server on loopback: half-sent requests are closed, slow ones that make progress are answered."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn

from sabir.server.connections import bounded_app, bounded_protocol
from sabir.server.run import open_socket
from sabir.server.settings import ConnectionLimits, ServerSettings

LIMITS = ConnectionLimits(most=20, header_seconds=0.4, body_seconds=0.4, slowest=2000)
HALF_HEADERS = b"GET /health HTTP/1.1\r\nHost: x\r\nX-Half: "
PATIENCE = 10


async def application(scope, receive, send) -> None:  # type: ignore[no-untyped-def]  # as ASGI has it
    """Answers with the number of bytes of the body; `/early` without reading it, `/slow` after a while, `/events` until one leaves."""
    if scope["type"] != "http":
        return
    size, more = 0, scope["path"] != "/early"
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    if scope["path"] == "/events":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"one\n", "more_body": True})
        await receive()
        return
    body = str(size).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@contextlib.contextmanager
def served(limits: ConnectionLimits, folder: Path) -> Iterator[int]:
    listening = open_socket(ServerSettings(data=folder, port=0))
    config = uvicorn.Config(
        bounded_app(application),
        http=bounded_protocol(limits),
        ws="none",
        lifespan="off",
        log_level="error",
        timeout_keep_alive=60,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(30)
        listening.close()


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with served(LIMITS, tmp_path_factory.mktemp("data")) as port:
        yield port


def connected(port: int, data: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    if data:
        connection.sendall(data)
    return connection


def everything(connection: socket.socket) -> bytes:
    """What comes until the other side closes; it fails when that does not happen."""
    received = b""
    with connection, contextlib.suppress(ConnectionResetError):
        while data := connection.recv(65536):
            received += data
    return received


def trickle(connection: socket.socket, data: bytes, seconds: float) -> bytes:
    """Send a byte now and then until the other side closes."""
    connection.settimeout(seconds)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            connection.sendall(data)
            received = connection.recv(65536)
        except TimeoutError:
            continue
        except (BrokenPipeError, ConnectionResetError):
            return b""
        return received
    raise AssertionError("the connection stays open")


@pytest.mark.parametrize("sent", [b"", b"G", HALF_HEADERS, b"GET / HTTP/1.1\r\n"])
def test_half_a_header_is_closed(port: int, sent: bytes) -> None:
    assert everything(connected(port, sent)).startswith(b"HTTP/1.1 408 ")


def test_a_header_that_comes_byte_by_byte_is_closed(port: int) -> None:
    with connected(port, HALF_HEADERS) as connection:
        assert trickle(connection, b"x", 0.05)[:13] in (b"", b"HTTP/1.1 408 ")


@pytest.mark.parametrize(
    "header", [b"Content-Length: 1000", b"Transfer-Encoding: chunked"], ids=["length", "chunked"]
)
@pytest.mark.parametrize("sent", [b"", b"3\r\nabc\r\n"])
def test_half_a_body_is_closed(port: int, header: bytes, sent: bytes) -> None:
    request = b"PUT / HTTP/1.1\r\nHost: x\r\n" + header + b"\r\n\r\n" + sent
    assert everything(connected(port, request)).startswith(b"HTTP/1.1 408 ")


def test_a_body_that_comes_byte_by_byte_is_closed(port: int) -> None:
    with connected(port, b"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n") as connection:
        assert trickle(connection, b"x", 0.05)[:13] in (b"", b"HTTP/1.1 408 ")


def test_the_rest_of_a_body_that_nobody_reads_is_not_awaited(port: int) -> None:
    request = b"PUT /early HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nabc"
    received = everything(connected(port, request))
    assert received.startswith(b"HTTP/1.1 200 ")


@pytest.mark.slow
def test_a_slow_upload_that_makes_progress_is_answered(port: int) -> None:
    """It takes several times as long as the limit for a body that stands still."""
    pieces, size = 30, 200
    with connected(
        port, b"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % (pieces * size)
    ) as slow:
        waiting = threading.Event()
        for _ in range(pieces):
            waiting.wait(0.05)
            slow.sendall(b"x" * size)
        assert slow.recv(65536).endswith(b"6000")


@pytest.mark.slow
def test_an_idle_connection_waits_for_its_next_request(port: int) -> None:
    """Between two requests only the limit of uvicorn counts."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    for _ in range(2):
        connection.request("PUT", "/", body=b"abc")
        assert connection.getresponse().read() == b"3"
        threading.Event().wait(LIMITS.header_seconds * 2)
    connection.sock.sendall(HALF_HEADERS)
    assert everything(connection.sock).startswith(b"HTTP/1.1 408 ")


@pytest.mark.slow
def test_an_answer_may_take_as_long_as_it_needs(port: int) -> None:
    with connected(port, b"GET /events HTTP/1.1\r\nHost: x\r\n\r\n") as follower:
        received = b""
        while b"one" not in received:
            received += follower.recv(65536)
        follower.settimeout(LIMITS.header_seconds * 3)
        with pytest.raises(TimeoutError):
            follower.recv(1)


def test_requests_one_after_the_other_without_waiting(port: int) -> None:
    one = b"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
    connection, received = connected(port, one * 3), b""
    while received.count(b"HTTP/1.1 200 ") < 3:
        received += connection.recv(65536)
    connection.sendall(HALF_HEADERS)
    assert b"HTTP/1.1 408 " in everything(connection)


def test_many_half_sent_requests_keep_nobody_out(tmp_path: Path) -> None:
    patient = ConnectionLimits(most=20, header_seconds=600, body_seconds=600)
    with served(patient, tmp_path) as port, contextlib.ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(connected(port, HALF_HEADERS))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        connection.request("PUT", "/", body=b"abc")
        assert connection.getresponse().read() == b"3"
        connection.close()


def test_connections_that_are_answered_are_not_closed_for_others(tmp_path: Path) -> None:
    few = ConnectionLimits(most=3, header_seconds=600, body_seconds=600)
    with served(few, tmp_path) as port, contextlib.ExitStack() as stack:
        followers = [
            stack.enter_context(connected(port, b"GET /events HTTP/1.1\r\nHost: x\r\n\r\n")) for _ in range(3)
        ]
        for follower in followers:
            assert follower.recv(65536)
        assert everything(connected(port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")).startswith(b"HTTP/1.1 503 ")
        followers.pop().close()
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        for _ in range(100):
            with contextlib.suppress(http.client.HTTPException, ConnectionError):
                connection.request("PUT", "/", body=b"abc")
                if connection.getresponse().read() == b"3":
                    break
            connection.close()
        else:
            raise AssertionError("there is no room again")
        connection.close()
