"""One host at work: requests and answers over one connection.

A connection that breaks is made anew by the next request. What was asked over the broken one and not answered is lost: whoever
asked has to look, and the host lets nobody look before the hands of the broken connection have ended.
"""

from __future__ import annotations

import asyncio
import shlex
from asyncio import Future, Lock, Task
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from itertools import count
from typing import Any, Final, Self

import asyncssh

from sabir.deployments.drivers.machine import AnswerLost
from sabir.deployments.drivers.ssh.access import Access, Carrier, connect
from sabir.deployments.drivers.ssh.sending import first_line, start_command
from sabir.deployments.hands.place import HandError
from sabir.deployments.hands.serve import GREETING
from sabir.deployments.hands.wire import decode, encode
from sabir.diagnostics.reasons import reason_of
from sabir.errors import UnreachableError

__all__ = ["Host", "Line"]

_SIGNS_OF_LIFE: Final = 4
"""So many in the time after which the host takes silence for the end."""
_PIECE: Final = 1 << 16
_LONGEST_ANSWER: Final = 256 << 20
_MOST_WORDS: Final = 1000
"""Lines that a login may print before the hands answer."""
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
            with suppress(AnswerLost):
                return await (await self.line()).ask(request)
        return await (await self.line()).ask(request)

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

    def __init__(self, access: Access, connection: Carrier, process: Any) -> None:
        self.access = access
        self.connection = connection
        self.process = process
        self.broken: str | None = None
        """Why nothing can be asked any more."""
        self._numbers = count(1)
        self._asked: dict[int, Future[dict[str, Any]]] = {}
        self._tasks: tuple[Task[None], ...] = ()

    @classmethod
    async def open(cls, access: Access, turn: str) -> Self:
        connection = await connect(access)
        async with _closed_on_failure(connection):
            process = await _started(access, connection, turn)
            line = cls(access, connection, process)
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
            raise HandError(answer["error"], passing=answer["passing"])
        if "fault" in answer:
            raise AnswerLost(self.access.sentence(f"something unforeseen on the host: {answer['fault']}"))
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
        with suppress(*_BROKEN):
            await self.connection.wait_closed()

    async def _listen(self) -> None:
        reason = "the host ended it"
        try:
            buffer = bytearray()
            while piece := await self.process.stdout.read(_PIECE):
                start = len(buffer)
                buffer += piece
                end = buffer.rfind(b"\n", start)
                if end >= 0:
                    for line in bytes(buffer[:end]).split(b"\n"):
                        self._take(line)
                    del buffer[: end + 1]
                elif len(buffer) > _LONGEST_ANSWER:
                    reason = "an answer is too long"
                    break
        except _BROKEN as error:
            reason = reason_of(error)
        except (ValueError, KeyError, TypeError):
            reason = "the host answered with something else than an answer"
        finally:
            self._break(reason)

    def _take(self, line: bytes) -> None:
        answer = decode(line)
        asked = self._asked.get(answer["id"])
        if asked is not None and not asked.done():
            asked.set_result(answer)

    def _break(self, reason: str) -> None:
        self.broken = reason
        words = f"the connection broke ({reason}) before the host answered"
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(AnswerLost(self.access.sentence(words)))

    async def _show_life(self) -> None:
        with suppress(*_BROKEN):
            while self.broken is None:
                await asyncio.sleep(self.access.keepalive_seconds)
                self.process.stdin.write(encode({}))


@asynccontextmanager
async def _closed_on_failure(connection: Carrier) -> AsyncGenerator[None]:
    try:
        yield
    except BaseException:
        connection.abort()
        with suppress(*_BROKEN, TimeoutError):
            async with asyncio.timeout(_FAREWELL_SECONDS):
                await connection.wait_closed()
        raise


async def _started(access: Access, connection: Carrier, turn: str) -> Any:
    """Hands that have greeted."""
    settings = {"root": access.root, "turn": turn, "silence": access.keepalive_seconds * _SIGNS_OF_LIFE}
    try:
        async with asyncio.timeout(access.connect_seconds):
            process = await connection.create_process(
                start_command(access.python, sudo=access.sudo), encoding=None
            )
            with suppress(*_BROKEN):  # it may have ended already; it says why
                process.stdin.write(first_line(settings))
            greeting = await _greeting(process)
            if greeting is None:
                raise access.problem(await _not_started(access, process))
    except TimeoutError as error:
        words = f"{access.python} did not answer within {access.connect_seconds:g} seconds"
        raise UnreachableError(access.sentence(words)) from error
    except _BROKEN as error:
        raise UnreachableError(access.sentence(f"the connection broke: {reason_of(error)}")) from error
    if greeting["error"] is not None:
        raise access.problem(greeting["error"])
    return process


async def _greeting(process: Any) -> dict[str, Any] | None:
    for _ in range(_MOST_WORDS):
        line = await process.stdout.readline()
        if line.startswith(GREETING):
            greeting: dict[str, Any] = decode(line[len(GREETING) :])
            return greeting
        if not line:
            break
    return None


async def _not_started(access: Access, process: Any) -> str:
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
