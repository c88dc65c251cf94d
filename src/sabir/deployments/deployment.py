"""One deployment from the lock to the last event: recover, plan, consent, do.

Everything that touches the world or the store is in here and below; who calls it (an operation, a service) brings what is wanted
and decides what is consented to.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from sabir.deployments.engine.connections import Connections
from sabir.deployments.engine.executor import Executor
from sabir.deployments.engine.recover import WAVE, OpenStep, RecoveryResult, recover
from sabir.deployments.engine.results import DeploymentResult, ProgressEvent, merge_results
from sabir.deployments.engine.runner import Runner
from sabir.deployments.plan.document import plan_document
from sabir.deployments.plan.steps import Plan, PlannedStep
from sabir.deployments.store.journal import Journal
from sabir.deployments.store.records import DeploymentState, StepRecord, StepState
from sabir.deployments.store.requests import StoredRequest
from sabir.deployments.store.store import StateStore
from sabir.deployments.store.writer import StateWriter, StoreError, describe_holder
from sabir.deployments.targets import Targets
from sabir.graph.address import digest_text
from sabir.resources.driver import DriverContext
from sabir.resources.step import Action

PARALLEL: Final = 10


class Wave(Struct, frozen=True, kw_only=True, eq=False):
    """What can be planned once values have come back, or why it is not done."""

    plan: Plan
    targets: Targets | None = None
    """Those that the new evaluation names."""
    refusal: str | None = None


class DeployOptions(Struct, frozen=True, kw_only=True, eq=False):
    parallel: int = PARALLEL
    wait: float = 0.0
    """Seconds to wait for somebody else's deployment."""
    patience: float = 3600.0
    """Seconds that the database may be away."""
    watch: Callable[[ProgressEvent], None] = lambda _: None
    notice: Callable[[str], None] = lambda _: None
    """Told of what people should know while it runs: that the database is away."""
    audit: Mapping[str, Any] = field(default_factory=dict[str, Any])
    signals: bool = False
    """Let SIGINT and SIGTERM stop the deployment in order: the command line wants that, a service does not."""
    executor: Callable[[Connections], Executor] | None = None


@contextmanager
def hold_environment(
    store: StateStore, context: DriverContext, options: DeployOptions
) -> Generator[StateWriter]:
    """The lock of the environment, with the right to write."""
    clock = context.session.clock
    holder = describe_holder(clock().isoformat(timespec="seconds"))
    writer = store.writer(holder, patience=options.patience, notice=options.notice)
    writer.begin(options.wait)
    try:
        yield writer
        writer.verify()
    finally:
        writer.close()


class Deployer:
    """Works on one environment while its lock is held."""

    def __init__(
        self,
        store: StateStore,
        writer: StateWriter,
        targets: Targets,
        context: DriverContext,
        options: DeployOptions,
    ) -> None:
        self.store = store
        self.targets = targets
        self.context = replace(context, recorded=store)
        self.options = options
        self.journal = Journal(store, writer, context.session.clock)
        self._recovered = RecoveryResult()
        self._operation_ids: dict[str, str] = {}
        self._runner: Runner | None = None
        self._interrupts = 0
        self._waves = 0
        self._taken: dict[str, int] = {}
        """Which step of the deployment each key is, counted from 1."""

    def recover(self) -> RecoveryResult:
        """Find out what became of what an earlier deployment had begun."""
        steps = self.store.steps(states=(StepState.INTENT, StepState.UNKNOWN))
        open_deployments = any(
            deployment.state is DeploymentState.RUNNING for deployment in self.store.deployments()
        )
        if steps or open_deployments:
            self._recovered = asyncio.run(self._recover(steps))
        return self._recovered

    async def _recover(self, steps: Sequence[StepRecord]) -> RecoveryResult:
        async with Connections(self.context) as connections:
            return await recover(self.journal, self.targets, connections, steps)

    def deploy(
        self,
        plan: Plan,
        *,
        verb: str,
        document: Any,
        wish: StoredRequest | None = None,
        blobs: Mapping[str, bytes] | None = None,
        following: Callable[[], Wave | None] = lambda: None,
    ) -> DeploymentResult:
        """Do a plan. `following` is asked for what can be foreseen once it is done, again and again, until there is nothing."""
        with _handle_signals(self.interrupt) if self.options.signals else nullcontext():
            self._operation_ids = {}
            self._waves = 0
            self._taken = {}
            self.journal.open(
                verb,
                audit=self.options.audit,
                plan=document,
                steps=lambda number: self._step_records(plan, number),
                wish=wish,
                blobs=blobs,
            )
            self.let_go(calls=plan.is_call)
            result = self._in_waves(plan, following)
            try:
                self.journal.close(result.state)
            except StoreError:
                if result.error is None:
                    raise
            return result

    def _in_waves(self, plan: Plan, following: Callable[[], Wave | None]) -> DeploymentResult:
        """A plan, and what can be planned when it is done."""
        result = asyncio.run(self._run(plan))
        while result.state is DeploymentState.DONE and not self._interrupts:
            wave = following()
            if wave is None or self._interrupts:
                break
            if wave.refusal is not None:
                return replace(result, state=DeploymentState.FAILED, error=wave.refusal)
            self.targets = wave.targets or self.targets
            renamed = self._rename_keys(wave.plan)
            self.journal.extend(
                self._step_records(renamed, self.journal.number, len(self._taken)), plan_document(renamed)
            )
            result = merge_results(result, asyncio.run(self._run(renamed)))
        if self._interrupts and result.state is DeploymentState.DONE:
            return replace(result, state=DeploymentState.INTERRUPTED)
        return result

    def _rename_keys(self, plan: Plan) -> Plan:
        """A step on what had one in an earlier wave gets a key of its own."""
        self._waves += 1
        names = {
            step.key: f"{step.key}{WAVE}{self._waves + 1}" for step in plan.steps if step.key in self._taken
        }
        if not names:
            return plan
        steps = [
            replace(
                step,
                key=names.get(step.key, step.key),
                requires=tuple(names.get(key, key) for key in step.requires),
                only_if=tuple(names.get(key, key) for key in step.only_if),
            )
            for step in plan.steps
        ]
        through = {
            key: tuple(names.get(other, other) for other in requires)
            for key, requires in plan.through.items()
        }
        return replace(plan, steps=tuple(steps), through=through)

    def interrupt(self) -> None:
        """First: no new step. Second: stop now. It may come at any time, also before the first step."""
        self._interrupts += 1
        if self._runner is not None:
            self._runner.interrupt_soon()

    def _step_records(self, plan: Plan, number: int, offset: int = 0) -> Sequence[StepRecord]:
        store_id = self.store.id()
        records: list[StepRecord] = []
        for position, step in enumerate(plan.steps, offset):
            self._taken[step.key] = position + 1
            fresh = digest_text(store_id, self.store.environment, str(number), step.key, size=16)
            operation_id = self._find_open_operation(step) or fresh
            self._operation_ids[step.key] = operation_id
            records.append(
                StepRecord(
                    deployment=number,
                    key=step.key,
                    position=position,
                    address=step.address,
                    kind=step.placed.resource.kind,
                    target=step.placed.target.name,
                    driver=step.placed.driver.name,
                    action=step.action.value,
                    operation_id=operation_id,
                    state=StepState.WAITING,
                )
            )
        return records

    def _find_open_operation(self, step: PlannedStep) -> str | None:
        """The operation id of a step that was begun and not done, when this one does the same."""
        left = self._recovered.open.get(step.key)
        if left is None or (left.step.action == Action.DELETE.value) is not (step.action is Action.DELETE):
            return None
        desired = self.journal.fields(step.placed.resource.desired)
        return left.step.operation_id if left.continues(desired) else None

    def let_go(self, *, calls: bool = False) -> None:
        """Open steps that nobody goes on with were not done, and will not be. A deployment leaves those of calls alone, and
        a call those of deployments."""
        writes = [
            write
            for key, left in self._recovered.open.items()
            if left.is_call is calls and self._operation_ids.get(key) != left.step.operation_id
            for write in self.cancel_open_step(left)
        ]
        if writes:
            self.journal.now_all(writes)

    def cancel_open_step(self, left: OpenStep) -> list[Any]:
        return self.journal.step(
            left.step.key,
            StepState.CANCELLED,
            attempt=left.step.attempt,
            message="it was not done when the deployment was cut off",
            deployment=left.step.deployment,
        )

    async def _run(self, plan: Plan) -> DeploymentResult:
        options = self.options
        async with Connections(self.context) as connections:
            runner = Runner(
                plan,
                self.journal,
                connections,
                self.targets,
                operation_ids=self._operation_ids,
                facts=self.store.facts(),
                positions=self._taken,
                begun={left.step.address for left in self._recovered.open.values()},
                parallel=options.parallel,
                executor=None if options.executor is None else options.executor(connections),
                watch=options.watch,
                at_intent=self._at_intent,
            )
            for _ in range(self._interrupts):
                runner.interrupt()
            self._runner = runner
            try:
                return await runner.run()
            finally:
                self._runner = None

    def _at_intent(self, key: str) -> list[Any]:
        """The step that takes another one over ends it in the transaction of its own intent."""
        left = self._recovered.open.get(key)
        if left is None or self._operation_ids.get(key) != left.step.operation_id:
            return []
        return self.cancel_open_step(left)


@contextmanager
def _handle_signals(interrupt: Callable[[], None]) -> Generator[None]:
    """SIGINT and SIGTERM interrupt the deployment instead of ending the process."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda _number, _frame: interrupt()) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
