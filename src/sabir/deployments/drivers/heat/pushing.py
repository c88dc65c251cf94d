"""Create, update and delete stacks, each by its name. The id of the last operation is a tag of the stack.

Names are unique in a project, so a stack is never made twice: whoever comes back after a crash, or asks again because nobody
answered, meets the stack with the tag of the same operation, and goes on waiting for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from sabir.deployments.drivers.heat.api import Heat, HeatFailure, StackData
from sabir.deployments.drivers.heat.stack import WantedStack, operation_tag
from sabir.deployments.drivers.heat.waiting import StackFailed, Waiting

__all__ = ["Pushing", "has_tag"]


class Pushing(Struct, frozen=True, kw_only=True):
    """One operation on stacks."""

    heat: Heat
    operation_id: str
    seconds: float
    tell: Callable[[str], None]
    tags: tuple[str, ...] = ()
    """Beside that of the operation."""

    async def begun(self, stack: StackData | None) -> StackData | None:
        """The stack once this operation has ended, when it had begun before; None: it had not."""
        if stack is None or not has_tag(stack, operation_tag(self.operation_id)):
            return None
        return await self._waiting(stack).settled()

    async def create(self, wanted: WantedStack) -> StackData | None:
        try:
            created = await self.heat.create(self._request(wanted))
        except HeatFailure as failure:
            ours = await self._after_all(wanted.name, failure)
            if ours is None:
                raise
            return ours
        return await self._waiting(created).settled()

    async def update(self, stack: StackData, wanted: WantedStack) -> StackData | None:
        waiting = self._waiting(stack)
        await waiting.skip_past()
        try:
            await self.heat.update(stack, self._request(wanted))
        except HeatFailure as failure:
            ours = await self._after_all(wanted.name, failure)
            if ours is None:
                raise
            return ours
        return await waiting.settled(lambda seen: _moved(stack, seen))

    async def delete(self, stack: StackData) -> StackData | None:
        """None when it is gone; else what is left of it."""
        waiting = self._waiting(stack)
        if stack["stack_status"] != "DELETE_IN_PROGRESS":
            await waiting.skip_past()
            await self.heat.delete(stack)
        return await waiting.settled(lambda seen: seen["stack_status"].startswith("DELETE_"))

    async def act(self, stack: StackData, action: str) -> StackData | None:
        waiting = self._waiting(stack)
        await waiting.skip_past()
        await self.heat.act(stack, action)
        return await waiting.settled(lambda seen: seen["stack_status"].startswith(f"{action.upper()}_"))

    async def free(self, stack: StackData) -> StackData | None:
        """The stack when nobody is at work on it."""
        if not stack["stack_status"].endswith("_IN_PROGRESS"):
            return stack
        self.tell(f"waiting for {stack['stack_name']}, which is {stack['stack_status']}")
        return await self._waiting(stack).settled()

    async def _after_all(self, name: str, failure: HeatFailure) -> StackData | None:
        """Refused because it was heard before, or not answered and yet heard: the stack that has the tag tells."""
        if not (failure.is_conflict or failure.was_sent):
            return None
        return await self.begun(await self.heat.find(name, with_outputs=False))

    def _request(self, wanted: WantedStack) -> dict[str, Any]:
        return wanted.request(*self.tags, operation_tag(self.operation_id))

    def _waiting(self, stack: StackData) -> Waiting:
        return Waiting(self.heat, stack, seconds=self.seconds, tell=self.tell)


def has_tag(stack: StackData, tag: str) -> bool:
    return tag in (stack.get("tags") or ())


def check_free(stack: StackData) -> None:
    """A stack that is half gone can only go."""
    if stack["stack_status"].startswith("DELETE_"):
        raise StackFailed(
            f"there is a stack of this name that is {stack['stack_status']}: it has to be deleted first"
        )


def _moved(before: StackData, seen: StackData) -> bool:
    """Whether Heat has begun with an update: it says so a moment after it has agreed to it."""
    return any(before.get(key) != seen.get(key) for key in ("tags", "updated_time", "stack_status"))
