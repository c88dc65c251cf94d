"""Workflows while they run: every operation is an effect of the engine, and what it gives out is there for those behind it.

`delegate: deploy` and `delegate: undeploy` of one node: the operations of its life, as a deployment would carry them out.

What a run of a workflow left behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.errors import DeployError
from sabir.expressions.query.session import QuerySession
from sabir.graph.address import Address
from sabir.graph.values import Value
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.graph.addresses import Subject, node_of, operation_address
from sabir.languages.tosca.graph.commands import OperationCommand, OperationCommands
from sabir.languages.tosca.graph.origins import plain_value
from sabir.languages.tosca.graph.workflow_runner import Walk
from sabir.languages.tosca.graph.workflow_steps import (
    condition_holds,
    find_mapped_workflows,
    find_operation,
    find_workflow,
    subjects_of,
)
from sabir.languages.tosca.syntax.nodes import Activity, ActivityKind, Step, Workflow
from sabir.resources.effects import Effect, Effects
from sabir.resources.observations import ObservedValues
from sabir.resources.outcome import Outcome, OutcomeStatus
from sabir.resources.resource import Resource
from sabir.resources.target import DEFAULT_TARGET

if TYPE_CHECKING:
    from sabir.languages.tosca.graph.lifecycles import Lifecycles


class Delegation:
    """What was handed over to the orchestrator, and what is to be recorded of it."""

    def __init__(self, lifecycles: Lifecycles) -> None:
        self._lifecycles = lifecycles
        self.brought: dict[Address, Resource] = {}
        self.gone: dict[Address, None] = {}
        self._current: Resource | None = None

    def commands(
        self, node: NodeInstance, workflow: str, observed: Mapping[str, Value]
    ) -> Iterator[tuple[OperationCommand, Mapping[str, Value]]]:
        """The operations to carry out, one after the other, each with its fields when it is its turn."""
        if workflow not in ("deploy", "undeploy"):
            raise DeployError(f"sabir has no workflow {workflow!r} of its own: there are deploy and undeploy")
        mine = [
            (resource, command)
            for resource, command in self._lifecycles.commands_of(node)
            if resource.established is None
        ]
        undoes = workflow == "undeploy"
        for resource, command in reversed(mine) if undoes else mine:
            if command.undoes is not undoes:
                self._settle(resource, command, observed, gone=undoes)
                continue
            desired = self._lifecycles.commands.compute_fields(command, observed)
            self._current = resource
            yield command, _as_run(desired)

    def complete_operation(self, command: OperationCommand, observed: Mapping[str, Value]) -> None:
        """The operation that was last given out has been carried out."""
        assert self._current is not None
        self._settle(self._current, command, observed, gone=command.undoes)

    def _settle(
        self, resource: Resource, command: OperationCommand, observed: Mapping[str, Value], *, gone: bool
    ) -> None:
        address = resource.address
        if gone:
            self.brought.pop(address, None)
            self.gone[address] = None
            return
        self.gone.pop(address, None)
        desired = self._lifecycles.commands.compute_fields(command, observed)
        self.brought[address] = replace(resource, desired=desired, late=None)


def _as_run(desired: Mapping[str, Value]) -> dict[str, Value]:
    """What undoes something, as a command of its own."""
    return {"run" if name == "undo" else name: value for name, value in desired.items()}


DONE: Final = "done"
"""The result of a workflow that failed under which it keeps what it had done."""


class WorkflowResult(Struct, frozen=True, kw_only=True):
    results: Mapping[str, Value]
    """By the texts of the addresses of attributes."""
    brought: tuple[Resource, ...]
    gone: tuple[Address, ...]
    failure: str | None
    handled: tuple[str, ...]
    """Failures that other steps dealt with."""
    done: tuple[str, ...] = ()
    """Of a run that failed: the places of the activities that it had done."""

    def outcome(self) -> Outcome:
        message = self.failure or "; ".join(
            f"{words}: its on_failure steps ended well" for words in self.handled
        )
        return Outcome(
            status=OutcomeStatus.DONE if self.failure is None else OutcomeStatus.FAILED,
            results=self.results if self.failure is None else {**self.results, DONE: list(self.done)},
            brought=self.brought,
            gone=self.gone,
            message=message or None,
        )


class _OperationError(Exception):
    """An operation failed; the words name it."""


class _Scope(Struct, frozen=True, kw_only=True, eq=False):
    """What surrounds activities: the inputs of their workflow, the effects of their branch, their place in the description."""

    inputs: Mapping[str, Value]
    effects: Effects
    place: str
    workflow: str
    inside: tuple[str, ...] = ()
    """The path of the node whose topology the workflow belongs to; empty at the top."""
    host: str | None = None


class WorkflowRun:
    """One run of a workflow or of the action of a trigger. `done`: places of activities that an earlier run had done."""

    def __init__(
        self, lifecycles: Lifecycles, observed: Mapping[str, Value], done: Iterable[str] = ()
    ) -> None:
        self._ensemble: Ensemble = lifecycles.ensemble
        self._commands: OperationCommands = lifecycles.commands
        self._delegation = Delegation(lifecycles)
        self._observed = ObservedValues(observed)
        self._results: dict[str, Value] = {}
        self._handled: list[str] = []
        self._done = dict.fromkeys(done)
        self._lanes: dict[str, asyncio.Lock] = {}
        """The operations of one host never run at the same time."""

    def _build_result(self, failure: str | None = None) -> WorkflowResult:
        return WorkflowResult(
            results=self._results,
            brought=tuple(self._delegation.brought.values()),
            gone=tuple(self._delegation.gone),
            failure=failure,
            handled=tuple(self._handled),
            done=() if failure is None else tuple(self._done),
        )

    async def workflow(
        self, name: str, inputs: Mapping[str, Value], effects: Effects, inside: tuple[str, ...] = ()
    ) -> WorkflowResult:
        """`inside`: the path of the node whose topology has the workflow."""
        scope = _Scope(inputs=inputs, effects=effects, place=name, workflow=name, inside=inside)
        try:
            await self._workflow(find_workflow(_find_topology(self._ensemble, inside), name), scope)
        except _OperationError as failed:
            return self._build_result(str(failed))
        return self._build_result()

    async def activities(
        self, subjects: Sequence[Subject], activities: Sequence[Activity], effects: Effects
    ) -> WorkflowResult:
        """The action of a trigger."""
        try:
            await self._on_all(
                subjects, activities, _Scope(inputs={}, effects=effects, place="", workflow="trigger")
            )
        except _OperationError as failed:
            return self._build_result(str(failed))
        return self._build_result()

    # Steps

    async def _workflow(self, workflow: Workflow, scope: _Scope) -> None:
        if not self._precondition(workflow, scope):
            raise _OperationError(f"the precondition of workflow {workflow.name!r} does not hold")
        # Branches are opened in the order of the description, so that they are the same in each run.
        scopes = {
            name: replace(
                scope,
                effects=scope.effects.branch(name),
                place=f"{scope.place}/{name}",
                host=step.operation_host,
            )
            for name, step in workflow.steps.items()
        }
        walk = Walk(workflow, lambda name: self._step(workflow.steps[name], scopes[name]))
        await walk.walk()
        self._handled += walk.handled
        if walk.failure is not None:
            raise _OperationError(walk.failure)

    def _precondition(self, workflow: Workflow, scope: _Scope) -> bool:
        written = workflow.precondition
        if written is None:
            return True
        here = _find_topology(self._commands.live(self._observed), scope.inside)
        entries = written.data if isinstance(written.data, list) else [written.data]
        for entry in entries:
            target = entry.get("target") if isinstance(entry, Mapping) else None
            subjects: Sequence[Any] = subjects_of(here, target, None) if target else [here.root]
            if not all(condition_holds(entry, subject) for subject in subjects):
                return False
        return True

    async def _step(self, step: Step, scope: _Scope) -> str | None:
        """Run a step; gives the words of its failure, or None."""
        wanted = None if step.filter is None else step.filter.data
        subjects = [
            subject
            for subject in subjects_of(
                _find_topology(self._ensemble, scope.inside), step.target, step.target_relationship
            )
            if condition_holds(wanted, self._commands.live_subject(subject, self._observed))
        ]
        try:
            await self._on_all(subjects, step.activities, scope)
        except _OperationError as failed:
            return str(failed)
        return None

    async def _on_all(
        self, subjects: Sequence[Subject], activities: Sequence[Activity], scope: _Scope
    ) -> None:
        """On several instances side by side; a step of nothing but workflows runs them once."""
        if activities and all(activity.kind is ActivityKind.INLINE for activity in activities):
            subjects = subjects[:1]
        scopes = [scope]
        if len(subjects) > 1:
            scopes = [replace(scope, effects=scope.effects.branch(subject.name)) for subject in subjects]
        results = await asyncio.gather(
            *(
                self._on_one(subject, activities, each)
                for subject, each in zip(subjects, scopes, strict=False)
            ),
            return_exceptions=True,
        )
        for result in results:
            if isinstance(result, BaseException):
                raise result

    async def _on_one(self, subject: Subject, activities: Iterable[Activity], scope: _Scope) -> None:
        for number, activity in enumerate(activities):
            place = f"{scope.place}/{number}@{node_of(subject).key}"
            if place in self._done:
                continue
            match activity.kind:
                case ActivityKind.CALL_OPERATION:
                    await self._call(subject, activity, scope)
                case ActivityKind.SET_STATE:
                    self._keep(str(Address(node_of(subject).key).of("state")), activity.name)
                case ActivityKind.DELEGATE:
                    await self._delegate(subject, activity, scope)
                case ActivityKind.INLINE:
                    await self._inline(subject, activity, replace(scope, place=place))
            self._done[place] = None

    # Activities

    async def _call(self, subject: Subject, activity: Activity, scope: _Scope) -> None:
        mapped = find_mapped_workflows(subject).get(activity.name)
        if mapped is not None:
            inside = replace(scope, inside=node_of(subject).path)
            await self._within(mapped, self._values(activity, subject, scope.inputs), inside)
            return
        operation = find_operation(subject, activity.name)
        if operation is None:
            return
        command = self._commands.command(
            subject,
            operation,
            operation_host=scope.host,
            more_inputs=activity.inputs or None,
            workflow=scope.workflow,
        )
        more = self._values(activity, subject, scope.inputs)
        desired = self._commands.compute_fields(command, self._observed, more)
        await self._perform(command, desired, scope.effects)

    async def _perform(
        self, command: OperationCommand, desired: Mapping[str, Value], effects: Effects
    ) -> None:
        effect = Effect(
            kind="command",
            arguments=desired,
            target=command.target or DEFAULT_TARGET,
            timeout=command.timeout,
        )
        lane = self._lanes.setdefault(command.lane or str(id(command)), asyncio.Lock())
        async with lane:
            outcome = await effects.perform(effect)
        subject, operation = command.subject, command.operation
        if outcome.failed:
            words = f"{node_of(subject).name}/{operation.interface}.{operation.name}"
            raise _OperationError(f"{words}: {outcome.message or 'it failed'}")
        address = operation_address(subject, operation)
        for name, value in outcome.results.items():
            self._keep(str(command.results.get(name) or address.of(name)), value)

    async def _delegate(self, subject: Subject, activity: Activity, scope: _Scope) -> None:
        for command, desired in self._delegation.commands(node_of(subject), activity.name, self._observed):
            await self._perform(command, desired, scope.effects)
            self._delegation.complete_operation(command, self._observed)

    async def _inline(self, subject: Subject, activity: Activity, scope: _Scope) -> None:
        workflow = find_workflow(_find_topology(self._ensemble, scope.inside), activity.name)
        await self._within(workflow, self._values(activity, subject, scope.inputs), scope)

    async def _within(self, workflow: Workflow, inputs: Mapping[str, Value], scope: _Scope) -> None:
        """A workflow as a part of another, with these inputs and its own defaults."""
        ensemble = _find_topology(self._ensemble, scope.inside)
        defaults = {
            name: plain_value(assigned.value(ensemble.root))
            for name, definition in workflow.inputs.items()
            if (assigned := ensemble.default(definition)) is not None
        }
        effects = scope.effects.branch(workflow.name)
        inner = replace(
            scope, inputs={**defaults, **inputs}, effects=effects, place=f"{scope.place}/{workflow.name}"
        )
        await self._workflow(workflow, inner)

    def _values(self, activity: Activity, subject: Subject, inputs: Mapping[str, Value]) -> dict[str, Value]:
        """The inputs that an activity gives; in them `get_input` names an input of the workflow first."""
        if not activity.inputs:
            return {}
        here = self._commands.live_subject(subject, self._observed)
        with _inputs_first(here.ensemble.session, inputs):
            return {
                name: plain_value(here.ensemble.assignment(written, None).value(here))
                for name, written in activity.inputs.items()
            }

    def _keep(self, address: str, value: Value) -> None:
        self._observed.note(address, value)
        self._results[address] = value


def _find_topology(ensemble: Ensemble, path: Sequence[str]) -> Ensemble:
    """The topology that stands in the place of the node at a path; without one, the ensemble itself."""
    substitution = ensemble.at(path).substitution if path else None
    return ensemble if substitution is None else substitution.ensemble


@contextmanager
def _inputs_first(session: QuerySession, inputs: Mapping[str, Value]) -> Generator[None]:
    """While it lasts, `get_input` names one of these inputs first. What is kept belongs to the topology, and reads its inputs."""
    outside, dependents = session.input, session.dependents

    def read(name: str) -> Any:
        is_kept = dependents is not None and dependents.is_computing
        return outside(name) if is_kept or name not in inputs else inputs[name]

    session.input = read
    try:
        yield
    finally:
        session.input = outside
