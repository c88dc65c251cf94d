"""Brokers and agents that lie: frames that are none, messages that are no answers."""

from __future__ import annotations

import asyncio
import resource
import socketserver
import struct
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import aio_pika
import pytest

from sabir.deployments.drivers.amqp.driver import DRIVER
from sabir.errors import UnreachableError
from sabir.graph.address import Address
from sabir.resources.driver import DriverContext
from sabir.resources.effects import ANSWER
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task
from sabir.resources.target import Target
from tests.deployments.drivers.amqp.rabbitmq import broker, why_not

pytestmark = pytest.mark.slow
NOTHING: Any = None
Talk = Callable[[Any], None]


def _frame(kind: int, payload: bytes, length: int | None = None) -> bytes:
    return struct.pack(">BHL", kind, 0, len(payload) if length is None else length) + payload + b"\xce"


def _endless(sock: Any) -> None:
    sock.sendall(_frame(1, b"", 4_000_000_000)[:-1])
    while True:
        sock.sendall(bytes(65536))


def _dripping(sock: Any) -> None:
    sock.sendall(_frame(1, b"", 1000)[:-1])
    while True:
        sock.sendall(b"a")
        time.sleep(0.1)


TALKS: dict[str, Talk] = {
    "nothing at all": lambda _: time.sleep(30),
    "a page for people": lambda sock: sock.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
    "another protocol": lambda sock: sock.sendall(b"AMQP\x03\x01\x00\x00"),
    "frames of noise": lambda sock: sock.sendall(bytes(range(256)) * 100),
    "a frame of 4 GB": _endless,
    "a frame that never ends": _dripping,
    "a frame of nothing": lambda sock: sock.sendall(_frame(1, b"")),
    "a method that is none": lambda sock: sock.sendall(_frame(1, b"\xff\xff\xff\xff")),
    "a table of tables": lambda sock: sock.sendall(
        _frame(1, struct.pack(">HHBB", 10, 10, 0, 9) + b"\x7f\xff\xff\xff" + b"\x01aF\x7f\xff\xff\xff" * 1000)
    ),
    "the end": lambda sock: sock.close(),
}


@contextmanager
def talking(talk: Talk) -> Generator[int]:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                self.request.recv(8)
                talk(self.request)
                self.request.recv(1)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def _task(timeout: float | None = None) -> Task:
    desired: dict[str, Any] = {"queue": "in", "replyTo": "out", "plan": {"ID": "p1", "Body": "x"}}
    call = Resource(address=Address("a"), kind="agent.call", desired=desired)
    return Task(operation_id="o1", action=Action.RUN, resource=call, timeout=timeout)


def _asked(port: int, task: Task, folder: Path) -> Any:
    target = Target(
        name="b", driver="amqp", settings={"host": "127.0.0.1", "port": port, "timeout_seconds": 2}
    )

    async def ask() -> Any:
        context = DriverContext(folder=folder, environment="e")
        async with DRIVER.connect(target, context) as connection:
            return await connection.apply(task, NOTHING)

    return asyncio.run(asyncio.wait_for(ask(), 30))


@pytest.mark.parametrize("talk", TALKS)
def test_a_broker_that_is_none(talk: str, tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.monotonic()
    with talking(TALKS[talk]) as port, pytest.raises(UnreachableError, match="does not let us in"):
        _asked(port, _task(), tmp_path)
    assert time.monotonic() - began < 15
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 << 10


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Generator[int]:
    if why_not() is not None:
        pytest.skip(str(why_not()))
    with broker(tmp_path_factory.mktemp("rabbitmq")) as started:
        yield started


DEEP = b'{"SourceID": "p1", "Body": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
LIES: dict[str, list[tuple[bytes, str | None]]] = {
    "no ids": [(b'{"Body": 1}', None)] * 50,
    "ids that are none": [(b'{"SourceID": [1], "Body": 1}', None), (b'{"SourceID": {"a": 1}}', None)],
    "answers to others": [(b'{"SourceID": "other%d", "Body": 1}' % number, None) for number in range(3000)],
    "no JSON": [(b"- yaml: &a [*a]", "x"), (b"\xff\xfe", None), (b"", None)],
    "deep JSON for others": [(DEEP.replace(b"p1", b"p2"), None)],
}


async def _agent(port: int, messages: list[tuple[bytes, str | None]], ready: threading.Event) -> None:
    connection = await aio_pika.connect(host="127.0.0.1", port=port)
    async with connection:
        channel = await connection.channel()
        queue = await channel.declare_queue("in")
        await channel.declare_queue("out")
        await queue.purge()
        ready.set()
        async with queue.iterator() as plans:
            async for plan in plans:
                await plan.ack()
                for body, message_id in messages:
                    message = aio_pika.Message(body, message_id=message_id)
                    await channel.default_exchange.publish(message, routing_key="out")
                return


def _with_agent(port: int, messages: list[tuple[bytes, str | None]], folder: Path, task: Task) -> Any:
    ready = threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(_agent(port, messages, ready)), daemon=True)
    thread.start()
    assert ready.wait(20)
    try:
        return _asked(port, task, folder)
    finally:
        thread.join(20)


@pytest.mark.parametrize("lies", LIES)
def test_messages_that_are_no_answer_are_passed_over(lies: str, port: int, tmp_path: Path) -> None:
    answered = (b'{"SourceID": "p1", "Body": 7}', None)
    outcome = _with_agent(port, [*LIES[lies], answered], tmp_path, _task(20))
    assert outcome.results[ANSWER]["Body"] == 7


@pytest.mark.parametrize(
    "body", [b"no JSON", DEEP, b"[" + b"[]," * 3_000_000 + b"[]]"], ids=["text", "deep", "many"]
)
def test_an_answer_that_cannot_be_read_ends_the_waiting(body: bytes, port: int, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="its answer cannot be read"):
        _with_agent(port, [(body, "p1")], tmp_path, _task())
