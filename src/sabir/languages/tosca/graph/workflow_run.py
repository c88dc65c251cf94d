"""Execution of workflows.

Each operation is an effect of the engine, and its outputs are visible to later operations. `delegate: deploy`
and `delegate: undeploy` run the lifecycle operations of one node as a deployment would. What they create and
remove is recorded like the resources of a deployment.
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
    """Operations that a workflow delegates to the orchestrator, and what to record of them."""

    def __init__(self, lifecycles: Lifecycles) -> None:
        self._lifecycles = lifecycles
        self.brought: dict[Address, Resource] = {}
        self.gone: dict[Address, None] = {}
        self._current: Resource | None = None

    def commands(
        self, node: NodeInstance, workflow: str, observed: Mapping[str, Value]
    ) -> Iterator[tuple[OperationCommand, Mapping[str, Value]]]:
        """Return the commands to run, one after the other, with their fields.

        Fields are computed when the command is requested, because they may read outputs of the one before.
        Commands of the other direction do not run, but are recorded as present or removed.
        """
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
        """Record that the command returned last has run."""
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
    """Return the fields of an undo command as those of a command that runs."""
    return {"run" if name == "undo" else name: value for name, value in desired.items()}


DONE: Final = "done"
"""The result key under which a failed workflow stores the activities that it completed."""


class WorkflowResult(Struct, frozen=True, kw_only=True):
    """What a run of a workflow set, created and removed, and how it ended."""

    results: Mapping[str, Value]
    """Attribute values by the text of their addresses."""
    brought: tuple[Resource, ...]
    gone: tuple[Address, ...]
    failure: str | None
    handled: tuple[str, ...]
    """Failures that other steps handled."""
    done: tuple[str, ...] = ()
    """The paths of completed activities, if the run failed."""

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
    """An operation failed; the message names it."""


class _Scope(Struct, frozen=True, kw_only=True, eq=False):
    """The context of activities: workflow inputs, effects of the branch, and path of the step."""

    inputs: Mapping[str, Value]
    effects: Effects
    place: str
    workflow: str
    inside: tuple[str, ...] = ()
    """The path of the node whose topology defines the workflow; empty for the outermost one."""
    host: str | None = None


class WorkflowRun:
    """One run of a workflow or of the action of a trigger.

    `done` contains the paths of activities that an earlier run completed; they are not repeated.
    """

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
        """One lock per host: operations of a host never run concurrently."""

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
        """Run a workflow and return its result, also if it fails.

        `inside` is the path of the node whose substituting topology defines the workflow.
        """
        scope = _Scope(inputs=inputs, effects=effects, place=name, workflow=name, inside=inside)
        try:
            await self._workflow(find_workflow(_find_topology(self._ensemble, inside), name), scope)
        except _OperationError as failed:
            return self._build_result(str(failed))
        return self._build_result()

    async def activities(
        self, subjects: Sequence[Subject], activities: Sequence[Activity], effects: Effects
    ) -> WorkflowResult:
        """Run the action of a trigger."""
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
        # Branches are opened in the order of the template, so that journal entries match in each run.
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
        """Run a step; return the message of its failure, or None."""
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
        """Run activities on all subjects concurrently.

        Inlined workflows choose their own targets, so a step that contains nothing else runs once. All
        subjects run to their end before the first failure is raised: an operation that was started must not
        be abandoned.
        """
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
        """Run a workflow inside another one, with these inputs and its own defaults."""
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
        """Return the inputs that an activity passes; `get_input` finds workflow inputs first."""
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
    """Return the topology in the place of the node at a path; the ensemble itself for an empty path."""
    substitution = ensemble.at(path).substitution if path else None
    return ensemble if substitution is None else substitution.ensemble


@contextmanager
def _inputs_first(session: QuerySession, inputs: Mapping[str, Value]) -> Generator[None]:
    """Make `get_input` find these inputs first while the context is open.

    Values that are cached while they are computed belong to the topology, so they read its inputs instead.
    """
    outside, dependents = session.input, session.dependents

    def read(name: str) -> Any:
        is_kept = dependents is not None and dependents.is_computing
        return outside(name) if is_kept or name not in inputs else inputs[name]

    session.input = read
    try:
        yield
    finally:
        session.input = outside
