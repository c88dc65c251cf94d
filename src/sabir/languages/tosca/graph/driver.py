"""The driver of workflows: it runs a workflow, and each operation in it goes through the journal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from sabir.errors import DeployError
from sabir.graph.values import Value, reveal_all
from sabir.languages.tosca.evaluate.groups import nodes_named
from sabir.languages.tosca.graph.program import DEPLOY, UNDEPLOY, WORKFLOW, ToscaProgram
from sabir.languages.tosca.graph.workflow_run import DONE, WorkflowResult, WorkflowRun
from sabir.resources.driver import (
    Connection,
    DriverContext,
    Kind,
    RunConnection,
    RunDriver,
    require_permission,
)
from sabir.resources.outcome import CompletionStatus, Observation, Outcome
from sabir.resources.target import Target

if TYPE_CHECKING:
    from sabir.languages.tosca.graph.workflows import Reaction
    from sabir.resources.effects import Effects
    from sabir.resources.step import Task


class WorkflowTarget(Target, frozen=True, kw_only=True, eq=False):
    """The target of workflows: the local process, with the program of the template."""

    program: ToscaProgram


class WorkflowDriver(RunDriver):
    """The driver of workflows and of trigger actions."""

    name: Final = "tosca"

    @property
    def kinds(self) -> Mapping[str, Kind]:
        return {
            WORKFLOW: Kind(
                about="a workflow of a TOSCA template, or what a trigger does", runs=True, code=True
            )
        }

    def connect(self, target: Target, context: DriverContext) -> AbstractAsyncContextManager[Connection]:
        if not isinstance(target, WorkflowTarget):
            raise DeployError(f"target {target.name!r}: a template brings the target of its workflows itself")
        require_permission(context, "a workflow runs scripts of its template")
        return nullcontext(_WorkflowConnection(target.program))


DRIVER: Final = WorkflowDriver()


class _WorkflowConnection(RunConnection):
    def __init__(self, program: ToscaProgram) -> None:
        self._program = program

    async def apply(self, task: Task, effects: Effects) -> Outcome:
        desired: dict[str, Any] = reveal_all(dict(task.resource.desired))
        workflow = desired.get("workflow")
        if workflow == UNDEPLOY and task.resource.address.instance == f"workflows.{UNDEPLOY}":
            return Outcome(changed=False, message="it is run when the template is undeployed")
        written = task.resource.desired.get("inputs")
        inputs = dict(written) if isinstance(written, Mapping) else {}
        if workflow is not None:
            run = self._run(_find_completed_steps(task, self._program.observed))
            inside = tuple(str(name) for name in desired.get("inside", ()))
            return _rebase_outcome(await run.workflow(workflow, inputs, effects, inside), task)
        reaction: Reaction = self._program.reaction(desired["policy"], desired["trigger"])
        nodes = [node for name in reaction.targets for node in nodes_named(self._program.ensemble, name)]
        return _rebase_outcome(await self._run().activities(nodes, reaction.trigger.action, effects), task)

    async def delete(self, task: Task, effects: Effects) -> Outcome:
        """Run the `undeploy` workflow of the template, which replaces the generated one."""
        if task.resource.desired.get("workflow") != UNDEPLOY:
            return Outcome(changed=False)
        return _rebase_outcome(await self._run().workflow(UNDEPLOY, {}, effects), task)

    async def observe(self, task: Task) -> Observation:
        """Return that nothing is known: a workflow is observed through its operations."""
        return Observation(sighting=CompletionStatus.CANNOT_TELL, look_at=str(task.resource.address))

    def _run(self, done: Iterable[str] = ()) -> WorkflowRun:
        return WorkflowRun(self._program.lifecycles, self._program.observed, done)


def _find_completed_steps(task: Task, observed: Mapping[str, Value]) -> list[str]:
    """Return the activities that an earlier, failed run of a deployment completed.

    Only a deployment is continued. A call starts from the beginning.
    """
    if task.resource.address.instance != f"workflows.{DEPLOY}" or task.recorded is None:
        return []
    done = observed.get(f"workflows.{DEPLOY}|{DONE}")
    return [str(place) for place in done] if isinstance(done, list | tuple) else []


def _rebase_outcome(ran: WorkflowResult, task: Task) -> Outcome:
    """Return the result of a run with addresses relative to the environment."""
    outcome, part = ran.outcome(), task.resource.address.part
    if part is None:
        return outcome
    brought = tuple(
        replace(
            resource,
            address=resource.address._replace(part=part),
            requires=tuple(address._replace(part=part) for address in resource.requires),
        )
        for resource in outcome.brought
    )
    return replace(
        outcome, brought=brought, gone=tuple(address._replace(part=part) for address in outcome.gone)
    )
