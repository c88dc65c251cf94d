"""A machine that is reached through a command of this one: a container, or namespaces, without ssh.

`podman exec -i web`, `docker exec -i web`, `nsenter -a -t 4711`, `lxc-attach -n web --`: each starts a program inside with its input and
output here. What the hands began goes on inside when the command ends, as it does when a connection of ssh breaks.
"""

from __future__ import annotations

import asyncio
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

__all__ = ["Passage"]

_PIECE: Final = 1 << 16


class Passage:
    """Stands where a connection of ssh would: it starts a program there and closes again."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._started: _Started | None = None

    async def create_process(self, command: str, /, *, encoding: None) -> _Started:  # noqa: ARG002  # bytes, as with ssh
        process = await asyncio.create_subprocess_exec(
            *self._words, "/bin/sh", "-c", command, stdin=PIPE, stdout=PIPE, stderr=PIPE
        )
        self._started = _Started(process)
        return self._started

    def close(self) -> None:
        self.abort()

    def abort(self) -> None:
        if self._started is not None:
            self._started.kill()

    async def wait_closed(self) -> None:
        if self._started is not None:
            await self._started.drain()
            await self._started.wait_closed()


class _Started:
    """A process with the names that processes of ssh have."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.stdin: Any = process.stdin
        self.stdout: Any = process.stdout
        self.stderr: Any = process.stderr

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()

    async def drain(self) -> None:
        """Read what nobody wants any more: a process counts as ended only when its output has been read to the end."""
        for stream in (self.stdout, self.stderr):
            while await stream.read(_PIECE):
                pass

    async def wait_closed(self) -> None:
        await self._process.wait()
