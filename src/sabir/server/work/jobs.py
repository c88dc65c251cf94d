"""Jobs: each is a process that outlives the server.

A job writes its events and its log to files, and holds a lock on a third file while it runs. A restarted
server checks the lock to find out whether the job still runs, and follows it again. The deployment itself
records what the job did.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from sabir.diagnostics.reasons import explain_error
from sabir.server.store.jobs import JobInfo, JobState, JobStore
from sabir.server.work.commanding import restore_paths
from sabir.server.work.commands import ACTING, JobInputFiles, command_environment
from sabir.server.work.job_files import JobFiles

_LOOK: Final = 0.2
"""Seconds between looks at a file that grows, or at a process that is not ours."""
_TOLD: Final = 2000
_FINE: Final = (0, 3)
_INTERRUPTED: Final = 130
_DOCUMENTS: Final = frozenset({"plan", "status"})
_STATES: Final = {
    "done": JobState.DONE,
    "interrupted": JobState.INTERRUPTED,
}


class JobEvent(Struct, frozen=True):
    """A line that a job wrote, numbered from 1."""

    number: int
    text: str


Command = Callable[[JobInfo, JobFiles], list[str]]


class JobRunner:
    """Starts queued jobs and follows running ones."""

    def __init__(
        self,
        jobs: JobStore,
        *,
        slots: int,
        folder: Callable[[str], Path],
        command: Command,
        ended: Callable[[JobInfo], None] = lambda _: None,
        umask: int = -1,
    ) -> None:
        self._jobs = jobs
        self._slots = slots
        self._folder = folder
        self._command = command
        self._ended = ended
        # The umask of the service protects its own files; what a job deploys is not its own. uvloop accepts no `umask`.
        self._umask_command = () if umask < 0 else ("/bin/sh", "-c", f'umask {umask:04o} && exec "$@"', "sh")
        self._waiting: list[JobInfo] = []
        self._watched: dict[str, asyncio.Task[None]] = {}
        self._running: dict[str, JobInfo] = {}
        self.closing = asyncio.Event()
        """Set when the service stops: whoever follows a job ends then; the jobs go on."""

    def files(self, job: JobInfo) -> JobFiles:
        return JobFiles(self._folder(job.environment), job.id)

    @property
    def counts(self) -> dict[str, int]:
        return {"waiting": len(self._waiting), "running": len(self._running)}

    def acts_on(self, environment: str) -> JobInfo | None:
        """Return the running job that changes the resources of an environment."""
        jobs = self._running.values()
        return next((job for job in jobs if job.environment == environment and job.verb in ACTING), None)

    # Coming and going

    async def recover(self) -> None:
        """Continue after a restart of the server: follow running jobs and start queued ones."""
        for job in await asyncio.to_thread(self._jobs.open):
            if job.state is JobState.WAITING:
                self._waiting.append(job)
            else:
                self._running[job.id] = job
                self._watch(job, self._until_gone(job))
        await self._start_waiting()

    async def submit(self, job: JobInfo) -> None:
        self._waiting.append(job)
        await self._start_waiting()

    async def close(self) -> None:
        """Stop following jobs. The processes continue; the next server finds them."""
        self.closing.set()
        tasks = [*self._watched.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def stop(self, job: JobInfo) -> None:
        """Let running steps end the first time, kill the job the second time; a queued job never starts."""
        waiting = next((each for each in self._waiting if each.id == job.id), None)
        if waiting is not None:
            self._waiting.remove(waiting)
            await asyncio.to_thread(self._jobs.end, job.id, JobState.INTERRUPTED)
            return
        running = self._running.get(job.id)
        if running is not None and running.process is not None and self.files(job).is_held:
            os.kill(running.process, signal.SIGINT)

    async def _start_waiting(self) -> None:
        """Start the oldest queued jobs: as many as there are slots, one at a time per environment."""
        for job in [*self._waiting]:
            if len(self._running) >= self._slots:
                return
            busy = {running.environment for running in self._running.values()}
            if job.environment not in busy and job in self._waiting:
                self._waiting.remove(job)
                self._running[job.id] = job
                self._watch(job, self._run(job))

    def _watch(self, job: JobInfo, work: Any) -> None:
        async def watched() -> None:
            try:
                await work
            finally:
                self._running.pop(job.id, None)
                self._watched.pop(job.id, None)
            if not self.closing.is_set():
                await self._start_waiting()

        self._watched[job.id] = asyncio.create_task(watched())

    # One job

    async def _run(self, job: JobInfo) -> None:
        try:
            process = await self._begin(job)
        except Exception as error:  # noqa: BLE001  a job that cannot be started has failed, whatever the reason
            await asyncio.to_thread(self._jobs.end, job.id, JobState.FAILED, message=explain_error(error))
            return
        self._running[job.id] = msgspec.structs.replace(job, state=JobState.RUNNING, process=process.pid)
        await asyncio.to_thread(self._jobs.start, job.id, process.pid)
        status = await process.wait()
        await asyncio.to_thread(self._end, job, status)

    async def _begin(self, job: JobInfo) -> asyncio.subprocess.Process:
        files = self.files(job)
        files.folder.mkdir(parents=True, exist_ok=True)
        words = await asyncio.to_thread(self._command, job, files)
        with files.output.open("wb") as output, files.log.open("wb") as log, files.lock.open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return await asyncio.create_subprocess_exec(
                *self._umask_command,
                *words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=log,
                cwd=files.folder,
                env=command_environment(SABIR_WHO=job.owner),
                # A signal for the service is none for its jobs.
                start_new_session=True,
                pass_fds=[lock.fileno()],
            )

    async def _until_gone(self, job: JobInfo) -> None:
        """Wait for a process that an earlier server started."""
        files = self.files(job)
        while await asyncio.to_thread(lambda: files.is_held):
            await asyncio.sleep(_LOOK)
        await asyncio.to_thread(self._end, job, None)

    def _end(self, job: JobInfo, status: int | None) -> None:
        """Record the outcome. Without an exit code the last event decides."""
        files = self.files(job)
        JobInputFiles(inputs=files.inputs, arguments=files.arguments).remove()
        result = _read_result(job, files.output)
        state = _final_state(job, status, result)
        told = _read_tail(files.log) if state is not JobState.DONE else None
        message = None if told is None else restore_paths(files.folder.parent / "files", told)
        self._jobs.end(job.id, state, status=status, result=result, message=message)
        self._ended(msgspec.structs.replace(job, state=state))

    # Following

    async def events(self, job: JobInfo, after: int = 0) -> AsyncGenerator[JobEvent | None]:
        """Yield the lines of a job after a number as they arrive, until it ends; None regularly while
        there are none.
        """
        number, offset, quiet = 0, 0, 0
        output = self.files(job).output
        while True:
            # Asked before the file is read: what it wrote last is then read, too.
            is_open = job.id in self._running or any(each.id == job.id for each in self._waiting)
            pieces = await asyncio.to_thread(_read_lines, output, offset)
            for line in pieces if job.verb not in _DOCUMENTS else ():
                offset += len(line)
                number += 1
                if number > after:
                    yield JobEvent(number, line.decode(errors="replace").rstrip("\n"))
            if not is_open or self.closing.is_set():
                return
            quiet = 0 if pieces else quiet + 1
            if quiet % 50 == 49:
                yield None
            await asyncio.sleep(_LOOK)


def _read_lines(file: Path, offset: int) -> list[bytes]:
    """Return the complete lines after an offset."""
    try:
        with file.open("rb") as opened:
            opened.seek(offset)
            lines = opened.readlines()
    except FileNotFoundError:
        return []
    return [line for line in lines if line.endswith(b"\n")]


def _read_result(job: JobInfo, output: Path) -> Any:
    try:
        if job.verb in _DOCUMENTS:
            return msgspec.json.decode(output.read_bytes())
        lines = output.read_bytes().splitlines()
        return msgspec.json.decode(lines[-1]) if lines else None
    except (msgspec.DecodeError, FileNotFoundError):
        return None


def _final_state(job: JobInfo, status: int | None, result: Any) -> JobState:
    told = _find_reported_state(job, result)
    if status is None or status < 0:
        return _STATES.get(told, JobState.FAILED) if told else JobState.LOST
    if status == _INTERRUPTED or told == "interrupted":
        return JobState.INTERRUPTED
    return JobState.DONE if status in _FINE else JobState.FAILED


def _find_reported_state(job: JobInfo, result: Any) -> str | None:
    """Return the state that the job itself reported at its end."""
    if job.verb in _DOCUMENTS:
        return None if result is None else "done"
    match result:
        case {"event": "end", "state": str(state)}:
            return state
        case _:
            return None


def _read_tail(log: Path) -> str | None:
    try:
        text = log.read_bytes()[-_TOLD:].decode(errors="replace").strip()
    except FileNotFoundError:
        return None
    return text or None
