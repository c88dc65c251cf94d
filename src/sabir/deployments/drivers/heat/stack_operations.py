"""Create, update and delete stacks, each by its name. The id of the last operation is a tag of the stack.

Names are unique in a project, so a stack is never made twice: whoever comes back after a crash, or asks again because nobody
answered, meets the stack with the tag of the same operation, and goes on waiting for it.

Until Heat is done with a stack: what happens in it is told on the way, and what went wrong at the end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from sabir.deployments.drivers.heat.api import Heat, HeatApiError, StackData
from sabir.deployments.drivers.heat.stack import DesiredStack, operation_tag
from sabir.errors import SabirError

_SOON: Final = 0.1
_SELDOM: Final = 5.0
_MOST_REASONS: Final = 3


class StackError(SabirError):
    """A stack that did not come to be what it should, in the words of Heat."""


class StackWatcher:
    """Patience with one stack. What had happened in it before is not told."""

    def __init__(self, heat: Heat, stack: StackData, *, seconds: float, tell: Callable[[str], None]) -> None:
        self._heat, self._stack, self._seconds, self._tell = heat, stack, seconds, tell
        self._last_event: str | None = None

    async def skip_past(self) -> None:
        """What has happened so far is known; called before something new is asked for."""
        events = await self._heat.events(self._stack, None)
        self._last_event = events[-1]["id"] if events else None

    async def wait_until_settled(
        self, has_begun: Callable[[StackData], bool] = lambda _: True
    ) -> StackData | None:
        """The stack when what was asked for has begun, and nothing is in progress any more; None when it is gone."""
        deadline = _loop_time() + self._seconds
        pause = _SOON
        while (seen := await self._heat.find(self._stack["id"], with_outputs=False)) is not None:
            await self._tell_news()
            if has_begun(seen) and not seen["stack_status"].endswith("_IN_PROGRESS"):
                return await self._heat.find(self._stack["id"])
            if _loop_time() > deadline:
                raise StackError(f"it is still {seen['stack_status']} after {self._seconds:g} seconds")
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, _SELDOM)
        return None

    async def _tell_news(self) -> None:
        try:
            events = await self._heat.events(self._stack, self._last_event)
        except HeatApiError as failure:
            if failure.status != 404:  # it may just have gone
                raise
            return
        for event in events:
            self._last_event = event["id"]
            self._tell(_format_event(event))


async def describe_failure(heat: Heat, stack: StackData) -> str:
    """Why a stack failed: the resources that failed say more than the stack itself."""
    said = str(stack.get("stack_status_reason") or "no reason is told")
    failed = [
        event
        for event in await heat.events(stack, None)
        if event["resource_status"].endswith("_FAILED") and event.get("physical_resource_id") != stack["id"]
    ]
    lines = [
        f"{event['resource_name']}: {event['resource_status_reason']}" for event in failed[-_MOST_REASONS:]
    ]
    others = [line for line in dict.fromkeys(lines) if line.partition(": ")[2] not in said]
    return "; ".join([said, *others])


def _format_event(event: Any) -> str:
    reason = event.get("resource_status_reason") or ""
    why = "" if reason in ("", "state changed") else f": {reason}"
    return f"{event['resource_name']} {event['resource_status']}{why}"


def _loop_time() -> float:
    return asyncio.get_running_loop().time()


class StackOperation(Struct, frozen=True, kw_only=True):
    """One operation on stacks."""

    heat: Heat
    operation_id: str
    seconds: float
    tell: Callable[[str], None]
    tags: tuple[str, ...] = ()
    """Beside that of the operation."""

    async def wait_if_started(self, stack: StackData | None) -> StackData | None:
        """The stack once this operation has ended, when it had begun before; None: it had not."""
        if stack is None or not has_tag(stack, operation_tag(self.operation_id)):
            return None
        return await self._build_watcher(stack).wait_until_settled()

    async def create(self, wanted: DesiredStack) -> StackData | None:
        try:
            created = await self.heat.create(self._request(wanted))
        except HeatApiError as failure:
            ours = await self._after_all(wanted.name, failure)
            if ours is None:
                raise
            return ours
        return await self._build_watcher(created).wait_until_settled()

    async def update(self, stack: StackData, wanted: DesiredStack) -> StackData | None:
        waiting = self._build_watcher(stack)
        await waiting.skip_past()
        try:
            await self.heat.update(stack, self._request(wanted))
        except HeatApiError as failure:
            ours = await self._after_all(wanted.name, failure)
            if ours is None:
                raise
            return ours
        return await waiting.wait_until_settled(lambda seen: _has_update_started(stack, seen))

    async def delete(self, stack: StackData) -> StackData | None:
        """None when it is gone; else what is left of it."""
        waiting = self._build_watcher(stack)
        if stack["stack_status"] != "DELETE_IN_PROGRESS":
            await waiting.skip_past()
            await self.heat.delete(stack)
        return await waiting.wait_until_settled(lambda seen: seen["stack_status"].startswith("DELETE_"))

    async def act(self, stack: StackData, action: str) -> StackData | None:
        waiting = self._build_watcher(stack)
        await waiting.skip_past()
        await self.heat.act(stack, action)
        return await waiting.wait_until_settled(
            lambda seen: seen["stack_status"].startswith(f"{action.upper()}_")
        )

    async def free(self, stack: StackData) -> StackData | None:
        """The stack when nobody is at work on it."""
        if not stack["stack_status"].endswith("_IN_PROGRESS"):
            return stack
        self.tell(f"waiting for {stack['stack_name']}, which is {stack['stack_status']}")
        return await self._build_watcher(stack).wait_until_settled()

    async def _after_all(self, name: str, failure: HeatApiError) -> StackData | None:
        """Refused because it was heard before, or not answered and yet heard: the stack that has the tag tells."""
        if not (failure.is_conflict or failure.was_sent):
            return None
        return await self.wait_if_started(await self.heat.find(name, with_outputs=False))

    def _request(self, wanted: DesiredStack) -> dict[str, Any]:
        return wanted.request(*self.tags, operation_tag(self.operation_id))

    def _build_watcher(self, stack: StackData) -> StackWatcher:
        return StackWatcher(self.heat, stack, seconds=self.seconds, tell=self.tell)


def has_tag(stack: StackData, tag: str) -> bool:
    return tag in (stack.get("tags") or ())


def check_free(stack: StackData) -> None:
    """A stack that is half gone can only go."""
    if stack["stack_status"].startswith("DELETE_"):
        raise StackError(
            f"there is a stack of this name that is {stack['stack_status']}: it has to be deleted first"
        )


def _has_update_started(before: StackData, seen: StackData) -> bool:
    """Whether Heat has begun with an update: it says so a moment after it has agreed to it."""
    return any(before.get(key) != seen.get(key) for key in ("tags", "updated_time", "stack_status"))
