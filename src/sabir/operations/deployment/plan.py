"""Plan: the steps that a deployment would take, and why."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sabir.deployments.plan.document import plan_document
from sabir.deployments.plan.guards import find_irreversible
from sabir.deployments.plan.steps import Plan
from sabir.deployments.store.records import StepState
from sabir.diagnostics.finding import Finding, Severity
from sabir.graph.graph import Graph
from sabir.operations.deployment.environment import EnvironmentRequest, environment_name, open_state
from sabir.operations.deployment.inspection import ActualState, read_actual_state
from sabir.operations.deployment.preparation import prepare_environment
from sabir.operations.deployment.stored_request import restore_request
from sabir.operations.revisions import is_revision, open_path, revision_path


class PlanPathRequest(Struct, frozen=True, kw_only=True):
    environment: EnvironmentRequest
    only: tuple[str, ...] = ()
    refresh: bool = False
    """Look at the world, too."""
    destroy: bool = False
    at: int | None = None
    """Back to what this deployment was asked for."""


class PlanResult(Struct, frozen=True, kw_only=True, eq=False):
    plan: Plan | None
    findings: tuple[Finding, ...] = ()
    graph: Graph | None = None
    refused: bool = False
    """A rule of the environment refuses it."""
    lost: tuple[tuple[str, str], ...] = ()
    """When it goes back to an earlier wish: what cannot go back, with the reason."""
    open_steps: int = 0
    """Steps of a deployment that was cut off: what became of them is found out before the plan is done."""

    @property
    def document(self) -> dict[str, Any]:
        return {} if self.plan is None else plan_document(self.plan)


def plan_path(request: PlanPathRequest) -> PlanResult:
    """Make a plan. Nothing is written, and nothing in the world is touched."""
    if is_revision(request.environment.path):
        with _at_revision(request.environment) as then:
            return plan_path(replace(request, environment=then))
    if request.at is not None:
        with restore_request(request.environment, request.at) as wished:
            planned = _plan_path(replace(request, environment=wished))
        return planned if planned.plan is None else replace(planned, lost=find_irreversible(planned.plan))
    return _plan_path(request)


@contextmanager
def _at_revision(request: EnvironmentRequest) -> Generator[EnvironmentRequest]:
    """The description as it was in a revision, with the state and the name that the environment has here now."""
    present = Path(revision_path(request.path))
    now = replace(request, path=present)
    name = environment_name(now) if present.exists() else request.environment
    with open_path(request.path, present) as then:
        yield replace(request, path=then, home=now.folder, environment=name)


def _plan_path(request: PlanPathRequest) -> PlanResult:
    environment = request.environment
    with open_state(environment, create=False) as store:
        prepared = prepare_environment(environment, store)
        findings = prepared.without_leave_findings if request.destroy else prepared.findings
        if any(finding.severity is Severity.ERROR for finding in findings):
            return PlanResult(plan=None, findings=findings)
        world = read_actual_state(prepared, store) if request.refresh else ActualState()
        plan = prepared.plan(store, only=request.only, destroy=request.destroy, readings=world.readings)
        left = len(store.steps(states=(StepState.INTENT,)))
    # A plan only shows; what deploying it would need is said beside it.
    broken = prepared.check_policy(plan)
    return PlanResult(
        plan=plan,
        graph=prepared.graph,
        findings=(
            *findings,
            *world.findings(prepared.placed),
            *prepared.find_refused_deletions(plan),
            *broken,
        ),
        refused=any(finding.severity is Severity.ERROR for finding in broken),
        open_steps=left,
    )
