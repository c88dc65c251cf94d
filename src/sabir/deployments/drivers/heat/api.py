"""Requests to one Heat about stacks, and failures in words for people.

The client blocks, so every request runs in a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from sabir.deployments.drivers.failures import RequestFailure
from sabir.errors import DeployError

if TYPE_CHECKING:
    from keystoneauth1.adapter import Adapter

__all__ = ["Heat", "HeatFailure", "StackData"]

StackData = Mapping[str, Any]
"""A stack as Heat tells of it."""

_PASSING: Final = frozenset([408, 429, 502, 503, 504])


class HeatFailure(RequestFailure):
    """A request that Heat refused, or that it did not answer."""

    @property
    def passing(self) -> bool:
        return self.status == 0 or self.status in _PASSING

    @property
    def is_conflict(self) -> bool:
        return self.status == 409


class Heat:
    """The stacks of one project in one region."""

    def __init__(self, client: Adapter) -> None:
        self.client = client

    async def check_access(self) -> None:
        try:
            await self._request("GET", "/stacks?limit=1")
        except HeatFailure as failure:
            raise DeployError(f"the orchestration service: {failure.message}") from failure

    async def find(self, name_or_id: str, *, with_outputs: bool = True) -> StackData | None:
        """The stack; None when there is none, or it was deleted."""
        path = f"/stacks/{_quoted(name_or_id)}"
        try:
            # Heat answers with the place of the stack by name and id, and forgets the question on the way there.
            stack = (await self._request("GET", path if with_outputs else f"{path}?resolve_outputs=False"))[
                "stack"
            ]
        except HeatFailure as failure:
            if failure.status == 404:
                return None
            raise
        return None if stack["stack_status"] == "DELETE_COMPLETE" else stack

    async def template(self, stack: StackData) -> Mapping[str, Any]:
        return await self._request("GET", f"{_path(stack)}/template")

    async def environment(self, stack: StackData) -> Mapping[str, Any]:
        return await self._request("GET", f"{_path(stack)}/environment")

    async def files(self, stack: StackData) -> Mapping[str, Any]:
        return await self._request("GET", f"{_path(stack)}/files")

    async def create(self, body: Mapping[str, Any]) -> StackData:
        created: StackData = (await self._request("POST", "/stacks", body))["stack"]
        return {"stack_name": body["stack_name"], **created}

    async def update(self, stack: StackData, body: Mapping[str, Any]) -> None:
        await self._request("PUT", _path(stack), body)

    async def preview_create(self, body: Mapping[str, Any]) -> StackData:
        preview: StackData = (await self._request("POST", "/stacks/preview", body))["stack"]
        return preview

    async def preview_update(self, stack: StackData, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """What would become of the resources: names by `added`, `updated`, `replaced`, `deleted`, `unchanged`."""
        changes: Mapping[str, Any] = (await self._request("PUT", f"{_path(stack)}/preview", body))[
            "resource_changes"
        ]
        return changes

    async def delete(self, stack: StackData) -> None:
        await self._request("DELETE", _path(stack))

    async def act(self, stack: StackData, action: str) -> None:
        """`check`, `suspend` or `resume`."""
        await self._request("POST", f"{_path(stack)}/actions", {action: None})

    async def events(self, stack: StackData, after: str | None) -> list[Mapping[str, Any]]:
        """What happened in a stack, in order; only what came after an event, when its id is given."""
        marker = f"&marker={_quoted(after)}" if after is not None else ""
        answer = await self._request(
            "GET", f"{_path(stack)}/events?sort_keys=event_time&sort_dir=asc{marker}"
        )
        events: list[Mapping[str, Any]] = answer["events"]
        return events

    async def _request(
        self, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        return await asyncio.to_thread(self._answer, method, path, body)

    def _answer(self, method: str, path: str, body: Mapping[str, Any] | None) -> Mapping[str, Any]:
        from keystoneauth1.exceptions import ClientException, ConnectFailure, UnknownConnectionError

        try:
            response = self.client.request(path, method, json=body, raise_exc=False)
        except (ConnectFailure, UnknownConnectionError) as error:
            raise HeatFailure(f"Heat does not answer: {error}", was_sent=method != "GET") from error
        except ClientException as error:
            raise HeatFailure(f"Heat cannot be asked: {error}") from error
        if response.status_code >= 400:
            raise HeatFailure(_sentence(response), status=response.status_code)
        return _json_object(response)


def _path(stack: StackData) -> str:
    return f"/stacks/{_quoted(stack['stack_name'])}/{_quoted(stack['id'])}"


def _quoted(text: Any) -> str:
    return quote(str(text), safe="")


def _json_object(response: Any) -> Mapping[str, Any]:
    try:
        answer = response.json()
    except ValueError:
        answer = None
    return answer if isinstance(answer, dict) else {}


def _sentence(response: Any) -> str:
    answer = _json_object(response)
    error = answer.get("error")
    said = error.get("message") if isinstance(error, dict) else None
    message = str(said or answer.get("explanation") or response.text[:200] or response.reason)
    match response.status_code:
        case 401:
            return "Heat refuses the credentials"
        case 403:
            return f"Heat does not allow this user to do that: {message}"
        case _:
            return message
