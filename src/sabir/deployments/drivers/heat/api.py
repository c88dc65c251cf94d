"""Requests to one Heat about stacks, and failures in words for people.

The client blocks, so every request runs in a thread. What Heat tells is taken only when it has the shape of what was asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from msgspec import Struct

from sabir.deployments.drivers.responses import (
    InvalidResponseError,
    RequestError,
    ResponseTimeoutError,
    decode_json,
    describe_mismatch,
    run_in_thread,
)
from sabir.diagnostics.reasons import explain_error
from sabir.errors import DeployError

if TYPE_CHECKING:
    from keystoneauth1.adapter import Adapter


StackData = Mapping[str, Any]
"""A stack as Heat tells of it."""

_MOST_EVENTS: Final = 1000
_LONGEST: Final = 2000
"""Characters of what Heat says, at most."""


class _Output(Struct, frozen=True):
    output_key: str
    output_value: Any = None


class _Stack(Struct, frozen=True):
    id: str
    stack_name: str
    stack_status: str
    stack_status_reason: str | None = None
    tags: list[str] | None = None
    outputs: list[_Output] | None = None
    parameters: dict[str, Any] | None = None


class _StackResponse(Struct, frozen=True):
    stack: _Stack


class _Id(Struct, frozen=True):
    id: str


class _CreateResponse(Struct, frozen=True):
    stack: _Id


class _Event(Struct, frozen=True):
    id: str
    resource_name: str
    resource_status: str
    resource_status_reason: str | None = None
    physical_resource_id: str | None = None


class _Events(Struct, frozen=True):
    events: list[_Event]


class _Environment(Struct, frozen=True):
    parameters: dict[str, Any] | None = None


class _ResourceName(Struct, frozen=True):
    resource_name: str


class _PreviewResponse(Struct, frozen=True):
    resource_changes: dict[str, list[_ResourceName] | None]


class HeatApiError(RequestError):
    """A request that Heat refused, or that it did not answer."""

    PASSING = RequestError.PASSING | {408}

    @property
    def is_conflict(self) -> bool:
        return self.status == 409


class Heat:
    """The stacks of one project in one region."""

    def __init__(self, client: Adapter, *, seconds: float) -> None:
        self.client, self.seconds = client, seconds

    async def check_access(self) -> None:
        try:
            await self._request("GET", "/stacks?limit=1")
        except HeatApiError as failure:
            raise DeployError(f"the orchestration service: {failure.message}") from failure

    async def find(self, name_or_id: str, *, with_outputs: bool = True) -> StackData | None:
        """The stack; None when there is none, or it was deleted."""
        path = f"/stacks/{_quote_segment(name_or_id)}"
        try:
            # Heat answers with the place of the stack by name and id, and forgets the question on the way there.
            answer = await self._request("GET", path if with_outputs else f"{path}?resolve_outputs=False")
        except HeatApiError as failure:
            if failure.status == 404:
                return None
            raise
        stack: StackData = _check_response(answer, _StackResponse, f"the stack {name_or_id}")["stack"]
        if name_or_id not in (stack["stack_name"], stack["id"]):
            raise HeatApiError(
                f"asked for the stack {name_or_id}, Heat answers with another: {stack['stack_name'][:100]}",
                status=500,
            )
        return None if stack["stack_status"] == "DELETE_COMPLETE" else stack

    async def template(self, stack: StackData) -> Mapping[str, Any]:
        return await self._request("GET", f"{_stack_path(stack)}/template")

    async def environment(self, stack: StackData) -> Mapping[str, Any]:
        answer = await self._request("GET", f"{_stack_path(stack)}/environment")
        return _check_response(answer, _Environment, f"the environment of {stack['stack_name']}")

    async def files(self, stack: StackData) -> Mapping[str, Any]:
        return await self._request("GET", f"{_stack_path(stack)}/files")

    async def create(self, body: Mapping[str, Any]) -> StackData:
        answer = await self._request("POST", "/stacks", body)
        created = _check_response(
            answer, _CreateResponse, f"the new stack {body['stack_name']}", was_sent=True
        )["stack"]
        return {**created, "stack_name": body["stack_name"]}

    async def update(self, stack: StackData, body: Mapping[str, Any]) -> None:
        await self._request("PUT", _stack_path(stack), body)

    async def preview_create(self, body: Mapping[str, Any]) -> None:
        """`HeatFailure` when Heat would refuse it."""
        await self._request("POST", "/stacks/preview", body)

    async def preview_update(self, stack: StackData, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """What would become of the resources: names by `added`, `updated`, `replaced`, `deleted`, `unchanged`."""
        answer = await self._request("PUT", f"{_stack_path(stack)}/preview", body)
        changes = _check_response(answer, _PreviewResponse, f"what would become of {stack['stack_name']}")
        resources: Mapping[str, Any] = changes["resource_changes"]
        return resources

    async def delete(self, stack: StackData) -> None:
        await self._request("DELETE", _stack_path(stack))

    async def act(self, stack: StackData, action: str) -> None:
        """`check`, `suspend` or `resume`."""
        await self._request("POST", f"{_stack_path(stack)}/actions", {action: None})

    async def events(self, stack: StackData, after: str | None) -> list[Mapping[str, Any]]:
        """What happened in a stack, in order; only what came after an event, when its id is given."""
        marker = f"&marker={_quote_segment(after)}" if after is not None else ""
        answer = await self._request(
            "GET", f"{_stack_path(stack)}/events?sort_keys=event_time&sort_dir=asc{marker}"
        )
        events: list[Mapping[str, Any]] = _check_response(
            answer, _Events, f"the events of {stack['stack_name']}"
        )["events"]
        return events[-_MOST_EVENTS:]

    async def _request(
        self, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        was_sent = method != "GET"
        try:
            return await run_in_thread(lambda: self._answer(method, path, body), seconds=self.seconds)
        except InvalidResponseError as error:
            status = 0 if isinstance(error, ResponseTimeoutError) else 500
            raise HeatApiError(f"Heat: {error}", status=status, was_sent=was_sent) from error

    def _answer(self, method: str, path: str, body: Mapping[str, Any] | None) -> Mapping[str, Any]:
        from keystoneauth1.exceptions import ClientException, ConnectFailure, UnknownConnectionError

        from sabir.deployments.drivers.heat.session import find_rejection

        try:
            response = self.client.request(path, method, json=body, raise_exc=False)
        except (ConnectFailure, UnknownConnectionError) as error:
            if (reason := find_rejection(error)) is not None:
                raise InvalidResponseError(reason) from error
            raise HeatApiError(
                f"Heat does not answer: {explain_error(error)}", was_sent=method != "GET"
            ) from error
        except ClientException as error:
            raise HeatApiError(f"Heat cannot be asked: {explain_error(error)}") from error
        if response.status_code >= 300:
            raise HeatApiError(_describe_failure(response), status=response.status_code)
        answer = decode_json(response.content)
        if not isinstance(answer, dict | None):
            raise InvalidResponseError("it answers with something that is no object")
        return answer or {}


def _check_response(
    answer: Mapping[str, Any], shape: type[Struct], subject: str, *, was_sent: bool = False
) -> Mapping[str, Any]:
    misfit = describe_mismatch(answer, shape)
    if misfit is not None:
        raise HeatApiError(f"what Heat tells of {subject} cannot be: {misfit}", status=500, was_sent=was_sent)
    return answer


def _stack_path(stack: StackData) -> str:
    return f"/stacks/{_quote_segment(stack['stack_name'])}/{_quote_segment(stack['id'])}"


def _quote_segment(text: Any) -> str:
    return quote(str(text), safe="")


def _describe_failure(response: Any) -> str:
    try:
        answer = decode_json(response.content)
    except InvalidResponseError:
        answer = response.text[:200]
    told = answer if isinstance(answer, dict) else {"explanation": answer}
    error = told.get("error")
    said = error.get("message") if isinstance(error, dict) else None
    message = str(said or told.get("explanation") or response.reason)[:_LONGEST]
    match response.status_code:
        case 401:
            return "Heat refuses the credentials"
        case 403:
            return f"Heat does not allow this user to do that: {message}"
        case _:
            return message
