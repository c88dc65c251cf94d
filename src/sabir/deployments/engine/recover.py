"""Recovery after a crash: find out what became of the steps that had been started.

Each step with a saved intent and no saved end is looked up on its target by its operation id.

- Done: it is recorded as if it had just ended.
- Not done: its intent stays open until the next deployment continues it, with the same operation id. The target then
  recognizes a request that arrives twice.
- Cannot tell: its outcome is unknown and a person must resolve it, except for idempotent kinds, for which repeating the
  step has the same effect as running it once, and for programs, whose journal tells which effects are done.

Recovery itself may crash: it writes everything in one transaction, and running it again gives the same
result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.deployments.engine.connections import Connections
from sabir.deployments.engine.executor import observe_task
from sabir.deployments.engine.results import results_by_address
from sabir.deployments.store.journal import Journal
from sabir.deployments.store.records import (
    DeploymentState,
    RecordStatus,
    ResourceRecord,
    StepRecord,
    StepState,
    intent_of,
)
from sabir.deployments.store.row_checks import raise_damaged
from sabir.deployments.store.writer import Write
from sabir.deployments.targets import PlacedResource, Targets
from sabir.errors import DeployError
from sabir.graph.address import Address
from sabir.resources.outcome import CompletionStatus, Observation, Outcome
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task

WAVE: Final = "#wave"
"""Suffix of a step key, followed by a number, if the resource had a step in an earlier wave of the same
deployment.
"""


class OpenStep(Struct, frozen=True, kw_only=True, eq=False):
    """A step that was started and is not done; the next deployment continues it under its operation id."""

    step: StepRecord
    desired: str
    is_program: bool
    """Whether some of its effects are recorded. It must then be continued, whatever the project asks for now.
    """
    is_call: bool = False

    def continues(self, desired: str) -> bool:
        """Tell whether a step with these desired fields may reuse the operation id.

        With other fields it would be another operation: the target must not take it for a repetition.
        """
        return self.is_program or self.desired == desired


class RecoveryResult(Struct, frozen=True, kw_only=True, eq=False):
    """What recovery found: steps that were done, steps with an unknown outcome, and steps to continue."""

    done: tuple[str, ...] = ()
    unknown: tuple[tuple[str, str], ...] = ()
    """Step keys, each with where to look."""
    open: Mapping[str, OpenStep] = {}
    """By step key, without the suffix of the wave."""


async def recover(
    journal: Journal, targets: Targets, connections: Connections, steps: Sequence[StepRecord]
) -> RecoveryResult:
    """Settle the open steps, and close the deployments that they belong to as interrupted."""
    store = journal.store
    records = store.records()
    done: list[str] = []
    unknown: list[tuple[str, str]] = []
    left: dict[str, OpenStep] = {}
    writes: list[Write] = []
    for step in steps:
        task, placed = _rebuild_task(step, targets, journal)
        if intent_of(step).report_only:
            # A step that only compares changes nothing, so there is nothing to look up.
            observation = Observation(sighting=CompletionStatus.NOT_DONE)
        else:
            observation = await _observe_step(task, placed, connections)
        is_program = bool(store.calls(step.operation_id))
        repeatable = placed is not None and placed.kind.idempotent
        if observation.sighting is CompletionStatus.DONE:
            writes += settle_step(journal, step, task, observation.outcome or Outcome())
            done.append(step.key)
        elif observation.sighting is CompletionStatus.NOT_DONE or repeatable or is_program:
            is_call = is_call_step(step)
            left[step.key.partition(WAVE)[0]] = OpenStep(
                step=step, desired=intent_of(step).desired, is_program=is_program, is_call=is_call
            )
            record = records.get(step.address)
            if is_call:
                continue
            # A program that has had effects owns resources: without a record nothing would ever delete them.
            if is_program and record is None:
                writes.append(journal.record(_initial_record(step)))
            elif record is not None and record.status is RecordStatus.UNKNOWN:
                writes.append(journal.record(replace(record, status=RecordStatus.FAILED)))
        else:
            look = observation.look_at or f"{step.kind} {step.address} on {step.target}"
            unknown.append((step.key, look))
            # Recovery runs before every deployment; a step that is already marked gets no second event.
            if step.state is not StepState.UNKNOWN:
                writes += _mark_unknown(journal, step, records, look)
    if writes:
        journal.now_all(writes, moves=True)
    for deployment in store.deployments():
        if deployment.state is DeploymentState.RUNNING:
            journal.close(DeploymentState.INTERRUPTED, deployment.number)
    return RecoveryResult(done=tuple(done), unknown=tuple(unknown), open=left)


async def _observe_step(task: Task, placed: PlacedResource | None, connections: Connections) -> Observation:
    if placed is None:
        return Observation(sighting=CompletionStatus.CANNOT_TELL)
    return await observe_task(placed, task, connections)


def _rebuild_task(step: StepRecord, targets: Targets, journal: Journal) -> tuple[Task, PlacedResource | None]:
    """Return the task as its intent recorded it, and its placement; None if the target or driver no longer
    exists."""
    intent, read = intent_of(step), journal.store.codec.read
    subject = f"the intent of {step.key!r}"
    resource = Resource(
        address=Address.parse(step.address),
        kind=step.kind,
        desired=read(intent.desired, subject),
        target=step.target,
        driver=step.driver,
        requires=tuple(map(Address.parse, intent.requires)),
        results={name: Address.parse(text) for name, text in intent.results.items()},
    )
    task = Task(
        operation_id=step.operation_id,
        action=_parse_action(step),
        resource=resource,
        id=intent.id,
        attempt=step.attempt,
        operation=None if intent.call is None else intent.call.operation,
        arguments={} if intent.call is None else read(intent.call.arguments, subject),
    )
    try:
        return task, targets.place(resource)
    except DeployError:
        return task, None


def _parse_action(step: StepRecord) -> Action:
    try:
        return Action(step.action)
    except ValueError:
        raise_damaged(f"step {step.key!r} of deployment {step.deployment}", f"{step.action!r} is no action")


def settle_step(journal: Journal, step: StepRecord, task: Task | None, outcome: Outcome) -> list[Write]:
    """Return the writes that record a step, and its resource, as done.

    `task` is rebuilt from the intent if it is None. `sabir resolve` uses this, too.
    """
    if task is None:
        task, _ = _rebuild_task(step, Targets(()), journal)
    message = outcome.message or "found done"
    writes = journal.step(
        step.key, StepState.DONE, attempt=step.attempt, message=message, deployment=step.deployment
    )
    if task.action is Action.DELETE:
        return [*writes, journal.forget(step.address), journal.forget_facts(step.address)]
    results = results_by_address(task.resource, outcome.results)
    facts = journal.facts(
        results,
        address=step.address,
        step=step.key,
        position=step.position + 1,
        deployment=step.deployment,
    )
    if is_call_step(step):
        return [*writes, *facts]
    return [*writes, journal.record(_present_record(journal, step, task, outcome)), *facts]


def is_call_step(step: StepRecord) -> bool:
    """Tell whether a started step is a call: nothing of its resource is recorded then."""
    return intent_of(step).call is not None


def _present_record(journal: Journal, step: StepRecord, task: Task, outcome: Outcome) -> ResourceRecord:
    codec = journal.store.codec
    return replace(
        _initial_record(step),
        status=RecordStatus.PRESENT,
        id=outcome.id if outcome.id is not None else task.id,
        fields=None if outcome.fields is None else codec.write(outcome.fields),
    )


def _initial_record(step: StepRecord) -> ResourceRecord:
    """Return the record of a resource whose first step was started: failed until something better is known."""
    intent = intent_of(step)
    return ResourceRecord(
        address=step.address,
        kind=step.kind,
        target=step.target,
        driver=step.driver,
        status=RecordStatus.FAILED,
        desired=intent.desired,
        requires=intent.requires,
        deployment=step.deployment,
        step=step.key,
        origin=intent.origin,
    )


def _mark_unknown(
    journal: Journal, step: StepRecord, records: Mapping[str, ResourceRecord], look: str
) -> list[Write]:
    message = f"it cannot be told whether it was done: look at {look}"
    state = journal.step(
        step.key, StepState.UNKNOWN, attempt=step.attempt, message=message, deployment=step.deployment
    )
    if is_call_step(step):
        return state
    record = replace(records.get(step.address) or _initial_record(step), status=RecordStatus.UNKNOWN)
    return [*state, journal.record(record)]
