"""One Heat at work on stacks that are kept: read, apply, delete, observe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from sabir.deployments.drivers.heat.api import Heat, HeatFailure, StackData
from sabir.deployments.drivers.heat.cloud_calls import CALLS, QUESTIONS, asked, called, observed_call
from sabir.deployments.drivers.heat.stack import (
    WantedStack,
    environment_tag,
    operation_tag,
    stack_changes,
    wanted_stack,
)
from sabir.deployments.drivers.heat.stack_operations import Pushing, StackFailed, check_free, has_tag, reasons
from sabir.errors import DeployError
from sabir.graph.secrets import Secrets, secret_texts
from sabir.graph.values import Value
from sabir.resources.effects import Effects
from sabir.resources.outcome import Change, Observation, Outcome, OutcomeStatus, Reading, Sighting
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task


class HeatSettings(Struct, frozen=True, kw_only=True):
    environment: str
    wait_seconds: float


class Stacks:
    def __init__(self, heat: Heat, settings: HeatSettings) -> None:
        self.heat, self.settings = heat, settings

    async def read(self, resource: Resource, target_id: str | None) -> Reading:
        wanted = wanted_stack(resource.desired)
        try:
            stack = await self.heat.find(target_id or wanted.name)
            if stack is None:
                refusal = await self._foreseen_creation(wanted)
                return Reading(exists=False, message=refusal, warning=refusal)
            changes = await self._changes(wanted, stack)
            message = await self._foreseen_update(wanted, stack) if changes else None
        except HeatFailure as failure:
            raise DeployError(f"{resource.address}: {failure.message}") from failure
        secrets = _secrets(resource)
        return Reading(
            exists=True,
            id=stack["id"],
            fields={"name": stack["stack_name"], "status": stack["stack_status"]},
            results=_results(stack, secrets),
            changes=tuple(_marked(change, secrets) for change in changes),
            message=None if message is None else secrets.scrubbed(message),
            warning=None if message is None else secrets.scrubbed(message),
        )

    async def apply(self, task: Task, effects: Effects) -> Outcome:
        secrets = _secrets(task.resource)
        try:
            if task.resource.kind in CALLS:
                return await called(task, self._pushing(task, effects), secrets)
            if task.resource.kind in QUESTIONS:
                return await asked(task, self.heat)
            stack, changed = await self._applied(task, effects)
        except HeatFailure as failure:
            return _failed(failure, secrets)
        except (StackFailed, DeployError) as error:
            return Outcome(status=OutcomeStatus.FAILED, message=secrets.scrubbed(str(error)))
        return Outcome(changed=changed, id=stack["id"], results=_results(stack, secrets))

    async def delete(self, task: Task, effects: Effects) -> Outcome:
        secrets = _secrets(task.resource)
        try:
            stack = await self.heat.find(
                task.id or wanted_stack(task.resource.desired).name, with_outputs=False
            )
            if stack is None:
                return Outcome(changed=False)
            self._check_ours(stack, recorded=task.id is not None)
            left = await self._pushing(task, effects).delete(stack)
            if left is not None:
                raise StackFailed(await reasons(self.heat, left))
        except HeatFailure as failure:
            return _failed(failure, secrets)
        except StackFailed as error:
            return Outcome(status=OutcomeStatus.FAILED, message=secrets.scrubbed(str(error)))
        return Outcome()

    async def observe(self, task: Task) -> Observation:
        """Every operation may be asked for again: it then waits for the one that goes on. So nothing is in doubt here."""
        secrets = _secrets(task.resource)
        try:
            if task.resource.kind in CALLS:
                return await observed_call(task, self.heat, secrets)
            if task.resource.kind in QUESTIONS:
                return Observation(sighting=Sighting.CANNOT_TELL, look_at=task.resource.kind)
            stack = await self.heat.find(wanted_stack(task.resource.desired).name)
        except HeatFailure as failure:
            return Observation(sighting=Sighting.CANNOT_TELL, look_at=failure.message)
        if task.action is Action.DELETE:
            done = stack is None or (task.id is not None and stack["id"] != task.id)
            return Observation(sighting=Sighting.DONE if done else Sighting.NOT_DONE, outcome=Outcome())
        if stack is None or not has_tag(stack, operation_tag(task.operation_id)) or not _is_well(stack):
            return Observation(sighting=Sighting.NOT_DONE)
        outcome = Outcome(id=stack["id"], results=_results(stack, secrets))
        return Observation(sighting=Sighting.DONE, outcome=outcome)

    async def call(self, task: Task, operation: str, effects: Effects) -> Outcome:
        """`check`, `suspend`, `resume`."""
        secrets = _secrets(task.resource)
        try:
            stack = await self.heat.find(task.id or wanted_stack(task.resource.desired).name)
            if stack is None:
                raise StackFailed("there is no such stack")
            after = await self._pushing(task, effects).act(stack, operation)
            stack = await self._well(after)
        except HeatFailure as failure:
            return _failed(failure, secrets)
        except StackFailed as error:
            return Outcome(status=OutcomeStatus.FAILED, message=secrets.scrubbed(str(error)))
        return Outcome(results=_results(stack, secrets))

    async def _applied(self, task: Task, effects: Effects) -> tuple[StackData, bool]:
        wanted = wanted_stack(task.resource.desired)
        pushing = self._pushing(task, effects)
        stack = await self.heat.find(wanted.name)
        begun = await pushing.begun(stack)
        if begun is not None and _is_well(begun):
            return begun, True
        stack = begun or stack
        if stack is None:
            return await self._well(await pushing.create(wanted)), True
        self._check_ours(stack, recorded=task.action is not Action.CREATE)
        stack = await pushing.free(stack)
        if stack is None:
            return await self._well(await pushing.create(wanted)), True
        check_free(stack)
        if not await self._changes(wanted, stack):
            return stack, False
        return await self._well(await pushing.update(stack, wanted)), True

    async def _changes(self, wanted: WantedStack, stack: StackData) -> tuple[Change, ...]:
        return tuple(
            stack_changes(
                wanted,
                template=await self.heat.template(stack),
                environment=await self.heat.environment(stack),
                files=await self.heat.files(stack),
                status=stack["stack_status"],
            )
        )

    async def _well(self, stack: StackData | None) -> StackData:
        if stack is None:
            raise StackFailed("somebody else deleted it meanwhile")
        if not _is_well(stack):
            raise StackFailed(f"{stack['stack_status']}: {await reasons(self.heat, stack)}")
        return stack

    def _check_ours(self, stack: StackData, *, recorded: bool) -> None:
        """A stack that nobody recorded, and that is not marked as of this environment, is somebody else's."""
        if not recorded and not has_tag(stack, environment_tag(self.settings.environment)):
            raise StackFailed(
                f"there is a stack {stack['stack_name']!r} that is not of this environment; `sabir adopt` takes it over"
            )

    async def _foreseen_creation(self, wanted: WantedStack) -> str | None:
        """What Heat says of a stack that is not there yet; None when it has nothing against it."""
        try:
            await self.heat.preview_create(wanted.request())
        except HeatFailure as failure:
            if failure.passing:
                raise
            return f"Heat would refuse it: {failure.message}"
        return None

    async def _foreseen_update(self, wanted: WantedStack, stack: StackData) -> str | None:
        """What would become of the resources of a stack."""
        if stack["stack_status"].endswith("_IN_PROGRESS"):
            return f"it is {stack['stack_status']}"
        try:
            changes = await self.heat.preview_update(stack, wanted.request())
        except HeatFailure as failure:
            if failure.passing:
                raise
            return f"Heat would refuse it: {failure.message}"
        parts = [
            f"{word} {', '.join(sorted(resource['resource_name'] for resource in changes[word]))}"
            for word in ("added", "updated", "replaced", "deleted")
            if changes.get(word)
        ]
        return f"its resources: {'; '.join(parts)}" if parts else None

    def _pushing(self, task: Task, effects: Effects) -> Pushing:
        secrets = _secrets(task.resource)
        return Pushing(
            heat=self.heat,
            operation_id=task.operation_id,
            seconds=task.timeout or self.settings.wait_seconds,
            tell=lambda line: effects.note(secrets.scrubbed(line)),
            tags=(environment_tag(self.settings.environment),),
        )


def _is_well(stack: StackData) -> bool:
    status = str(stack["stack_status"])
    return status.endswith("_COMPLETE") and not status.startswith("ROLLBACK_")


def _results(stack: StackData, secrets: Secrets) -> dict[str, Value]:
    outputs: Mapping[str, Any] = {
        output["output_key"]: output.get("output_value") for output in stack.get("outputs") or ()
    }
    return {"id": stack["id"], **{name: secrets.marked(value) for name, value in outputs.items()}}


def _secrets(resource: Resource) -> Secrets:
    return Secrets(secret_texts(dict(resource.desired)) or ())


def _marked(change: Change, secrets: Secrets) -> Change:
    return Change(
        field=change.field, before=secrets.marked(change.before), after=secrets.marked(change.after)
    )


def _failed(failure: HeatFailure, secrets: Secrets) -> Outcome:
    status = OutcomeStatus.UNKNOWN if failure.was_sent else OutcomeStatus.FAILED
    return Outcome(status=status, message=secrets.scrubbed(failure.message), passing=failure.passing)
