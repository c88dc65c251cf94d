"""The objects that requests share, created once when the server starts."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import msgspec

from sabir.deployments.store.database import Database
from sabir.deployments.store.seal import KEY_VARIABLE, Sealer
from sabir.deployments.store.store import StateStore
from sabir.errors import DeployError, UsageError
from sabir.server.metrics import Measures
from sabir.server.settings import ServerSettings
from sabir.server.store.catalogue import PackageCatalog
from sabir.server.store.environments import EnvironmentInfo, EnvironmentStore
from sabir.server.store.jobs import JobInfo, JobState, JobStore
from sabir.server.store.murano import SessionStore, TemplateStore
from sabir.server.store.tables import SERVICE
from sabir.server.store.tokens import Audit, TokenStore
from sabir.server.work.asking import GraphSubject, GraphTasks, TaskResponse
from sabir.server.work.commanding import CommandRunner
from sabir.server.work.commands import ACTING, JobLocation, JobRequest, build_command
from sabir.server.work.job_files import JobFiles
from sabir.server.work.jobs import JobRunner
from sabir.server.work.process_pool import UploadChecker
from sabir.source.packages import PackageFile
from sabir.source.private import make_private_directory, tighten


def _build_sealer(settings: ServerSettings, database: Database) -> Sealer:
    """Return the encryption with the key of deployments if there is one, else with the server's own key."""
    folder = settings.data if database.file is None else database.file.parent
    return Sealer(key=os.environ.get(KEY_VARIABLE), file=folder / "key", may_create=True)


class SabirService:
    """Settings, database, stores, workers and jobs of one server."""

    def __init__(self, settings: ServerSettings) -> None:
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
        self.tokens = TokenStore(engine)
        self.audit = Audit(engine)
        self.catalogue = PackageCatalog(engine, settings.packages)
        self.environments = EnvironmentStore(engine, settings.environments)
        self.asking = GraphTasks()
        self.commanding = CommandRunner()
        self.sessions = SessionStore(engine)
        self.templates = TemplateStore(engine)
        self.jobs = JobStore(engine, _build_sealer(settings, self.database))
        self.running = JobRunner(
            self.jobs,
            slots=settings.jobs,
            folder=lambda environment_id: self.environments.folder(environment_id) / "jobs",
            command=self._command,
            ended=self._finish_job,
            umask=settings.job_umask,
        )
        self.checking = UploadChecker()

        self.measures = Measures(lambda: self.running.counts)

    def close(self) -> None:
        self.checking.close()
        self.asking.close()
        self.database.close()

    def state(self, environment_id: str) -> StateStore:
        """Open the deployment state of an environment for reading."""
        beside = self.database.file
        sealer = Sealer(key=os.environ.get(KEY_VARIABLE), file=beside and beside.with_name("key"))
        return StateStore(self.database, environment_id, sealer)

    def subject(self, info: EnvironmentInfo, *, redacted: bool) -> GraphSubject:
        """Return what is evaluated for queries on an environment."""
        return GraphSubject(
            path=self.environments.files(info.id).folder,
            revision=info.revision,
            trust=info.trust,
            state=self.settings.database,
            environment=info.id,
            serial=self.state(info.id).serial(),
            redacted=redacted,
        )

    def place(self, info: EnvironmentInfo) -> JobLocation:
        return JobLocation(
            path=self.environments.files(info.id).folder,
            state=self.settings.database,
            environment=info.id,
            trust=info.trust,
        )

    def murano_description(self) -> dict[str, Any]:
        """Return the settings that the operator adds to every environment of Murano's API."""
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
        """Queue a job for an environment."""
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
    ) -> TaskResponse:
        """Run a read-only command and return its response."""
        place = self.place(info)
        words = build_command(place, request)
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
        handed = files.input_files(request)
        handed.write(request)
        return build_command(self.place(info), request, handed)

    def _finish_job(self, job: JobInfo) -> None:
        info = self.environments.get(job.environment)
        if info is not None and job.state is JobState.DONE and job.arguments.get("then_remove"):
            self.remove(info)

    def remove(self, info: EnvironmentInfo) -> None:
        """Delete an environment; its deployments stay in the history of the database."""
        self.environments.remove(info.id)
        self.sessions.remove_of(info.id)
        self.jobs.remove_of(info.id)

    def refuse_edit(self, info: EnvironmentInfo) -> None:
        """Raise an error while a job runs: a deployment must not see half an edit."""
        job = self.running.acts_on(info.id)
        if job is not None:
            raise DeployError(f"{job.verb} of {info.name!r} runs: wait for it, or stop it")

    def refuse_removal(self, info: EnvironmentInfo) -> None:
        """Raise an error if resources are deployed: they would be forgotten with their environment."""
        self.refuse_edit(info)
        if records := self.state(info.id).records():
            raise DeployError(f"{len(records)} resources of {info.name!r} are deployed: destroy it first")
