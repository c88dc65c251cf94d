"""Jobs of an environment: submit, stop, and follow live."""

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
from msgspec.structs import replace

from sabir.server.access import require_permission
from sabir.server.request_context import ServiceRequest, environment_of, sees_secrets, service_of
from sabir.server.store.jobs import JobInfo
from sabir.server.store.tokens import Verb
from sabir.server.work.commands import ACTING, JobRequest
from sabir.server.work.redaction import redact_document, redact_text


class JobRoutes(Controller):
    """Jobs of one environment."""

    path = "/environments/{environment_id:str}/jobs"
    tags = ("jobs",)

    @get(guards=[require_permission(Verb.READ)])
    async def list_jobs(self, request: ServiceRequest, environment_id: FromPath[str]) -> list[JobInfo]:
        """The last jobs, the newest first."""
        info = await environment_of(request, environment_id)
        jobs = await asyncio.to_thread(service_of(request).jobs.of, info.id)
        return [_shown(request, job) for job in jobs]

    @post(guards=[require_permission(Verb.READ)], status_code=HTTP_202_ACCEPTED)
    async def submit(
        self, request: ServiceRequest, environment_id: FromPath[str], data: JSONBody[JobRequest]
    ) -> JobInfo:
        """Plan, deploy, destroy, call, resolve or status: as soon as there is a slot, and one at a time."""
        info = await environment_of(request, environment_id)
        if data.verb in ACTING and not request.user.may(Verb.DEPLOY, info.id):
            raise PermissionDeniedException(f"the token {request.user.name!r} may not {data.verb}")
        return _shown(request, await service_of(request).submit(info, data, owner=request.user.name))

    @get("/{job_id:str}", guards=[require_permission(Verb.READ)])
    async def show(
        self, request: ServiceRequest, environment_id: FromPath[str], job_id: FromPath[str]
    ) -> JobInfo:
        return _shown(request, await _find_job(request, environment_id, job_id))

    @post("/{job_id:str}/stop", guards=[require_permission(Verb.DEPLOY)], status_code=HTTP_202_ACCEPTED)
    async def stop(
        self, request: ServiceRequest, environment_id: FromPath[str], job_id: FromPath[str]
    ) -> JobInfo:
        """The first time, steps that run may end; the second time it ends now. Both are safe."""
        service, job = service_of(request), await _find_job(request, environment_id, job_id)
        await service.running.stop(job)
        await asyncio.to_thread(service.audit.note, request.user.name, "stop", job.environment, job=job.id)
        return _shown(request, await _find_job(request, environment_id, job_id))

    @get("/{job_id:str}/log", guards=[require_permission(Verb.READ)], media_type=MediaType.TEXT)
    async def log(self, request: ServiceRequest, environment_id: FromPath[str], job_id: FromPath[str]) -> str:
        """What it said to people."""
        service, job = service_of(request), await _find_job(request, environment_id, job_id)
        file = service.running.files(job).log
        text = await asyncio.to_thread(
            lambda: file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""
        )
        return text if sees_secrets(request, environment_id) else redact_text(text)

    @get("/{job_id:str}/events", guards=[require_permission(Verb.READ)])
    async def events(
        self,
        request: ServiceRequest,
        environment_id: FromPath[str],
        job_id: FromPath[str],
        last_event_id: Annotated[str | None, HeaderParameter(name="Last-Event-ID")] = None,
    ) -> ServerSentEvent:
        """Its events as they come (Server-Sent Events), from the beginning or after the last one that was seen.

        Each is what `sabir deploy --format json` writes; the last one has the type `job` and is the job as it ended.
        """
        job = await _find_job(request, environment_id, job_id)
        return ServerSentEvent(_follow_job(request, job, _parse_event_number(last_event_id)))


async def _follow_job(
    request: ServiceRequest, job: JobInfo, after: int
) -> AsyncGenerator[ServerSentEventMessage]:
    service, is_whole = service_of(request), sees_secrets(request, job.environment)
    async for event in service.running.events(job, after):
        if event is None:
            yield ServerSentEventMessage(comment="still there")
        else:
            text = event.text if is_whole else _redacted_line(event.text)
            yield ServerSentEventMessage(data=text, id=event.number)
    ended = await asyncio.to_thread(service.jobs.get, job.id)
    if ended is not None and ended.state.is_final:
        yield ServerSentEventMessage(data=msgspec.json.encode(_shown(request, ended)).decode(), event="job")


def _redacted_line(text: str) -> str:
    return msgspec.json.encode(redact_document(msgspec.json.decode(text))).decode()


def _shown(request: ServiceRequest, job: JobInfo) -> JobInfo:
    """The job as the token may see it."""
    shown = job.shown
    if sees_secrets(request, job.environment):
        return shown
    message = None if shown.message is None else redact_text(shown.message)
    return replace(shown, result=redact_document(shown.result), message=message)


def _parse_event_number(last: str | None) -> int:
    if last is None or not last.strip():
        return 0
    if not (last.isascii() and last.isdigit() and len(last) < 12):
        raise ClientException("Last-Event-ID is a number")
    return int(last)


async def _find_job(request: ServiceRequest, environment_id: str, job_id: str) -> JobInfo:
    job: Any = await asyncio.to_thread(service_of(request).jobs.get, job_id)
    if job is None or job.environment != environment_id:
        raise NotFoundException(f"no job {job_id!r}")
    return job  # type: ignore[no-any-return]
