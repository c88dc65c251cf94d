"""Deployments of an environment: plan, operations, drift, status and history."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from litestar import Controller, Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery
from msgspec import Struct
from msgspec.structs import replace

from sabir.deployments.store.records import DeploymentRecord, EventRecord, StepRecord
from sabir.graph.json import encode_value
from sabir.server.access import require_permission
from sabir.server.request_context import (
    ServiceRequest,
    environment_of,
    get_page,
    json_response,
    page_response,
    redacted_answer,
    redacted_for,
    service_of,
)
from sabir.server.store.jobs import JobInfo
from sabir.server.store.tokens import Verb
from sabir.server.work.commands import JobRequest


class RecordedResource(Struct, frozen=True, kw_only=True):
    """A resource as the state records it."""

    address: str
    kind: str
    target: str
    state: str
    deployment: int
    origin: str | None
    """FILE:LINE of what described it."""


class RecordedStatus(Struct, frozen=True, kw_only=True):
    """The recorded state; targets are not read."""

    serial: int
    last: DeploymentRecord | None
    """The last deployment."""
    job: JobInfo | None
    """The job that acts just now."""
    resources: list[RecordedResource]


class DeploymentEvent(Struct, frozen=True, kw_only=True):
    """An event of a deployment; `key` is the step it belongs to."""

    number: int
    at: str
    key: str | None
    state: str
    data: Any
    """Sensitive values are hidden in it."""


class DeploymentDetail(Struct, frozen=True, kw_only=True):
    """One deployment with its steps and events."""

    deployment: DeploymentRecord
    steps: list[StepRecord]
    events: list[DeploymentEvent]


class DeploymentRoutes(Controller):
    """Read-only commands and recorded state of one environment."""

    path = "/environments/{environment_id:str}"
    tags = ("deployments",)

    @get("/plan", guards=[require_permission(Verb.READ)])
    async def plan(
        self, request: ServiceRequest, environment_id: FromPath[str], *, refresh: FromQuery[bool] = False
    ) -> Response[bytes]:
        """The steps that a deployment would take, as `sabir plan --format json`."""
        service, info = service_of(request), await environment_of(request, environment_id)
        answered = await service.ask_command(info, JobRequest(verb="plan", refresh=refresh))
        return redacted_answer(request, info.id, answered)

    @get_page("/plan.html", Verb.DEPLOY)
    async def plan_page(self, request: ServiceRequest, environment_id: FromPath[str]) -> Response[bytes]:
        """The plan as a page: the graph with the steps."""
        service, info = service_of(request), await environment_of(request, environment_id)
        return page_response(await service.ask_command(info, JobRequest(verb="plan"), page=True))

    @get("/operations", guards=[require_permission(Verb.READ)])
    async def operations(self, request: ServiceRequest, environment_id: FromPath[str]) -> Response[bytes]:
        """What can be called, as `sabir call --list --format json`."""
        service, info = service_of(request), await environment_of(request, environment_id)
        call = JobRequest(verb="call", operation="list")
        return redacted_answer(request, info.id, await service.ask_command(info, call, listing=True))

    @get("/drift", guards=[require_permission(Verb.READ)])
    async def drift(self, request: ServiceRequest, environment_id: FromPath[str]) -> Response[bytes]:
        """What is wanted, recorded and there, as `sabir status --format json`."""
        service, info = service_of(request), await environment_of(request, environment_id)
        answered = await service.ask_command(info, JobRequest(verb="status"))
        return redacted_answer(request, info.id, answered)

    @get("/status", guards=[require_permission(Verb.READ)])
    async def status(self, request: ServiceRequest, environment_id: FromPath[str]) -> RecordedStatus:
        """What is remembered of it."""
        service, info = service_of(request), await environment_of(request, environment_id)
        state = service.state(info.id)

        def read() -> RecordedStatus:
            deployments = state.deployments()
            acting = service.running.acts_on(info.id)
            return RecordedStatus(
                serial=state.serial(),
                last=_relative_record(deployments[-1], service.place(info).path) if deployments else None,
                job=None if acting is None else acting.shown,
                resources=[
                    RecordedResource(
                        address=record.address,
                        kind=record.kind,
                        target=record.target,
                        state=record.status.value,
                        deployment=record.deployment,
                        origin=record.origin,
                    )
                    for record in state.records().values()
                ],
            )

        return await asyncio.to_thread(read)

    @get("/history", guards=[require_permission(Verb.READ)])
    async def history(self, request: ServiceRequest, environment_id: FromPath[str]) -> list[DeploymentRecord]:
        """Every deployment, the oldest first."""
        info = await environment_of(request, environment_id)
        service = service_of(request)
        records = await asyncio.to_thread(service.state(info.id).deployments)
        return [_relative_record(record, service.place(info).path) for record in records]

    @get("/history/{number:int}", guards=[require_permission(Verb.READ)])
    async def deployment(
        self, request: ServiceRequest, environment_id: FromPath[str], number: FromPath[int]
    ) -> Response[bytes]:
        """One deployment with its steps and events."""
        info = await environment_of(request, environment_id)
        service = service_of(request)
        state = service.state(info.id)

        def read() -> DeploymentDetail | None:
            record = next((each for each in state.deployments() if each.number == number), None)
            if record is None:
                return None
            events = [_build_event(event) for event in state.events(number)]
            shown = _relative_record(record, service.place(info).path)
            return DeploymentDetail(deployment=shown, steps=state.steps(number), events=events)

        detail = await asyncio.to_thread(read)
        if detail is None:
            raise NotFoundException(f"there is no deployment {number}")
        return json_response(redacted_for(request, info.id, detail))


def _relative_record(record: DeploymentRecord, folder: Path) -> DeploymentRecord:
    """Return the record with paths relative to the environment: the server's directories are private."""
    path = record.audit.get("path")
    if path is None or not Path(path).is_relative_to(folder):
        return record
    return replace(record, audit={**record.audit, "path": str(Path(path).relative_to(folder))})


def _build_event(event: EventRecord) -> DeploymentEvent:
    return DeploymentEvent(
        number=event.number,
        at=event.at,
        key=event.key,
        state=event.state,
        data=encode_value(dict(event.data)),
    )
