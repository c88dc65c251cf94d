"""Jobs of an environment: what acts on it, live."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Annotated, Any

import msgspec
from litestar import Controller, MediaType, get, post
from litestar.exceptions import ClientException, NotFoundException, PermissionDeniedException
from litestar.params import FromPath, HeaderParameter, JSONBody
from litestar.response import ServerSentEvent, ServerSentEventMessage
from litestar.status_codes import HTTP_202_ACCEPTED

from sabir.server.access import allowed
from sabir.server.requesting import Asking, environment_of, service_of
from sabir.server.service import Service
from sabir.server.store.jobs import JobInfo
from sabir.server.store.tokens import Verb
from sabir.server.work.commands import ACTING, JobRequest

__all__ = ["Jobs"]


class Jobs(Controller):
    path = "/environments/{environment_id:str}/jobs"
    tags = ("jobs",)

    @get(guards=[allowed(Verb.READ)])
    async def list_jobs(self, request: Asking, environment_id: FromPath[str]) -> list[JobInfo]:
        """The last jobs, the newest first."""
        info = await environment_of(request, environment_id)
        return [job.shown for job in await asyncio.to_thread(service_of(request).jobs.of, info.id)]

    @post(guards=[allowed(Verb.READ)], status_code=HTTP_202_ACCEPTED)
    async def submit(
        self, request: Asking, environment_id: FromPath[str], data: JSONBody[JobRequest]
    ) -> JobInfo:
        """Plan, deploy, destroy, call, resolve or status: as soon as there is a slot, and one at a time."""
        info = await environment_of(request, environment_id)
        if data.verb in ACTING and not request.user.may(Verb.DEPLOY, info.id):
            raise PermissionDeniedException(f"the token {request.user.name!r} may not {data.verb}")
        return (await service_of(request).submit(info, data, owner=request.user.name)).shown

    @get("/{job_id:str}", guards=[allowed(Verb.READ)])
    async def show(self, request: Asking, environment_id: FromPath[str], job_id: FromPath[str]) -> JobInfo:
        return (await _job(request, environment_id, job_id)).shown

    @post("/{job_id:str}/stop", guards=[allowed(Verb.DEPLOY)], status_code=HTTP_202_ACCEPTED)
    async def stop(self, request: Asking, environment_id: FromPath[str], job_id: FromPath[str]) -> JobInfo:
        """The first time, steps that run may end; the second time it ends now. Both are safe."""
        service, job = service_of(request), await _job(request, environment_id, job_id)
        await service.running.stop(job)
        await asyncio.to_thread(service.audit.note, request.user.name, "stop", job.environment, job=job.id)
        return (await _job(request, environment_id, job_id)).shown

    @get("/{job_id:str}/log", guards=[allowed(Verb.READ)], media_type=MediaType.TEXT)
    async def log(self, request: Asking, environment_id: FromPath[str], job_id: FromPath[str]) -> str:
        """What it said to people."""
        service, job = service_of(request), await _job(request, environment_id, job_id)
        file = service.running.files(job).log
        return await asyncio.to_thread(
            lambda: file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""
        )

    @get("/{job_id:str}/events", guards=[allowed(Verb.READ)])
    async def events(
        self,
        request: Asking,
        environment_id: FromPath[str],
        job_id: FromPath[str],
        last_event_id: Annotated[str | None, HeaderParameter(name="Last-Event-ID")] = None,
    ) -> ServerSentEvent:
        """Its events as they come (Server-Sent Events), from the beginning or after the last one that was seen.

        Each is what `sabir deploy --format json` writes; the last one has the type `job` and is the job as it ended.
        """
        job = await _job(request, environment_id, job_id)
        return ServerSentEvent(_followed(service_of(request), job, _number(last_event_id)))


async def _followed(service: Service, job: JobInfo, after: int) -> AsyncGenerator[ServerSentEventMessage]:
    async for event in service.running.events(job, after):
        if event is None:
            yield ServerSentEventMessage(comment="still there")
        else:
            yield ServerSentEventMessage(data=event.text, id=event.number)
    ended = await asyncio.to_thread(service.jobs.get, job.id)
    if ended is not None and ended.state.is_final:
        yield ServerSentEventMessage(data=msgspec.json.encode(ended.shown).decode(), event="job")


def _number(last: str | None) -> int:
    if last is None or not last.strip():
        return 0
    if not (last.isascii() and last.isdigit() and len(last) < 12):
        raise ClientException("Last-Event-ID is a number")
    return int(last)


async def _job(request: Asking, environment_id: str, job_id: str) -> JobInfo:
    job: Any = await asyncio.to_thread(service_of(request).jobs.get, job_id)
    if job is None or job.environment != environment_id:
        raise NotFoundException(f"no job {job_id!r}")
    return job  # type: ignore[no-any-return]
