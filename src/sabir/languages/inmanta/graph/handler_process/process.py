"""Handler processes as the parent sees them: a request gets a response in time, or the process is killed.

A process gets the sources of the modules that the model was evaluated with, so only code with
permission runs. It leads its own process group, and whatever it starts ends with it. Each agent of a
deployment has a process; if there are many agents, some share one.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import count
from typing import Any, Final

import msgspec

from sabir.errors import DeployError
from sabir.languages.inmanta.evaluate.model import EvaluatedModel
from sabir.languages.inmanta.evaluate.plugins.compat import ProjectPython
from sabir.languages.inmanta.evaluate.plugins.engine.remote_io import Place
from sabir.languages.inmanta.graph.agents import HandlerRun
from sabir.languages.inmanta.graph.handler_process.messages import (
    Answer,
    Begin,
    HandlerRequest,
    HandlerResult,
    SentModule,
    encode_message,
    message_decoder,
)
from sabir.languages.inmanta.model.functions import plugin_files
from sabir.languages.inmanta.syntax.modules import Module
from sabir.pipes import HEAD

_MODULE: Final = "sabir.languages.inmanta.graph.handler_process"
_LARGEST: Final = 1 << 32
_LINES: Final = 20
_FAREWELL: Final = 5.0


class ProcessLostError(DeployError):
    """Raised if the process ended and the outcome of the run is unknown. `hung`: it was killed by a timeout."""

    def __init__(self, message: str, *, hung: bool = False) -> None:
        super().__init__(message)
        self.hung = hung


class HandlerProcess:
    """One process, with the requests that wait for a response."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._waiting: dict[int, asyncio.Future[HandlerRun]] = {}
        self._why: str | None = None
        self._printed: deque[str] = deque(maxlen=_LINES)
        self._tasks = (asyncio.create_task(self._read()), asyncio.create_task(self._listen()))
        self.facts_known = 0
        """So many of the facts of the deployment it has been told."""

    @classmethod
    async def start(cls, begin: Begin, environment: Mapping[str, str]) -> HandlerProcess:
        # -P: the working directory is no place to import from.
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            _MODULE,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=dict(environment),
            start_new_session=True,
        )
        started = cls(process)
        try:
            await started._send(encode_message(begin))
        except BaseException:  # of a process that nobody was given nobody else can be rid
            started.kill("was stopped")
            await started.close()
            raise
        return started

    @property
    def is_alive(self) -> bool:
        return self._why is None and self._process.returncode is None

    async def ask(self, asked: HandlerRequest, *, seconds: float) -> HandlerRun:
        """Return the result of a run; raise `ProcessLost` if it is unknown and the process is gone."""
        answer: asyncio.Future[HandlerRun] = asyncio.get_running_loop().create_future()
        self._waiting[asked.number] = answer
        try:
            await self._send(encode_message(asked))
            async with asyncio.timeout(seconds):
                return await answer
        except TimeoutError:
            self.kill(f"did not finish within {seconds:g} s and was stopped")
            raise ProcessLostError(self._describe_end(), hung=True) from None
        except asyncio.CancelledError:
            self.kill("was stopped")
            raise
        finally:
            self._waiting.pop(asked.number, None)

    async def _send(self, frame: bytes) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            stdin.write(frame)
            await stdin.drain()
        except OSError:
            await self._process.wait()
            raise ProcessLostError(self._describe_end()) from None

    async def _read(self) -> None:
        """Pass responses to the waiting requests until the process ends."""
        answers, stdout = message_decoder(Answer), self._process.stdout
        assert stdout is not None
        try:
            while True:
                size = int.from_bytes(await stdout.readexactly(HEAD), "big")
                if size > _LARGEST:
                    raise msgspec.DecodeError("too large")
                self._take(answers.decode(await stdout.readexactly(size)))
        except asyncio.IncompleteReadError:
            await self._process.wait()
        except msgspec.DecodeError:
            self.kill("gave an answer that cannot be read")
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(ProcessLostError(self._describe_end()))

    def _take(self, answer: Answer) -> None:
        if answer.number is None:
            self._why = f"could not be started: {answer.message}"
            return
        waiting = self._waiting.get(answer.number)
        if waiting is None or waiting.done():
            return
        if isinstance(answer, HandlerResult):
            waiting.set_result(answer.run)
        else:
            waiting.set_exception(DeployError(answer.message))

    async def _listen(self) -> None:
        """Keep the last lines that handlers print. They are shown only if the process is lost."""
        stderr = self._process.stderr
        assert stderr is not None
        with suppress(ValueError):  # a line without an end
            while line := await stderr.readline():
                self._printed.append(line.decode(errors="replace").rstrip())

    def _describe_end(self) -> str:
        status = self._process.returncode
        if self._why is not None:
            said = self._why
        elif status is not None and status < 0:
            with_signal = (
                signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
            )
            said = f"was ended by {with_signal}"
        else:
            said = f"ended with status {status}"
        printed = next((line for line in reversed(self._printed) if line.strip()), None)
        return f"the process of the handlers {said}" + (f"; its last words: {printed}" if printed else "")

    def kill(self, because: str) -> None:
        """Kill the process and what it started. The first reason is the one reported."""
        if self._process.returncode is not None:
            return  # its number may belong to somebody else by now
        if self._why is None:
            self._why = because
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    async def close(self) -> None:
        """Let the process exit when nothing runs any more; kill it if it does not."""
        assert self._process.stdin is not None
        if self._waiting:
            self.kill("was stopped")
        self._process.stdin.close()
        try:
            async with asyncio.timeout(_FAREWELL):
                await self._process.wait()
        except TimeoutError:
            self.kill("was stopped")
            await self._process.wait()
        await asyncio.gather(*self._tasks, return_exceptions=True)


_MOST: Final = 4
_SECONDS: Final = 3600.0
"""What one run may take, where the target of its agent says nothing else."""


class Handlers:
    """The handler processes of one deployment."""

    def __init__(
        self, model: EvaluatedModel, files: Mapping[str, bytes], facts: Mapping[tuple[str, str], str]
    ) -> None:
        self._python = model.python
        self._files = files
        self._facts = [(resource, name, value) for (resource, name), value in facts.items()]
        self._of_agent: dict[str, int] = {}
        self._processes: dict[int, HandlerProcess] = {}
        self._starting: dict[int, asyncio.Lock] = {}
        self._numbers = count()

    def know(self, resource: str, facts: Mapping[str, str]) -> None:
        """Add a fact that a handler reported, for references of others."""
        self._facts += [(resource, name, value) for name, value in facts.items()]

    async def run(
        self,
        call: str,
        agent: str,
        resource: tuple[str, dict[str, Any]],
        *,
        place: Place | None = None,
        requires: Mapping[str, str] | None = None,
        reload: bool = False,
        seconds: float | None = None,
    ) -> HandlerRun:
        """Run `dry_run`, `deploy` or `facts` for a resource, given by its id and its fields."""
        process = await self._process(agent)
        identity, fields = resource
        asked = HandlerRequest(
            number=next(self._numbers),
            call=call,
            agent=agent,
            place=place,
            resource=identity,
            fields=fields,
            requires=dict(requires or {}),
            reload=reload,
            facts=self._facts[process.facts_known :],
        )
        process.facts_known = len(self._facts)
        return await process.ask(asked, seconds=_SECONDS if seconds is None else seconds)

    async def _process(self, agent: str) -> HandlerProcess:
        """Return the process of an agent; a new one if there is none, or it was lost."""
        at = self._of_agent.setdefault(agent, len(self._of_agent) % _MOST)
        async with self._starting.setdefault(at, asyncio.Lock()):
            process = self._processes.get(at)
            if process is None or not process.is_alive:
                if process is not None:
                    await process.close()
                environment = self._python.session.environment
                process = self._processes[at] = await HandlerProcess.start(self._begin(), environment)
            return process

    def _begin(self) -> Begin:
        python = self._python
        root = python.project.project_path
        return Begin(
            modules=[*_list_modules(python)],
            root=None if root == "None" else root,
            import_path=[*sys.path],
            trust=python.session.trust,
            environment=dict(python.session.environment),
            files=dict(self._files),
        )

    async def close(self) -> None:
        for process in self._processes.values():
            await process.close()


def _list_modules(python: ProjectPython) -> Iterator[SentModule]:
    for module in python.modules.values():
        yield SentModule(
            name=module.name,
            ours=module.ours,
            shown=module.plugins.shown,
            files={} if module.ours else _read_plugin_files(module),
            plugins=module.plugins.directory,
            data=module.data.directory,
        )


def _read_plugin_files(module: Module) -> dict[str, bytes]:
    texts: dict[str, bytes] = {}
    for name in plugin_files(module):
        file = module.plugins.file(name)
        if file is not None:
            texts[name] = file.raw()
    return texts
