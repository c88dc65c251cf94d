"""Until Heat is done with a stack: what happens in it is told on the way, and what went wrong at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

from sabir.deployments.drivers.heat.api import Heat, HeatFailure, StackData

__all__ = ["StackFailed", "Waiting", "reasons"]

_SOON: Final = 0.1
_SELDOM: Final = 5.0
_MOST_REASONS: Final = 3


class StackFailed(Exception):
    """A stack that did not come to be what it should, in the words of Heat."""


class Waiting:
    """Patience with one stack. What had happened in it before is not told."""

    def __init__(self, heat: Heat, stack: StackData, *, seconds: float, tell: Callable[[str], None]) -> None:
        self._heat, self._stack, self._seconds, self._tell = heat, stack, seconds, tell
        self._last_event: str | None = None

    async def skip_past(self) -> None:
        """What has happened so far is known; called before something new is asked for."""
        events = await self._heat.events(self._stack, None)
        self._last_event = events[-1]["id"] if events else None

    async def settled(self, has_begun: Callable[[StackData], bool] = lambda _: True) -> StackData | None:
        """The stack when what was asked for has begun, and nothing is in progress any more; None when it is gone."""
        deadline = _now() + self._seconds
        pause = _SOON
        while (seen := await self._heat.find(self._stack["id"], with_outputs=False)) is not None:
            await self._tell_news()
            if has_begun(seen) and not seen["stack_status"].endswith("_IN_PROGRESS"):
                return await self._heat.find(self._stack["id"])
            if _now() > deadline:
                raise StackFailed(f"it is still {seen['stack_status']} after {self._seconds:g} seconds")
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, _SELDOM)
        return None

    async def _tell_news(self) -> None:
        try:
            events = await self._heat.events(self._stack, self._last_event)
        except HeatFailure as failure:
            if failure.status != 404:  # it may just have gone
                raise
            return
        for event in events:
            self._last_event = event["id"]
            self._tell(_line(event))


async def reasons(heat: Heat, stack: StackData) -> str:
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


def _line(event: Any) -> str:
    reason = event.get("resource_status_reason") or ""
    why = "" if reason in ("", "state changed") else f": {reason}"
    return f"{event['resource_name']} {event['resource_status']}{why}"


def _now() -> float:
    return asyncio.get_running_loop().time()
