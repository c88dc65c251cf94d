"""The engine: a queue of statements to run, and statements parked on the values they wait for.

When the queue is empty, `relation_closure` decides which open relations have all their values. Closing
these wakes the statements that waited for them. When nothing can be closed either, `termination`
reports the rest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.finding import Frame as Step_Frame
from sabir.diagnostics.rules import Rule
from sabir.expressions.patterns import PatternRefusedError
from sabir.languages.inmanta.evaluate.budget import LIMIT
from sabir.languages.inmanta.evaluate.interrupts import (
    ModelLimitError,
    Stop,
    Wait,
    WaitForFirst,
    WaitForKey,
)
from sabir.languages.inmanta.evaluate.lookups import Indexes
from sabir.languages.inmanta.evaluate.relation_closure import RelationClosure
from sabir.languages.inmanta.evaluate.scopes import BlockScope, WriteSite
from sabir.languages.inmanta.evaluate.values import EMPTY, Frame, ModelInstance, PendingSlot, RelationValue
from sabir.languages.inmanta.evaluate.writes import InstanceWriter, stop
from sabir.languages.inmanta.model.entities import ImplementationDef, Property
from sabir.languages.inmanta.syntax import nodes
from sabir.session import Limits
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.inputs import ModelInputs


MAX_GENERATIONS: Final = 10_000
"""How often what a loop adds to a relation may make the loop add again."""
_SAME_PLACE: Final = 20
"""As many findings of one code are reported at one place; a loop may make thousands."""


class EngineStep:
    """A compiled statement. `effects` is computed when the step first has to wait."""

    __slots__ = ("effects", "implementations", "node", "rest", "run", "scope", "writes_instance")

    def __init__(self, run: Callable[[Frame], None], node: nodes.Node, scope: BlockScope) -> None:
        self.run = run
        self.node = node
        self.scope = scope
        self.rest: Frame = []
        self.implementations: tuple[ImplementationDef, ...] = ()
        self.writes_instance: tuple[ModelInstance, Property] | None = None
        self.effects: Any = None

    @property
    def place(self) -> Place:
        return nodes.place_of(self.scope.space.source, self.node)


class ParkedStatement:
    """A parked statement: what it waits for, and what it may write."""

    __slots__ = ("frame", "promises", "step", "unresolved", "wait")

    def __init__(self, step: EngineStep, frame: Frame, wait: Wait) -> None:
        self.step = step
        self.frame = frame
        self.wait = wait
        self.promises: list[Any] | None = None
        self.unresolved = False


class ModelEngine:
    """The scheduler of one evaluation, with its instances, parked statements and failures."""

    def __init__(
        self,
        late: frozenset[Any] = frozenset(),
        given: ModelInputs | None = None,
        *,
        most_instances: int = Limits().instances,
    ) -> None:
        self.given = given
        self.most_instances = most_instances
        self.queue: deque[tuple[Callable[[Any], None], Any]] = deque()
        self.parked: dict[ParkedStatement, None] = {}
        self.instances: list[ModelInstance] = []
        self.findings: list[Finding] = []
        self.failed: list[tuple[EngineStep, Frame]] = []
        self.spoiled: set[ModelInstance] = set()
        self.undecided: dict[ModelInstance, int] = {}
        self.retry: set[Any] = set()
        self._refined: set[tuple[ModelInstance, ImplementationDef]] = set()
        self._counts: dict[tuple[str, Place], int] = {}
        self._generation = 0
        self._generations: dict[ModelInstance, int] = {}
        self.writer = InstanceWriter(self)
        self.indexes = Indexes(self)
        self.closing = RelationClosure(self, late)

    # Running

    def run(self) -> None:
        self.drain()
        while self.closing.close_some():
            self.drain()

    def drain(self) -> None:
        queue = self.queue
        while queue:
            run, argument = queue.popleft()
            run(argument)

    def instance_limit_error(self) -> ModelLimitError:
        """Return the error for a model that exceeds the maximum number of instances."""
        most = self.most_instances
        return ModelLimitError(
            LIMIT.at(
                message=f"the model makes more than {most:,} instances",
                place=self.instances[-1].site.place,
                hint=f"look for what grows without end, or raise the limit: --limits instances={most * 10}",
            )
        )

    def run_steps(self, steps: Iterable[EngineStep], frame: Frame) -> None:
        for step in steps:
            try:
                step.run(frame)
            except Wait as wait:
                self.park(step, frame, wait)
            except Stop as failure:
                self.fail(step, frame, failure)
            except RecursionError:
                self.fail(step, frame, self._too_deep(step))
            except PatternRefusedError as problem:
                self.fail(step, frame, stop(LIMIT, str(problem), step.place))

    def run_step(self, step: EngineStep, frame: Frame) -> None:
        self.run_steps((step,), frame)

    def _too_deep(self, step: EngineStep) -> Stop:
        return stop(LIMIT, "this statement is nested too deeply to be evaluated", step.place)

    # Waiting

    def park(self, step: EngineStep, frame: Frame, wait: Wait) -> None:
        activity = ParkedStatement(step, frame, wait)
        if isinstance(wait, WaitForKey):
            wait.waiters.setdefault(wait.key, []).append(activity)
        else:
            slots, slot, owner = wait.slots, wait.slot, wait.owner
            cell = slots[slot]
            if owner is not None:
                prop = owner.entity.by_slot[slot]
                if prop.is_list:
                    if not self._park_on_relation(activity, owner, prop, slot):
                        self.queue.append((self._resume, activity))
                        return
                    self.parked[activity] = None
                    self.closing.parked.append(activity)
                    return
                if prop.is_optional:
                    self.closing.add((owner, slot))
            if type(cell) is not PendingSlot:  # filled since it was read
                self.queue.append((self._resume, activity))
                return
            if cell is EMPTY:
                cell = slots[slot] = PendingSlot()
            cell.waiters.append(activity)
        self.parked[activity] = None
        self.closing.parked.append(activity)

    def _park_on_relation(
        self, activity: ParkedStatement, owner: ModelInstance, prop: Property, slot: int
    ) -> bool:
        relation = self.writer.relation(owner, prop, slot)
        if relation.closed:
            return False
        if isinstance(activity.wait, WaitForFirst):
            if relation.values:
                return False
            relation.first_waiters.append(activity)
        else:
            relation.waiters.append(activity)
        self.closing.add((owner, slot))
        return True

    def wake(self, waiters: Iterable[ParkedStatement]) -> None:
        parked, queue, resume = self.parked, self.queue, self._resume
        for activity in waiters:
            parked.pop(activity, None)
            if activity.promises is not None:
                self.closing.withdraw(activity)
            queue.append((resume, activity))

    def _resume(self, activity: ParkedStatement) -> None:
        self.run_steps((activity.step,), activity.frame)

    # Relations

    def announce(self, relation: RelationValue, value: ModelInstance) -> None:
        if not relation.listeners:
            return
        if self._generation:  # a loop runs, and adds to a relation that some loop goes over
            self._generations[value] = max(self._generation, self._generations.get(value, 0))
        for listener in relation.listeners:
            self.queue.append((self._notify_listener, (listener, value)))

    def _notify_listener(self, event: tuple[Callable[[ModelInstance], None], ModelInstance]) -> None:
        listener, value = event
        generation = self._generations.get(value, 0) + 1
        if generation > MAX_GENERATIONS:
            place = value.site.place
            self.report(
                stop(
                    LIMIT,
                    f"a loop adds to the relation it goes over, more than {MAX_GENERATIONS} times in a chain",
                    place,
                    hint="a loop that adds to its own relation needs a condition that ends it",
                )
            )
            return
        before, self._generation = self._generation, generation
        try:
            listener(value)
        finally:
            self._generation = before

    def listen(
        self, relation: RelationValue, step: EngineStep, frame: Frame, body: Callable[[ModelInstance], None]
    ) -> None:
        """Run the body of a loop for the current items of a relation, and for items added later."""
        relation.listeners.append(body)
        self.closing.listens(relation, step, frame)
        for value in list(relation.values):
            self._notify_listener((body, value))

    def copy(self, source: RelationValue, instance: ModelInstance, prop: Property, site: WriteSite) -> None:
        """Add the items of one relation to another, including items added later."""
        if not prop.is_list:
            raise Wait(source.owner.values, source.slot, source.owner)
        writer = self.writer

        def link(value: ModelInstance) -> None:
            try:
                writer.assign(instance, prop, value, site)
            except Stop as failure:
                self.report(failure)

        source.listeners.append(link)
        self.closing.feeds(source, instance, instance.entity.slots[prop.name])
        for value in list(source.values):
            writer.assign(instance, prop, value, site)

    def close_relation(self, relation: RelationValue) -> None:
        relation.closed = True
        relation.listeners = []
        waiters = relation.waiters
        if relation.first_waiters:
            waiters = waiters + relation.first_waiters
            relation.first_waiters = []
        relation.waiters = []
        self.closing.forget(relation.owner, relation.slot)
        if waiters:
            self.wake(waiters)

    def close_optional(self, instance: ModelInstance, slot: int) -> None:
        """Set an optional relation to null, because no statement can set it any more."""
        cell = instance.values[slot]
        instance.values[slot] = None
        self.closing.forget(instance, slot)
        if type(cell) is PendingSlot and cell.waiters:
            self.wake(cell.waiters)

    def too_late(self, instance: ModelInstance, slot: int) -> None:
        """Handle a write to a closed relation: record the choice, because another order may work."""
        key = self.closing.find_forced_key(instance, slot)
        if key is not None:
            self.retry.add(key)

    def first_time(self, instance: ModelInstance, implementation: ImplementationDef) -> bool:
        key = (instance, implementation)
        if key in self._refined:
            return False
        self._refined.add(key)
        return True

    # Failures

    def fail(self, step: EngineStep, frame: Frame, failure: Stop) -> None:
        self.failed.append((step, frame))
        self.report(failure, self.frames_of(step, frame))

    def fail_instance(self, instance: ModelInstance, failure: Stop) -> None:
        self.report(failure, self.frames_of_instance(instance.maker, instance.site.refinement))

    def report(self, failure: Stop | ModelLimitError, frames: tuple[Step_Frame, ...] = ()) -> None:
        finding = failure.finding
        key = (finding.code, finding.place)
        count = self._counts[key] = self._counts.get(key, 0) + 1
        if count > _SAME_PLACE:
            return
        if frames and not finding.frames:
            finding = replace(finding, frames=frames)
        self.findings.append(finding)

    def report_once(self, rule: Rule, message: str, place: Place, hint: str | None = None) -> None:
        if not any(finding.code == rule.code and finding.place == place for finding in self.findings):
            self.findings.append(rule.at(place, message, hint=hint))

    def frames_of(self, step: EngineStep, frame: Frame) -> tuple[Step_Frame, ...]:
        """Return the refinements that led to a statement, outermost first."""
        for inner, depth in step.scope.chain():
            if inner.entity is not None:
                for _ in range(depth):
                    frame = frame[0]
                return self.frames_of_instance(frame[1], inner.refinement)
        return ()

    def frames_of_instance(
        self, instance: ModelInstance | None, refinement: str | None
    ) -> tuple[Step_Frame, ...]:
        frames: list[Step_Frame] = []
        while instance is not None and len(frames) < 50:
            shown = f"implementation {refinement}" if refinement else "condition"
            frames.append(Step_Frame(place=instance.site.place, name=f"{shown} of {instance.entity.shown}"))
            refinement = instance.site.refinement
            instance = instance.maker
        return tuple(reversed(frames))
