"""Plan: the steps that a deployment would apply, with their reasons. Nothing is written or changed."""

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
    """Which environment to plan for, and how the plan is limited."""

    environment: EnvironmentRequest
    only: tuple[str, ...] = ()
    refresh: bool = False
    """Whether to read the actual state."""
    destroy: bool = False
    at: int | None = None
    """The deployment to roll back to."""


class PlanResult(Struct, frozen=True, kw_only=True, eq=False):
    """The plan, or the findings that prevent one."""

    plan: Plan | None
    findings: tuple[Finding, ...] = ()
    graph: Graph | None = None
    refused: bool = False
    """Whether a policy rule of the environment rejects the plan."""
    lost: tuple[tuple[str, str], ...] = ()
    """For a rollback: resources that cannot be rolled back, each with the reason."""
    open_steps: int = 0
    """Steps of an interrupted deployment: their outcome is determined before the plan is applied."""

    @property
    def document(self) -> dict[str, Any]:
        return {} if self.plan is None else plan_document(self.plan)


def plan_path(request: PlanPathRequest) -> PlanResult:
    """Compute a plan. Nothing is written, and no target is changed."""
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
    """Yield a request for the project at a git revision, with the current state and name of the
    environment.
    """
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
    # A plan only shows steps, so missing permissions are reported with it and are not errors.
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
