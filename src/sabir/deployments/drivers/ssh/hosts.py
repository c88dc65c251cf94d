"""One host at work: requests and answers over one connection.

A connection that breaks is made anew by the next request. What was asked over the broken one and not answered is lost: whoever
asked has to look, and the host lets nobody look before the hands of the broken connection have ended.

What is sent to a host: a command short enough for every shell, and the hands as the first line of its input.

Nothing is written to the host's disk, and nothing that a description holds stands on a command line.
"""

from __future__ import annotations

import asyncio
import shlex
from asyncio import Future, Lock, Task
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from itertools import count
from typing import Any, Final, Self

import asyncssh

from sabir.deployments.drivers.machine import ResponseLostError
from sabir.deployments.drivers.responses import InvalidResponseError, check_amount, check_depth
from sabir.deployments.drivers.ssh.access import Access, HostTransport, connect
from sabir.deployments.host_agent.root import HostAgentError
from sabir.deployments.host_agent.server import GREETING
from sabir.deployments.host_agent.wire import decode, encode
from sabir.diagnostics.reasons import explain_error
from sabir.errors import UnreachableError

_HOST_AGENT: Final = "sabir.deployments.host_agent"
# It has to be understood by every Python there ever was, so that an old one can say that it is too old.
_START: Final = (
    "import sys;"
    "sys.version_info >= (3, 9) or sys.exit('this is Python %d.%d' % tuple(sys.version_info[:2]));"
    "import json, os;"
    "lines = os.fdopen(os.dup(0), 'rb');"
    "sent = json.loads(lines.readline());"
    "exec(sent['begin'])"
)
_BEGIN: Final = """\
import importlib.abc
import importlib.util

class Sent(importlib.abc.InspectLoader):
    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self) if name in sent["modules"] else None

    def is_package(self, name):
        return name in sent["packages"]

    def get_source(self, name):
        return sent["modules"][name]

sys.meta_path.insert(0, Sent())
from sabir.deployments.host_agent.server import serve
serve(lines, sent["settings"])
"""


def start_command(python: str, *, sudo: bool) -> str:
    """`-I`: neither variables nor files of the account change what is imported."""
    words = ["sudo", "-n", "--"] if sudo else []
    return "exec " + shlex.join([*words, python, "-I", "-c", _START])


def first_line(settings: dict[str, Any]) -> bytes:
    packages = dict.fromkeys(("sabir", "sabir.deployments"), "")
    modules = {
        f"{_HOST_AGENT}.{file.name.removesuffix('.py')}".removesuffix(".__init__"): file.read_text("utf-8")
        for file in files(_HOST_AGENT).iterdir()
        if file.name.endswith(".py")
    }
    return encode(
        {
            "begin": _BEGIN,
            "packages": [*packages, _HOST_AGENT],
            "modules": {**packages, **modules},
            "settings": settings,
        }
    )


_SIGNS_OF_LIFE: Final = 4
"""So many in the time after which the host takes silence for the end."""
_PIECE: Final = 1 << 16
_LONGEST_ANSWER: Final = 64 << 20
_MOST_WORDS: Final = 1000
_LONGEST_WORDS: Final = 1 << 20
"""Lines, and bytes in one of them, that a login may print before the hands answer."""
_MOST_UNASKED: Final = 10_000
"""Answers to nothing: those to requests that were given up are few."""
_LOOK_PATIENCE: Final = 15
"""A look may take so many times as long as a connection: nothing is waited for."""
_NO_ANSWER: Final = (ValueError, KeyError, TypeError, AttributeError, RecursionError, InvalidResponseError)
_LONGEST_SENTENCE: Final = 2000
_FAREWELL_SECONDS: Final = 5.0
_LOOKS: Final = 2
"""Looking changes nothing: it is tried so many times more when a connection breaks."""
_BROKEN: Final = (OSError, asyncssh.Error)


class Host:
    """A host, over as many connections as it takes, one at a time."""

    def __init__(self, access: Access, turn: str) -> None:
        self.access = access
        self.turn = turn
        self._line: Line | None = None
        self._opening = Lock()

    async def do(self, verb: str, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        request = {"do": verb, "kind": kind, "data": data}
        for _ in range(_LOOKS if verb in ("read", "observe") else 0):
            with suppress(ResponseLostError):
                return await self._send_request(request)
        return await self._send_request(request)

    async def _send_request(self, request: dict[str, Any]) -> dict[str, Any]:
        line = await self.line()
        if request["do"] != "read":
            return await line.ask(request)
        seconds = self.access.connect_seconds * _LOOK_PATIENCE
        try:
            async with asyncio.timeout(seconds):
                return await line.ask(request)
        except TimeoutError as error:
            words = f"a look was not answered within {seconds:g} seconds"
            raise UnreachableError(self.access.sentence(words)) from error

    async def line(self) -> Line:
        async with self._opening:
            if self._line is not None and self._line.broken is not None:
                await self._line.close()
                self._line = None
            if self._line is None:
                self._line = await Line.open(self.access, self.turn)
            return self._line

    async def close(self) -> None:
        if self._line is not None:
            await self._line.close()


class Line:
    """One connection with hands at its other end."""

    def __init__(self, access: Access, connection: HostTransport, process: Any, lines: _Lines) -> None:
        self.access = access
        self.connection = connection
        self.process = process
        self._lines = lines
        self._unasked = 0
        self.broken: str | None = None
        """Why nothing can be asked any more."""
        self._numbers = count(1)
        self._asked: dict[int, Future[dict[str, Any]]] = {}
        self._tasks: tuple[Task[None], ...] = ()

    @classmethod
    async def open(cls, access: Access, turn: str) -> Self:
        connection = await connect(access)
        async with _close_on_failure(connection):
            process, lines = await _start_agent(access, connection, turn)
            line = cls(access, connection, process, lines)
            line._tasks = asyncio.create_task(line._listen()), asyncio.create_task(line._show_life())
            return line

    async def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        number = next(self._numbers)
        text = encode({**request, "id": number})
        if self.broken is not None:
            raise UnreachableError(self.access.sentence(f"the connection broke: {self.broken}"))
        answer = self._asked[number] = asyncio.get_running_loop().create_future()
        try:
            # Written in part is written: from here on only an answer tells.
            with suppress(*_BROKEN):
                self.process.stdin.write(text)
                await self.process.stdin.drain()
            return self._content(await answer)
        finally:
            self._asked.pop(number, None)

    def _content(self, answer: dict[str, Any]) -> dict[str, Any]:
        if "error" in answer:
            raise HostAgentError(
                str(answer["error"])[:_LONGEST_SENTENCE], passing=answer.get("passing") is True
            )
        if "fault" in answer:
            fault = str(answer["fault"])[:_LONGEST_SENTENCE]
            raise ResponseLostError(self.access.sentence(f"something unforeseen on the host: {fault}"))
        content: dict[str, Any] = answer["answer"]
        return content

    async def close(self) -> None:
        """The end of the input tells the hands to end; a moment is left to them for that."""
        with suppress(*_BROKEN, TimeoutError):
            self.process.stdin.write_eof()
            async with asyncio.timeout(_FAREWELL_SECONDS):
                await self.process.wait_closed()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.connection.close()
        with suppress(*_BROKEN, TimeoutError):
            async with asyncio.timeout(_FAREWELL_SECONDS):
                await self.connection.wait_closed()

    async def _listen(self) -> None:
        reason = "the host ended it"
        try:
            while lines := await self._lines.some(_LONGEST_ANSWER):
                for line in lines:
                    self._take(line)
        except _BROKEN as error:
            reason = explain_error(error)
        except _NO_ANSWER as error:
            words = "the host answered with something else than an answer"
            reason = str(error) if isinstance(error, InvalidResponseError) else words
        finally:
            self._break(reason)

    def _take(self, line: bytes) -> None:
        check_amount(line)
        answer = decode(line)
        check_depth(answer)
        asked = self._asked.get(answer["id"])
        if not isinstance(answer.get("answer", {}), dict) or not {"answer", "error", "fault"} & answer.keys():
            raise TypeError(answer)
        if asked is not None and not asked.done():
            asked.set_result(answer)
            return
        self._unasked += 1
        if self._unasked > _MOST_UNASKED:
            raise InvalidResponseError("the host answers what nobody asked")

    def _break(self, reason: str) -> None:
        self.broken = reason
        words = f"the connection broke ({reason}) before the host answered"
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(ResponseLostError(self.access.sentence(words)))

    async def _show_life(self) -> None:
        with suppress(*_BROKEN):
            while self.broken is None:
                await asyncio.sleep(self.access.keepalive_seconds)
                self.process.stdin.write(encode({}))


class _Lines:
    """Lines as they come, many at a time."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._buffer = bytearray()
        self.rest: list[bytes] = []
        """Lines that came along with the greeting."""

    async def some(self, longest: int) -> list[bytes]:
        """Whole lines; none when the stream has ended. `AnswerRefused`: one is longer than that."""
        if self.rest:
            lines, self.rest = self.rest, []
            return lines
        while piece := await self._stream.read(_PIECE):
            start = len(self._buffer)
            self._buffer += piece
            end = self._buffer.rfind(b"\n", start)
            if end >= 0:
                lines = bytes(self._buffer[:end]).split(b"\n")
                del self._buffer[: end + 1]
                return lines
            if len(self._buffer) > longest:
                raise InvalidResponseError("an answer is too long")
        return []


@asynccontextmanager
async def _close_on_failure(connection: HostTransport) -> AsyncGenerator[None]:
    try:
        yield
    except BaseException:
        connection.abort()
        with suppress(*_BROKEN, TimeoutError):
            async with asyncio.timeout(_FAREWELL_SECONDS):
                await connection.wait_closed()
        raise


async def _start_agent(access: Access, connection: HostTransport, turn: str) -> tuple[Any, _Lines]:
    """Hands that have greeted, and what they write from then on."""
    settings = {"root": access.root, "turn": turn, "silence": access.keepalive_seconds * _SIGNS_OF_LIFE}
    try:
        async with asyncio.timeout(access.connect_seconds):
            process = await connection.create_process(
                start_command(access.python, sudo=access.sudo), encoding=None
            )
            with suppress(*_BROKEN):  # it may have ended already; it says why
                process.stdin.write(first_line(settings))
            lines = _Lines(process.stdout)
            greeting = await _read_greeting(lines)
            if greeting is None:
                raise access.problem(await _explain_failed_start(access, process))
    except TimeoutError as error:
        words = f"{access.python} did not answer within {access.connect_seconds:g} seconds"
        raise UnreachableError(access.sentence(words)) from error
    except _BROKEN as error:
        raise UnreachableError(access.sentence(f"the connection broke: {explain_error(error)}")) from error
    except _NO_ANSWER as error:
        words = f"{access.python} answers with something that is no greeting of ours"
        raise access.problem(words) from error
    if greeting.get("error") is not None:
        raise access.problem(str(greeting["error"])[:_LONGEST_SENTENCE])
    return process, lines


async def _read_greeting(lines: _Lines) -> dict[str, Any] | None:
    words = 0
    while words < _MOST_WORDS and (some := await lines.some(_LONGEST_WORDS)):
        for index, line in enumerate(some):
            if line.startswith(GREETING):
                lines.rest = some[index + 1 :]
                greeting: dict[str, Any] = decode(line[len(GREETING) :])
                return {**greeting}
        words += len(some)
    return None


async def _explain_failed_start(access: Access, process: Any) -> str:
    said = (await process.stderr.read(_PIECE)).decode("utf-8", "replace").strip().splitlines()
    last = said[-1].strip() if said else "it said nothing"
    if access.sudo and last.startswith("sudo:"):
        return f"sudo does not let {access.python} run without a password: {last}"
    if access.through:
        return f"{shlex.join(access.through)} did not start {access.python!r} (3.9 or newer) there: {last}"
    return (
        f"it needs Python 3.9 or newer, and {access.python!r} did not start as such: {last}. Install it, or name another with "
        "`python:`"
    )
