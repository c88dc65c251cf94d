"""The runner of a plan: turns instructions of the state machine into writes and jobs, and their results into
events.

There is one event loop, one writer thread and one executor. All writes of one turn of the loop form one
batch, and the writer groups the batches that arrive while the disk is busy. The runner never decides about
order: only `Machine` does.

Two rules make a crash harmless at any point. An event that says "saved" is posted by the writer after the
commit, never earlier. And the values of a step are filled in when its intent is written, so what runs is
exactly what was recorded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from sabir.deployments.engine.connections import Connections
from sabir.deployments.engine.effects import JournaledEffects, ProgramRun
from sabir.deployments.engine.events import (
    Cancel,
    EndSavedEvent,
    Event,
    Finish,
    Instruction,
    IntentSavedEvent,
    InterruptEvent,
    Run,
    SaveEnd,
    SaveIntent,
    SaveRetry,
    StepEndedEvent,
    StepNode,
    StepSuspendedEvent,
    TimePassedEvent,
    Wake,
)
from sabir.deployments.engine.executor import Executor, LocalExecutor, StepJob, build_failure
from sabir.deployments.engine.results import (
    DeploymentResult,
    Observations,
    ProgressEvent,
    Watch,
    build_present_record,
    build_step_record,
)
from sabir.deployments.engine.state_machine import Machine
from sabir.deployments.plan.compare import (
    drop_ignored_changes,
    fill_unknowns,
    find_recorded_changes,
    find_unknown_fields,
    missing_values,
    resolve_fields,
    without_feedback,
)
from sabir.deployments.plan.steps import Plan, PlannedStep
from sabir.deployments.store.journal import Journal
from sabir.deployments.store.records import DeploymentState, Fact, Intent, IntentCall, StepState
from sabir.deployments.store.writer import Write
from sabir.deployments.targets import PlacedResource, Targets
from sabir.errors import DeployError
from sabir.graph.values import Value
from sabir.resources.outcome import Outcome
from sabir.resources.step import Action, Task


def at_known_target(placed: PlacedResource, observed: Mapping[str, Value]) -> PlacedResource:
    """Return the resource with unknown settings of its target filled in from step outputs.

    A target may be created by an earlier step of the same deployment, which reports its address.
    """
    settings = placed.target.settings
    if not find_unknown_fields(settings):
        return placed
    settings = {name: fill_unknowns(value, observed) for name, value in settings.items()}
    return replace(placed, target=replace(placed.target, settings=settings))


def build_nodes(plan: Plan) -> list[StepNode]:
    """Return the nodes of the state machine: one for each step, and one for each resource that only passes
    the order on."""
    through = [StepNode(key=key, requires=requires, passes=True) for key, requires in plan.through.items()]
    return [*through, *(_build_node(step) for step in plan.steps)]


def _build_node(step: PlannedStep) -> StepNode:
    """Return the node of a step. Retries come from the resource, then from the target; the default is 2."""
    resource, target = step.placed.resource, step.placed.target
    return StepNode(
        key=step.key,
        requires=step.requires,
        target=target.name,
        lane=resource.lane,
        retries=_first_value(resource.retries, target.retries, 2),
        only_if=step.only_if,
        tolerates=resource.tolerates,
    )


def _first_value(*choices: int | None) -> int:
    return next(choice for choice in choices if choice is not None)


class Runner:
    """One wave of a deployment, from its first step to its last."""

    def __init__(
        self,
        plan: Plan,
        journal: Journal,
        connections: Connections,
        targets: Targets,
        *,
        operation_ids: Mapping[str, str],
        facts: Mapping[str, Fact],
        positions: Mapping[str, int],
        begun: Collection[str] = (),
        parallel: int = 10,
        executor: Executor | None = None,
        watch: Watch = lambda _: None,
        at_intent: Callable[[str], list[Write]] = lambda _: [],
    ) -> None:
        """Prepare a run.

        `operation_ids` and `positions` are by step key. `begun` names resources with a step that an earlier
        deployment started and did not finish. `at_intent` returns further writes for the transaction that
        saves the intent of a step.
        """
        self.plan = plan
        self.journal = journal
        self.connections = connections
        self.targets = targets
        self._observations = Observations(journal, facts)
        self._positions = positions
        self._begun_before = begun
        self._results: dict[str, Mapping[str, Value]] = {}
        self._ids = operation_ids
        self._steps = {step.key: step for step in plan.steps}
        self._tasks: dict[str, Task] = {}
        self._texts: dict[str, str] = {}
        self._begun: dict[str, float] = {}
        self._programs: dict[str, ProgramRun] = {}
        self._failures: list[tuple[str, str]] = []
        limits = {
            target.name: target.parallel for target in targets.by_name.values() if target.parallel is not None
        }
        self._machine = Machine(build_nodes(plan), parallel=parallel, limits=limits)
        self._executor: Executor = executor or LocalExecutor(connections)
        self._loop = asyncio.get_running_loop()
        self._watch = watch
        self._at_intent = at_intent
        self._events: list[Event] = []
        self._arrived = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._error: DeployError | None = None

    def interrupt(self) -> None:
        """Start no further step; at the second call also stop the running ones."""
        for program in self._programs.values():
            program.stopping = True
        self._post(InterruptEvent())

    def interrupt_soon(self) -> None:
        """Call `interrupt` from a signal handler or another thread."""
        self._loop.call_soon_threadsafe(self.interrupt)

    async def run(self) -> DeploymentResult:
        """Apply the plan and return the result. Only errors of sabir itself are raised.

        If the store fails, the loop ends at once: without a journal no step may start, and no end could be
        recorded.
        """
        loop = self._loop
        self.journal.writer.start(lambda error: loop.call_soon_threadsafe(self._store_failed, error))
        try:
            self._carry_out(self._machine.start(loop.time()))
            while not self._machine.finished and self._error is None:
                await self._arrived.wait()
                self._arrived.clear()
                events, self._events = self._events, []
                self._carry_out(self._machine.handle(events))
        finally:
            if self._timer is not None:
                self._timer.cancel()
            # The executor first: a program that is being stopped may still submit writes, which `stop` waits for.
            await self._executor.close()
            await asyncio.to_thread(self.journal.writer.stop)
        return self._result()

    def _store_failed(self, error: DeployError) -> None:
        self._error = error
        self._arrived.set()

    def _post(self, event: Event) -> None:
        self._events.append(event)
        self._arrived.set()

    # Instructions

    def _carry_out(self, instructions: Sequence[Instruction]) -> None:
        """Carry out instructions, with all their writes in one batch.

        `IntentSavedEvent` and `EndSavedEvent` are posted from the callback of the batch, hence after its
        commit.
        """
        writes: list[Write] = []
        events: list[Event] = []
        for instruction in instructions:
            match instruction:
                case SaveIntent(key, attempt):
                    writes += self._intent(key, attempt)
                    events.append(IntentSavedEvent(key))
                case SaveEnd():
                    writes += self._end(instruction)
                    events.append(EndSavedEvent(instruction.key))
                case SaveRetry():
                    writes += self._retry(instruction)
                case Run(key):
                    self._run(key)
                case Wake(at):
                    self._wake(at)
                case Cancel(keys):
                    for key in keys:
                        self._executor.cancel(key)
                case Finish():
                    pass
        if writes:
            self.journal.submit(writes, lambda: self._loop.call_soon_threadsafe(self._receive_events, events))

    def _receive_events(self, events: Sequence[Event]) -> None:
        self._events.extend(events)
        self._arrived.set()

    def _wake(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(at, lambda: self._post(TimePassedEvent(self._loop.time())))

    def _intent(self, key: str, attempt: int) -> list[Write]:
        """Fill in the values of a step and return the writes of its intent.

        The task is built before it is saved and used unchanged by `_run`. So recovery sees what really ran.
        """
        step = self._steps[key]
        task = self._tasks[key] = self._task(step, attempt)
        self._texts[key] = self.journal.fields(task.resource.desired)
        self._begun[key] = self._loop.time()
        writes = self.journal.step(key, StepState.INTENT, attempt=attempt, task=self._task_text(step, task))
        # A retry belongs to the same operation, which `at_intent` has already settled.
        return writes if attempt > 1 else [*writes, *self._at_intent(key)]

    def _task(self, step: PlannedStep, attempt: int) -> Task:
        """Return the task of a step with all values that are known by now."""
        resource = step.placed.resource
        if step.unforeseen or resource.late is not None:
            resource = replace(resource, desired=resolve_fields(resource, self._observations.values))
        # The creation half of a replacement starts from nothing: the recorded resource was deleted by the other
        # half.
        record = None if step.replaces and step.action is not Action.DELETE else step.record
        timeout = resource.timeout if resource.timeout is not None else step.placed.target.timeout
        return Task(
            operation_id=self._ids[step.key],
            action=step.action,
            resource=resource,
            recorded=None if record is None else self.journal.store.codec.read(record.desired),
            id=None if record is None else record.id,
            changes=step.changes,
            attempt=attempt,
            begun_before=step.address in self._begun_before,
            timeout=timeout,
            operation=None if step.call is None else step.call.operation,
            arguments={} if step.call is None else step.call.arguments,
        )

    def _task_text(self, step: PlannedStep, task: Task) -> str:
        """Return the intent as JSON: enough to observe or repeat the step without the project."""
        resource = task.resource
        call = None
        if step.call is not None:
            call = IntentCall(operation=task.operation, arguments=self.journal.fields(task.arguments))
        intent = Intent(
            desired=self._texts[step.key],
            id=task.id,
            requires=tuple(map(str, resource.requires)),
            results={name: str(address) for name, address in resource.results.items()},
            call=call,
            origin=None if resource.origin is None else str(resource.origin.location),
            report_only=resource.report_only and step.action is not Action.DELETE,
        )
        return intent.text

    def _run(self, key: str) -> None:
        """Start a step whose intent is saved, or end it at once if it turns out to have no effect."""
        step, task = self._steps[key], self._tasks[key]
        self._tell(step, "running", None)
        early = self._without_effect(step, task)
        if early is not None:
            self._post(StepEndedEvent(key, early))
            return
        program = ProgramRun(self.journal, self.connections, self.targets, task.resource, task.operation_id)
        program.watch = lambda line: self._tell(step, "note", line)
        self._programs[key] = program
        placed = at_known_target(step.placed, self._observations.values)
        self._executor.submit(StepJob(key, placed, task), JournaledEffects(program), self._report)

    def _without_effect(self, step: PlannedStep, task: Task) -> Outcome | None:
        """Return the outcome of a step that need not run; None if it must.

        A missing value fails the step. A step that was planned only because inputs might change is dropped
        here if they did not: the comparison is allowed now, because all steps before it have ended.
        """
        if step.action is Action.DELETE:
            return None
        missing = missing_values(task.resource.desired)
        if missing is not None:
            return build_failure(missing)
        if step.if_changed and not self._has_changed(step):
            return Outcome(changed=False, untouched=True, message="its inputs have not changed")
        if not step.unforeseen or step.action is not Action.UPDATE or step.record is None:
            return None
        if find_recorded_changes(task.resource.desired, step.record, self.journal.store.codec):
            return None
        return Outcome(changed=False, message="it is as it should be")

    def _has_changed(self, step: PlannedStep) -> bool:
        """Tell whether the fields of a program differ from those of its last run, except for its own
        feedback."""
        resource, record, codec = step.placed.resource, step.record, self.journal.store.codec
        assert record is not None
        values = without_feedback(
            resource, self._observations.values, self._observations.givers, record, codec
        )
        changes = find_recorded_changes(resolve_fields(resource, values), record, codec)
        return bool(drop_ignored_changes(changes, resource.lifecycle))

    def _report(self, key: str, outcome: Outcome | None) -> None:
        self._programs.pop(key, None)
        self._post(StepSuspendedEvent(key) if outcome is None else StepEndedEvent(key, outcome))

    # Writes

    def _end(self, end: SaveEnd) -> list[Write]:
        """Return the writes for the end of a step: its state, the record of its resource, and its outputs.

        They are one transaction, so the record never contradicts the journal.
        """
        step, task, outcome = self._steps[end.key], self._tasks.pop(end.key, None), end.outcome
        message = end.reason or (outcome.message if outcome is not None else None)
        data: dict[str, Any] = {}
        if outcome is not None and outcome.log:
            data["log"] = list(outcome.log)
        if outcome is not None and not outcome.changed:
            data["changed"] = False
        writes = self.journal.step(end.key, end.state, attempt=end.attempt, message=message, data=data)
        if end.state in (StepState.FAILED, StepState.UNKNOWN):
            self._failures.append((end.key, message or end.state.value))
        text = self._texts.pop(end.key, None)
        # A step that touched nothing must not create a record: a record means that sabir owns the resource.
        untouched = end.state is StepState.CANCELLED or (outcome is not None and outcome.untouched)
        if task is not None and text is not None and not untouched:
            writes += self._records(step, task, end.state, outcome or Outcome(), text)
        self._tell(step, end.state.value, message, outcome)
        return writes

    def _records(
        self, step: PlannedStep, task: Task, state: StepState, outcome: Outcome, text: str
    ) -> list[Write]:
        """Return the writes for the resource of a step that ran; none for a call but its outputs."""
        if state is StepState.DONE and step.action is Action.DELETE:
            forgotten = [self.journal.forget(step.address), *self._observations.forget(step.address)]
            return [*forgotten, *self._record_program_effects(step, outcome)]
        facts: list[Write] = []
        # A program that failed has had effects up to that point; the next run starts from its outputs.
        if state.succeeded or (state is StepState.FAILED and step.placed.kind.runs and outcome.results):
            facts = self._observations.record_results(step, task.resource, outcome, self._positions[step.key])
        facts += self._record_program_effects(step, outcome)
        if step.call is not None:
            self._results[step.address] = outcome.results
            return facts
        recorded = build_step_record(step, task, state, outcome, text, self.journal.store.codec)
        return [self.journal.record(replace(recorded, deployment=self.journal.number, step=step.key)), *facts]

    def _record_program_effects(self, step: PlannedStep, outcome: Outcome) -> list[Write]:
        """Record the resources that a program created or deleted, also if it failed in the end."""
        writes = [self.journal.forget(str(address)) for address in outcome.gone]
        for address in outcome.gone:
            writes += self._observations.forget(str(address))
        for resource in outcome.brought:
            record = build_present_record(self.targets.place(resource), self.journal.fields(resource.desired))
            writes.append(self.journal.record(replace(record, deployment=self.journal.number, step=step.key)))
        return writes

    def _retry(self, retry: SaveRetry) -> list[Write]:
        step = self._steps[retry.key]
        seconds = max(0.0, retry.not_before - self._loop.time())  # on a busy machine the time may have passed
        message = f"{retry.outcome.message}; tried again in {seconds:.0f} s"
        self._tell(step, "retry", message)
        at = self.journal.clock().timestamp() + seconds
        return self.journal.step(
            retry.key, StepState.READY, attempt=retry.attempt, message=message, not_before=at
        )

    def _tell(
        self, step: PlannedStep, state: str, message: str | None, outcome: Outcome | None = None
    ) -> None:
        begun = self._begun.get(step.key)
        self._watch(
            ProgressEvent(
                key=step.key,
                state=state,
                action=Action.REPLACE if step.replaces and step.action is not Action.DELETE else step.action,
                address=step.address,
                kind=step.placed.resource.kind,
                message=message,
                log=() if outcome is None else outcome.log,
                seconds=None if begun is None else self._loop.time() - begun,
                changed=True if outcome is None else outcome.changed,
            )
        )

    def _result(self) -> DeploymentResult:
        counts: dict[str, int] = {}
        for key, state in self._machine.states.items():
            if key in self._steps:
                counts[state.value] = counts.get(state.value, 0) + 1
        return DeploymentResult(
            number=self.journal.number,
            state=self._state(counts),
            counts=counts,
            failures=tuple(self._failures),
            error=None if self._error is None else str(self._error),
            results=self._results,
        )

    def _state(self, counts: Mapping[str, int]) -> DeploymentState:
        """Return the state of the deployment: an interrupt outweighs an unknown outcome, which outweighs a
        failure."""
        if self._machine.interrupted:
            return DeploymentState.INTERRUPTED
        if counts.get(StepState.UNKNOWN.value):
            return DeploymentState.UNKNOWN
        if self._error is not None or any(not StepState(state).succeeded for state in counts):
            return DeploymentState.FAILED
        return DeploymentState.DONE
