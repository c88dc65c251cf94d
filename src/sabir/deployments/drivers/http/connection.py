"""One service at work: read, apply, delete, observe.

A resource whose place is known is put there, which may be repeated. One that the service names itself is posted to its
collection; the operation id goes along as an idempotency key. When nobody answered, it is looked for in the collection by the
fields that tell it from others.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from msgspec import Struct

from sabir.deployments.drivers.http.client import HttpApi, HttpRequestError, HttpResponse
from sabir.deployments.drivers.http.items import DesiredItem, build_desired_item, look_up, usable_id
from sabir.errors import DeployError
from sabir.graph.secrets import Secrets, secret_texts
from sabir.graph.values import Value
from sabir.resources.effects import Effects
from sabir.resources.outcome import CompletionStatus, Observation, Outcome, OutcomeStatus, ResourceReading
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task

_SOON: Final = 0.1
_SELDOM: Final = 3.0


class ServiceSettings(Struct, frozen=True, kw_only=True):
    honours_keys: bool = False
    """The service keeps idempotency keys: a creation that is sent again is not done again."""


class _ActualItem(Struct, frozen=True):
    """A resource that is there: under which id, with what."""

    id: str | None
    answer: HttpResponse


class HttpConnection:
    def __init__(self, api: HttpApi, settings: ServiceSettings) -> None:
        self.api, self.settings = api, settings

    async def read(self, resource: Resource, target_id: str | None) -> ResourceReading:
        wanted = build_desired_item(resource.desired)
        secrets = _collect_secrets(resource)
        try:
            seen = await self._find_item(wanted, target_id)
        except HttpRequestError as failure:
            raise DeployError(f"{resource.address}: {secrets.redact(failure.message)}") from failure
        if seen is None:
            return ResourceReading(exists=False)
        return ResourceReading(
            exists=True,
            id=seen.id,
            fields={"path": wanted.path, "body": secrets.mark_sensitive(seen.answer.data)},
            results=_item_results(wanted, seen, secrets),
            changes=tuple(wanted.changes(seen.answer.data)),
        )

    async def apply(self, task: Task, effects: Effects) -> Outcome:
        secrets = _collect_secrets(task.resource)
        try:
            wanted = build_desired_item(task.resource.desired)
            seen = await self._find_item(wanted, task.id)
            changed = seen is None or any(wanted.changes(seen.answer.data))
            if seen is None:
                seen = await self._create_item(wanted, task.operation_id)
            elif changed:
                seen = await self._update_item(wanted, seen, task)
            seen = await self._ready(wanted, seen, effects, secrets)
        except HttpRequestError as failure:
            return _failure_outcome(failure, secrets)
        except DeployError as error:
            return Outcome(status=OutcomeStatus.FAILED, message=secrets.redact(str(error)))
        return Outcome(changed=changed, id=seen.id, results=_item_results(wanted, seen, secrets))

    async def delete(self, task: Task, effects: Effects) -> Outcome:  # noqa: ARG002  nothing is waited for
        secrets = _collect_secrets(task.resource)
        try:
            wanted = build_desired_item(task.resource.desired)
            seen = await self._find_item(wanted, task.id)
            if seen is None:
                return Outcome(changed=False)
            await self.api.request("DELETE", wanted.at(seen.id), headers=_only_if(seen))
        except HttpRequestError as failure:
            return Outcome(changed=False) if failure.is_missing else _failure_outcome(failure, secrets)
        except DeployError as error:
            return Outcome(status=OutcomeStatus.FAILED, message=secrets.redact(str(error)))
        return Outcome()

    async def observe(self, task: Task) -> Observation:
        secrets = _collect_secrets(task.resource)
        try:
            wanted = build_desired_item(task.resource.desired)
            seen = await self._find_item(wanted, task.id)
        except (HttpRequestError, DeployError) as failure:
            return Observation(sighting=CompletionStatus.CANNOT_TELL, look_at=secrets.redact(str(failure)))
        if task.action is Action.DELETE:
            # Asked again, it answers that nothing is there: so a deletion is never in doubt.
            return Observation(
                sighting=CompletionStatus.DONE if seen is None else CompletionStatus.NOT_DONE,
                outcome=Outcome(),
            )
        if seen is not None and not any(wanted.changes(seen.answer.data)) and _is_ready(wanted, seen):
            outcome = Outcome(id=seen.id, results=_item_results(wanted, seen, secrets))
            return Observation(sighting=CompletionStatus.DONE, outcome=outcome)
        if seen is None and wanted.is_named_by_service and not (wanted.find_by or self.settings.honours_keys):
            return Observation(
                sighting=CompletionStatus.CANNOT_TELL,
                look_at=f"{self.api.service.base}{wanted.collection}; `find_by` tells how it is told from others there",
            )
        return Observation(sighting=CompletionStatus.NOT_DONE)

    async def call(self, task: Task, operation: str, effects: Effects) -> Outcome:  # noqa: ARG002  there is none
        return Outcome(status=OutcomeStatus.FAILED, message=f"there is no operation {operation!r}")

    async def _find_item(self, wanted: DesiredItem, id: str | None) -> _ActualItem | None:  # noqa: A002  as the service calls it
        if id is None and wanted.is_named_by_service:
            id = await self._id_of(wanted)  # noqa: A001  as above
            if id is None:
                return None
        answer = await self.api.find(wanted.at(id))
        return None if answer is None else _ActualItem(id, answer)

    async def _id_of(self, wanted: DesiredItem) -> str | None:
        """The id of the one that the collection lists; None when it lists none, or cannot be asked."""
        if not wanted.find_by or wanted.collection is None:
            return None
        items = [item for item in await self.api.list(wanted.collection) if wanted.is_listed_as(item)]
        if len(items) > 1:
            names = ", ".join(wanted.find_by)
            raise DeployError(
                f"{wanted.collection} lists {len(items)} with the same {names}: it cannot be told which is meant"
            )
        return wanted.id_in(items[0]) if items else None

    async def _create_item(self, wanted: DesiredItem, operation_id: str) -> _ActualItem:
        if wanted.collection is None:
            await self.api.request("PUT", wanted.path, wanted.body, {"If-None-Match": "*"})
            return await self._again(wanted, None)
        key = {"Idempotency-Key": operation_id}
        answer = await self.api.request("POST", wanted.collection, wanted.body, key)
        return await self._again(wanted, self._new_id(wanted, answer))

    def _new_id(self, wanted: DesiredItem, answer: HttpResponse) -> str | None:
        if not wanted.is_named_by_service:
            return None
        try:
            new_id = wanted.id_in(answer.data)
            if new_id is None and answer.location is not None:
                new_id = usable_id(answer.location.rstrip("/").rpartition("/")[2])
        except DeployError as error:
            raise HttpRequestError(f"it was created, but {error}", status=500, was_sent=True) from error
        if new_id is None:
            raise HttpRequestError(
                f"it was created, but the answer holds no field {wanted.id_field!r}: say which one holds the id (id_field)",
                status=500,
                was_sent=True,
            )
        return new_id

    async def _update_item(self, wanted: DesiredItem, seen: _ActualItem, task: Task) -> _ActualItem:
        if task.action is Action.CREATE and task.attempt == 1:
            raise DeployError(
                f"there is something else at {wanted.at(seen.id)} that nobody recorded; `sabir adopt` takes it over"
            )
        await self.api.request(wanted.update, wanted.at(seen.id), wanted.body, _only_if(seen))
        return await self._again(wanted, seen.id)

    async def _again(self, wanted: DesiredItem, id: str | None) -> _ActualItem:  # noqa: A002  as above
        answer = await self.api.find(wanted.at(id))
        if answer is None:
            raise HttpRequestError(f"{wanted.at(id)} is not there, though the service took it", status=500)
        return _ActualItem(id, answer)

    async def _ready(
        self, wanted: DesiredItem, seen: _ActualItem, effects: Effects, secrets: Secrets
    ) -> _ActualItem:
        now = asyncio.get_running_loop().time
        deadline = now() + wanted.ready_within
        pause, told = _SOON, ""
        while not _is_ready(wanted, seen):
            waiting = ", ".join(_not_ready(wanted, seen))
            if waiting != told:
                told = waiting
                effects.note(secrets.redact(f"waiting: {waiting}"))
            if now() > deadline:
                raise DeployError(f"it is not ready after {wanted.ready_within:g} seconds: {waiting}")
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, _SELDOM)
            seen = await self._again(wanted, seen.id)
        return seen


def _is_ready(wanted: DesiredItem, seen: _ActualItem) -> bool:
    return not _not_ready(wanted, seen)


def _not_ready(wanted: DesiredItem, seen: _ActualItem) -> list[str]:
    values = {path: look_up(seen.answer.data, path) for path in wanted.ready}
    return [f"{path} is {values[path]!r}" for path, value in wanted.ready.items() if values[path] != value]


def _only_if(seen: _ActualItem) -> dict[str, str]:
    """Not over what somebody else wrote meanwhile, where the service can tell."""
    return {} if seen.answer.tag is None else {"If-Match": seen.answer.tag}


def _item_results(wanted: DesiredItem, seen: _ActualItem, secrets: Secrets) -> dict[str, Value]:
    outputs: dict[str, Any] = {name: look_up(seen.answer.data, path) for name, path in wanted.outputs.items()}
    named: dict[str, Any] = {} if seen.id is None else {"id": seen.id}
    return {name: secrets.mark_sensitive(value) for name, value in {**named, **outputs}.items()}


def _collect_secrets(resource: Resource) -> Secrets:
    return Secrets(secret_texts(dict(resource.desired)) or ())


def _failure_outcome(failure: HttpRequestError, secrets: Secrets) -> Outcome:
    status = OutcomeStatus.UNKNOWN if failure.was_sent else OutcomeStatus.FAILED
    return Outcome(status=status, message=secrets.redact(failure.message), passing=failure.passing)
