"""Jobs as processes, with small programs in place of deployments."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from sabir.deployments.store.database import Database
from sabir.deployments.store.seal import Sealer
from sabir.server.store.jobs import JobInfo, JobState, JobStore
from sabir.server.store.tables import SERVICE
from sabir.server.store.tables import job as table
from sabir.server.work.job_files import JobFiles
from sabir.server.work.jobs import JobRunner

END = 'print(\'{"event": "end", "state": "done"}\', flush=True)'
LISTENS = """
import signal, time
stops = []
signal.signal(signal.SIGINT, lambda *_: stops.append(1))
print('{"event": "running"}', flush=True)
while not stops: time.sleep(0.01)
print('{"event": "end", "state": "interrupted"}', flush=True)
raise SystemExit(130)
"""


class Setting:
    """Jobs over a database of their own; their verb's argument `code` is the program that runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = Database.open(str(folder / "state.db"), create=True)
        self.database.prepare(SERVICE)
        sealer = Sealer(file=folder / "key", may_create=True)
        self.jobs = JobStore(self.database.engine, sealer)

    def running(self, slots: int = 2, umask: int = -1) -> JobRunner:
        return JobRunner(
            self.jobs, slots=slots, folder=lambda name: self.folder / name, command=_command, umask=umask
        )

    def job(self, code: str, environment: str = "a", verb: str = "deploy") -> JobInfo:
        return self.jobs.add(environment, verb, {"code": code}, owner="tester")

    async def until(self, job: JobInfo, *states: JobState) -> JobInfo:
        async with asyncio.timeout(20):
            while True:
                info = self.jobs.get(job.id)
                assert info is not None
                if info.state in states:
                    return info
                await asyncio.sleep(0.02)


def _command(job: JobInfo, _files: JobFiles) -> list[str]:
    return [sys.executable, "-c", job.arguments["code"]]


Scenario = Callable[[Setting], Coroutine[Any, Any, None]]


def run(folder: Path, scenario: Scenario) -> None:
    setting = Setting(folder)
    try:
        asyncio.run(scenario(setting))
    finally:
        setting.database.close()


def final(state: JobState) -> bool:
    return state.is_final


FINAL = tuple(filter(final, JobState))


@pytest.mark.parametrize(
    ("code", "verb", "state", "message"),
    [
        (END, "deploy", JobState.DONE, None),
        ("import sys; sys.exit('no such thing')", "deploy", JobState.FAILED, "no such thing"),
        ("raise SystemExit(130)", "deploy", JobState.INTERRUPTED, None),
        ("import os; os.kill(os.getpid(), 9)", "deploy", JobState.LOST, None),
        ("print('{\"a\":\\n1}'); raise SystemExit(3)", "plan", JobState.DONE, None),
        (END + "; raise SystemExit(1)", "deploy", JobState.FAILED, None),
    ],
)
def test_what_becomes_of_a_job(
    tmp_path: Path, code: str, verb: str, state: JobState, message: str | None
) -> None:
    async def scenario(setting: Setting) -> None:
        running = setting.running()
        job = setting.job(code, verb=verb)
        await running.submit(job)
        ended = await setting.until(job, *FINAL)
        assert (ended.state, ended.message) == (state, message)
        assert ended.started is not None
        assert ended.ended is not None
        assert verb != "plan" or ended.result == {"a": 1}
        await running.close()

    run(tmp_path, scenario)


def test_a_job_does_not_have_the_umask_of_the_service(tmp_path: Path) -> None:
    async def scenario(setting: Setting) -> None:
        running = setting.running(umask=0o027)
        job = setting.job(f"import os; open({str(tmp_path / 'made')!r}, 'x'); {END}")
        await running.submit(job)
        await setting.until(job, *FINAL)
        await running.close()

    before = os.umask(0o077)
    try:
        run(tmp_path, scenario)
    finally:
        os.umask(before)
    assert (tmp_path / "made").stat().st_mode & 0o777 == 0o640
    assert {file.stat().st_mode & 0o777 for file in (tmp_path / "a").rglob("*") if file.is_file()} == {0o600}


def test_one_at_a_time_in_an_environment_and_slots_in_all(tmp_path: Path) -> None:
    async def scenario(setting: Setting) -> None:
        running = setting.running(slots=2)
        first, second, other, third = (setting.job(LISTENS, name) for name in "aabc")
        for job in (first, second, other, third):
            await running.submit(job)
        await setting.until(first, JobState.RUNNING)
        await setting.until(other, JobState.RUNNING)
        assert running.counts == {"waiting": 2, "running": 2}
        assert running.acts_on("a") is not None
        assert running.acts_on("c") is None
        async for _ in running.events(first):
            await running.stop(first)
            break
        await setting.until(first, JobState.INTERRUPTED)
        await setting.until(second, JobState.RUNNING)
        await running.stop(third)
        assert (await setting.until(third, *FINAL)).started is None
        for job in (second, other):
            async for _ in running.events(job):
                await running.stop(job)
                break
            await setting.until(job, JobState.INTERRUPTED)
        await running.close()

    run(tmp_path, scenario)


def test_a_service_that_starts_again_goes_on_watching(tmp_path: Path) -> None:
    async def scenario(setting: Setting) -> None:
        earlier = setting.running()
        job, waits = setting.job(LISTENS), setting.job(END)
        for each in (job, waits):
            await earlier.submit(each)
        async for _ in earlier.events(job):
            break
        await earlier.close()
        assert (await setting.until(job, JobState.RUNNING)).ended is None
        later = setting.running()
        await later.recover()
        await later.stop(job)
        assert (await setting.until(job, *FINAL)).state is JobState.INTERRUPTED
        assert (await setting.until(waits, *FINAL)).state is JobState.DONE
        await later.close()

    run(tmp_path, scenario)


def test_a_job_that_died_with_its_service_is_lost(tmp_path: Path) -> None:
    async def scenario(setting: Setting) -> None:
        job = setting.job(END)
        setting.jobs.start(job.id, 1)
        running = setting.running()
        await running.recover()
        assert (await setting.until(job, *FINAL)).state is JobState.LOST
        await running.close()

    run(tmp_path, scenario)


def test_events_go_on_where_a_reader_left(tmp_path: Path) -> None:
    code = "for n in range(5): print('{\"event\": %d}' % n, flush=True)\nprint('half', end='')"

    async def scenario(setting: Setting) -> None:
        running = setting.running()
        job = setting.job(code)
        await running.submit(job)
        everything = [event async for event in running.events(job) if event is not None]
        assert [event.number for event in everything] == [1, 2, 3, 4, 5]
        rest = [event.text async for event in running.events(job, after=3) if event is not None]
        assert rest == ['{"event": 3}', '{"event": 4}']
        await running.close()

    run(tmp_path, scenario)


def test_what_was_asked_for_is_sealed(tmp_path: Path) -> None:
    """Inputs may be secrets: the table shows nobody what they are, and older rows in clear are still read."""
    setting = Setting(tmp_path)
    asked = setting.jobs.add("a", "deploy", {"inputs": {"password": "canary-4711"}}, owner="tester")
    kept = setting.jobs.get(asked.id)
    assert kept is not None
    assert kept.arguments == {"inputs": {"password": "canary-4711"}}
    assert all(b"canary-4711" not in file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    with setting.database.engine.begin() as connection:
        connection.execute(table.update().values(arguments='{"inputs": {}}'))
    older = setting.jobs.get(asked.id)
    setting.database.close()
    assert older is not None
    assert older.arguments == {"inputs": {}}
