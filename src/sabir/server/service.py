"""Everything that requests need, made once when the service starts."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import msgspec

from sabir.deployments.store.database import Database
from sabir.deployments.store.seal import KEY_VARIABLE, Sealer
from sabir.deployments.store.store import Store
from sabir.errors import DeployError, UsageError
from sabir.server.metrics import Measures
from sabir.server.settings import Settings
from sabir.server.store.catalogue import Catalogue
from sabir.server.store.environments import EnvironmentInfo, Environments
from sabir.server.store.jobs import JobInfo, Jobs, JobState
from sabir.server.store.murano import Sessions, Templates
from sabir.server.store.tables import SERVICE
from sabir.server.store.tokens import Audit, Tokens
from sabir.server.work.asking import Answered, Asking, Subject
from sabir.server.work.commanding import Commanding
from sabir.server.work.commands import ACTING, JobRequest, Place, command
from sabir.server.work.job_files import JobFiles
from sabir.server.work.jobs import Running
from sabir.server.work.process_pool import Checking
from sabir.source.packages import PackageFile
from sabir.source.private import make_private_directory, tighten


def _sealer(settings: Settings, database: Database) -> Sealer:
    """With the key that deployments use, where there is one; else with one of the service's own."""
    folder = settings.data if database.file is None else database.file.parent
    return Sealer(key=os.environ.get(KEY_VARIABLE), file=folder / "key", may_create=True)


class Service:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        make_private_directory(settings.data)
        tighten(settings.data)
        self.database = Database.open(settings.database, create=True)
        engine = self.database.engine
        try:
            self.database.prepare(SERVICE)
        except BaseException:
            self.database.close()
            raise
        self.tokens = Tokens(engine)
        self.audit = Audit(engine)
        self.catalogue = Catalogue(engine, settings.packages)
        self.environments = Environments(engine, settings.environments)
        self.asking = Asking()
        self.commanding = Commanding()
        self.sessions = Sessions(engine)
        self.templates = Templates(engine)
        self.jobs = Jobs(engine, _sealer(settings, self.database))
        self.running = Running(
            self.jobs,
            slots=settings.jobs,
            folder=lambda environment_id: self.environments.folder(environment_id) / "jobs",
            command=self._command,
            ended=self._ended,
            umask=settings.job_umask,
        )
        self.checking = Checking()

        self.measures = Measures(lambda: self.running.counts)

    def close(self) -> None:
        self.checking.close()
        self.asking.close()
        self.database.close()

    def state(self, environment_id: str) -> Store:
        """What deployments remember of an environment; to read."""
        beside = self.database.file
        sealer = Sealer(key=os.environ.get(KEY_VARIABLE), file=beside and beside.with_name("key"))
        return Store(self.database, environment_id, sealer)

    def subject(self, info: EnvironmentInfo, *, redacted: bool) -> Subject:
        """What is evaluated for questions to an environment."""
        return Subject(
            path=self.environments.files(info.id).folder,
            revision=info.revision,
            trust=info.trust,
            state=self.settings.database,
            environment=info.id,
            serial=self.state(info.id).serial(),
            redacted=redacted,
        )

    def place(self, info: EnvironmentInfo) -> Place:
        return Place(
            path=self.environments.files(info.id).folder,
            state=self.settings.database,
            environment=info.id,
            trust=info.trust,
        )

    def murano_description(self) -> dict[str, Any]:
        """What the operator wants the descriptions of Murano's environments to have beside their model."""
        file = self.settings.murano
        if not file.exists():
            return {}
        data = PackageFile(file.name, file.read_bytes()).parsed()
        if not isinstance(data, dict):
            raise UsageError(f"{file} is no description: it has targets, lifecycle …")
        return {str(name): value for name, value in data.items()}

    # Jobs

    async def submit(
        self, info: EnvironmentInfo, request: JobRequest, *, owner: str, session: str | None = None
    ) -> JobInfo:
        """Queue what is to be done with an environment."""
        if self.running.counts["waiting"] >= self.settings.jobs_waiting:
            raise DeployError("too many jobs wait already; try again later")
        arguments = msgspec.to_builtins(request)
        job = await asyncio.to_thread(
            self.jobs.add, info.id, request.verb, arguments, owner=owner, session=session
        )
        if request.verb in ACTING:
            await asyncio.to_thread(self.audit.note, owner, request.verb, info.id, "asked", job=job.id)
        await self.running.submit(job)
        return await asyncio.to_thread(self.jobs.get, job.id) or job

    async def ask_command(
        self, info: EnvironmentInfo, request: JobRequest, *, listing: bool = False, page: bool = False
    ) -> Answered:
        """What a command that only looks answers."""
        place = self.place(info)
        words = command(place, request)
        if listing:
            words = [*words[: words.index("--")], "--list", "--", str(place.path)]
        if page:
            words[words.index("--format=json")] = "--format=html"
        return await self.commanding.answer(words, place.path)

    def _command(self, job: JobInfo, files: JobFiles) -> list[str]:
        info = self.environments.get(job.environment)
        if info is None:
            raise DeployError("its environment is gone")
        request = msgspec.convert(job.arguments, JobRequest)
        handed = files.handed(request)
        handed.write(request)
        return command(self.place(info), request, handed)

    def _ended(self, job: JobInfo) -> None:
        info = self.environments.get(job.environment)
        if info is not None and job.state is JobState.DONE and job.arguments.get("then_remove"):
            self.remove(info)

    def remove(self, info: EnvironmentInfo) -> None:
        """Forget an environment; its deployments stay in the history of the database."""
        self.environments.remove(info.id)
        self.sessions.remove_of(info.id)
        self.jobs.remove_of(info.id)

    def refuse_edit(self, info: EnvironmentInfo) -> None:
        """A deployment must not see half of an edit."""
        job = self.running.acts_on(info.id)
        if job is not None:
            raise DeployError(f"{job.verb} of {info.name!r} runs: wait for it, or stop it")

    def refuse_removal(self, info: EnvironmentInfo) -> None:
        """What is deployed would be forgotten with its environment."""
        self.refuse_edit(info)
        if records := self.state(info.id).records():
            raise DeployError(f"{len(records)} resources of {info.name!r} are deployed: destroy it first")
