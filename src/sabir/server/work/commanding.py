"""Commands that only look, answered at once: a plan, what can be called, what has drifted."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Final

import msgspec

from sabir.server.work.asking import TaskResponse
from sabir.server.work.commands import command_environment

_SECONDS: Final = 120
_AT_ONCE: Final = 4
_MOST: Final = 64 << 20
_TOLD: Final = 4000
_FINE: Final = (0, 3)


class CommandRunner:
    """A few at a time, each a process that is ended when it takes too long."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(_AT_ONCE)

    async def answer(self, words: list[str], folder: Path | None = None) -> TaskResponse:
        """The document that a command writes; its errors as an answer, with files named from `folder`."""
        async with self._turn:
            process = await asyncio.create_subprocess_exec(
                *words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=command_environment(),
                start_new_session=True,
            )
            try:
                output, errors = await asyncio.wait_for(process.communicate(), _SECONDS)
            except TimeoutError:
                return _refusal_response(f"it took more than {_SECONDS} seconds")
            finally:
                if process.returncode is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    await process.wait()
        if process.returncode in _FINE and len(output) <= _MOST:
            return TaskResponse(200, output)
        return _refusal_response(
            restore_paths(folder, errors[-_TOLD:].decode(errors="replace").strip()) or "it failed"
        )


def restore_paths(folder: Path | None, message: str) -> str:
    """A message of a command that was given a folder, with files named as those who wrote them know them."""
    return (
        message
        if folder is None
        else message.replace(f"{folder}/", "").replace(str(folder), "the environment")
    )


def _refusal_response(message: str) -> TaskResponse:
    return TaskResponse(422, msgspec.json.encode({"error": {"message": message, "code": 422}}))
