"""One Heat at work on stacks that are kept: read, apply, delete, observe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from sabir.deployments.drivers.heat.api import Heat, HeatApiError, StackData
from sabir.deployments.drivers.heat.cloud_calls import (
    CALLS,
    QUESTIONS,
    observe_stack_call,
    query_service,
    run_stack_call,
)
from sabir.deployments.drivers.heat.stack import (
    DesiredStack,
    build_desired_stack,
    environment_tag,
    operation_tag,
    stack_changes,
)
from sabir.deployments.drivers.heat.stack_operations import (
    StackError,
    StackOperation,
    check_free,
    describe_failure,
    has_tag,
)
from sabir.errors import DeployError
from sabir.graph.secrets import Secrets, secret_texts
from sabir.graph.values import Value
from sabir.resources.effects import Effects
from sabir.resources.outcome import (
    CompletionStatus,
    FieldChange,
    Observation,
    Outcome,
    OutcomeStatus,
    ResourceReading,
)
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task


class HeatSettings(Struct, frozen=True, kw_only=True):
    environment: str
    wait_seconds: float


class HeatConnection:
    def __init__(self, heat: Heat, settings: HeatSettings) -> None:
        self.heat, self.settings = heat, settings

    async def read(self, resource: Resource, target_id: str | None) -> ResourceReading:
        wanted = build_desired_stack(resource.desired)
        try:
            stack = await self.heat.find(target_id or wanted.name)
            if stack is None:
                refusal = await self._preview_creation(wanted)
                return ResourceReading(exists=False, message=refusal, warning=refusal)
            changes = await self._changes(wanted, stack)
            message = await self._preview_update(wanted, stack) if changes else None
        except HeatApiError as failure:
            raise DeployError(f"{resource.address}: {failure.message}") from failure
        secrets = _collect_secrets(resource)
        return ResourceReading(
            exists=True,
            id=stack["id"],
            fields={"name": stack["stack_name"], "status": stack["stack_status"]},
            results=_stack_results(stack, secrets),
            changes=tuple(_mark_secrets(change, secrets) for change in changes),
            message=None if message is None else secrets.redact(message),
            warning=None if message is None else secrets.redact(message),
        )

    async def apply(self, task: Task, effects: Effects) -> Outcome:
        secrets = _collect_secrets(task.resource)
        try:
            if task.resource.kind in CALLS:
                return await run_stack_call(task, self._build_operation(task, effects), secrets)
            if task.resource.kind in QUESTIONS:
                return await query_service(task, self.heat)
            stack, changed = await self._apply_stack(task, effects)
        except HeatApiError as failure:
            return _failure_outcome(failure, secrets)
        except (StackError, DeployError) as error:
            return Outcome(status=OutcomeStatus.FAILED, message=secrets.redact(str(error)))
        return Outcome(changed=changed, id=stack["id"], results=_stack_results(stack, secrets))

    async def delete(self, task: Task, effects: Effects) -> Outcome:
        secrets = _collect_secrets(task.resource)
        try:
            stack = await self.heat.find(
                task.id or build_desired_stack(task.resource.desired).name, with_outputs=False
            )
            if stack is None:
                return Outcome(changed=False)
            self._check_ours(stack, recorded=task.id is not None)
            left = await self._build_operation(task, effects).delete(stack)
            if left is not None:
                raise StackError(await describe_failure(self.heat, left))
        except HeatApiError as failure:
            return _failure_outcome(failure, secrets)
        except StackError as error:
            return Outcome(status=OutcomeStatus.FAILED, message=secrets.redact(str(error)))
        return Outcome()

    async def observe(self, task: Task) -> Observation:
        """Every operation may be asked for again: it then waits for the one that goes on. So nothing is in doubt here."""
        secrets = _collect_secrets(task.resource)
        try:
            if task.resource.kind in CALLS:
                return await observe_stack_call(task, self.heat, secrets)
            if task.resource.kind in QUESTIONS:
                return Observation(sighting=CompletionStatus.CANNOT_TELL, look_at=task.resource.kind)
            stack = await self.heat.find(build_desired_stack(task.resource.desired).name)
        except HeatApiError as failure:
            return Observation(sighting=CompletionStatus.CANNOT_TELL, look_at=failure.message)
        if task.action is Action.DELETE:
            done = stack is None or (task.id is not None and stack["id"] != task.id)
            return Observation(
                sighting=CompletionStatus.DONE if done else CompletionStatus.NOT_DONE, outcome=Outcome()
            )
        if stack is None or not has_tag(stack, operation_tag(task.operation_id)) or not _is_well(stack):
            return Observation(sighting=CompletionStatus.NOT_DONE)
        outcome = Outcome(id=stack["id"], results=_stack_results(stack, secrets))
        return Observation(sighting=CompletionStatus.DONE, outcome=outcome)

    async def call(self, task: Task, operation: str, effects: Effects) -> Outcome:
        """`check`, `suspend`, `resume`."""
        secrets = _collect_secrets(task.resource)
        try:
            stack = await self.heat.find(task.id or build_desired_stack(task.resource.desired).name)
            if stack is None:
                raise StackError("there is no such stack")
            after = await self._build_operation(task, effects).act(stack, operation)
            stack = await self._well(after)
        except HeatApiError as failure:
            return _failure_outcome(failure, secrets)
        except StackError as error:
            return Outcome(status=OutcomeStatus.FAILED, message=secrets.redact(str(error)))
        return Outcome(results=_stack_results(stack, secrets))

    async def _apply_stack(self, task: Task, effects: Effects) -> tuple[StackData, bool]:
        wanted = build_desired_stack(task.resource.desired)
        pushing = self._build_operation(task, effects)
        stack = await self.heat.find(wanted.name)
        begun = await pushing.wait_if_started(stack)
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

    async def _changes(self, wanted: DesiredStack, stack: StackData) -> tuple[FieldChange, ...]:
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
            raise StackError("somebody else deleted it meanwhile")
        if not _is_well(stack):
            raise StackError(f"{stack['stack_status']}: {await describe_failure(self.heat, stack)}")
        return stack

    def _check_ours(self, stack: StackData, *, recorded: bool) -> None:
        """A stack that nobody recorded, and that is not marked as of this environment, is somebody else's."""
        if not recorded and not has_tag(stack, environment_tag(self.settings.environment)):
            raise StackError(
                f"there is a stack {stack['stack_name']!r} that is not of this environment; `sabir adopt` takes it over"
            )

    async def _preview_creation(self, wanted: DesiredStack) -> str | None:
        """What Heat says of a stack that is not there yet; None when it has nothing against it."""
        try:
            await self.heat.preview_create(wanted.request())
        except HeatApiError as failure:
            if failure.passing:
                raise
            return f"Heat would refuse it: {failure.message}"
        return None

    async def _preview_update(self, wanted: DesiredStack, stack: StackData) -> str | None:
        """What would become of the resources of a stack."""
        if stack["stack_status"].endswith("_IN_PROGRESS"):
            return f"it is {stack['stack_status']}"
        try:
            changes = await self.heat.preview_update(stack, wanted.request())
        except HeatApiError as failure:
            if failure.passing:
                raise
            return f"Heat would refuse it: {failure.message}"
        parts = [
            f"{word} {', '.join(sorted(resource['resource_name'] for resource in changes[word]))}"
            for word in ("added", "updated", "replaced", "deleted")
            if changes.get(word)
        ]
        return f"its resources: {'; '.join(parts)}" if parts else None

    def _build_operation(self, task: Task, effects: Effects) -> StackOperation:
        secrets = _collect_secrets(task.resource)
        return StackOperation(
            heat=self.heat,
            operation_id=task.operation_id,
            seconds=task.timeout or self.settings.wait_seconds,
            tell=lambda line: effects.note(secrets.redact(line)),
            tags=(environment_tag(self.settings.environment),),
        )


def _is_well(stack: StackData) -> bool:
    status = str(stack["stack_status"])
    return status.endswith("_COMPLETE") and not status.startswith("ROLLBACK_")


def _stack_results(stack: StackData, secrets: Secrets) -> dict[str, Value]:
    outputs: Mapping[str, Any] = {
        output["output_key"]: output.get("output_value") for output in stack.get("outputs") or ()
    }
    return {"id": stack["id"], **{name: secrets.mark_sensitive(value) for name, value in outputs.items()}}


def _collect_secrets(resource: Resource) -> Secrets:
    return Secrets(secret_texts(dict(resource.desired)) or ())


def _mark_secrets(change: FieldChange, secrets: Secrets) -> FieldChange:
    return FieldChange(
        field=change.field,
        before=secrets.mark_sensitive(change.before),
        after=secrets.mark_sensitive(change.after),
    )


def _failure_outcome(failure: HeatApiError, secrets: Secrets) -> Outcome:
    status = OutcomeStatus.UNKNOWN if failure.was_sent else OutcomeStatus.FAILED
    return Outcome(status=status, message=secrets.redact(failure.message), passing=failure.passing)
