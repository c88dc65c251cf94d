"""Deploy and destroy: take the lock, find out what became of the last one, plan, ask, do, remember."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sabir.deployments.deployment import Deployer, held
from sabir.deployments.engine.results import DeploymentResult
from sabir.deployments.plan.compare import moves_of
from sabir.deployments.plan.document import plan_digest, plan_document
from sabir.deployments.plan.guards import cannot_go_back, guarded
from sabir.deployments.plan.steps import Plan
from sabir.deployments.store.store import Store
from sabir.diagnostics.finding import Finding, Severity
from sabir.errors import UsageError
from sabir.operations.deploying import EnvironmentRequest, Prepared, opened, prepare, prepared_now
from sabir.operations.doing import Doing, Question
from sabir.operations.past import recalled, wish_of
from sabir.operations.plan import World, read_world
from sabir.operations.plan_files import read_plan_file, refuse_other_plan
from sabir.operations.remembered import move_all
from sabir.operations.waves import WaveLimits, Waves, notice_postponed

__all__ = ["DeployRequest", "Deployed", "deploy_path"]


class DeployRequest(Struct, frozen=True, kw_only=True):
    environment: EnvironmentRequest
    doing: Doing
    plan_file: Path | None = None
    verify: Path | None = None
    """The public key of who must have signed the plan in the file."""
    only: tuple[str, ...] = ()
    refresh: bool = False
    repair: bool = False
    destroy: bool = False
    once: bool = False
    """Only what can be foreseen now; what rests on values that come back is for the next deployment."""
    at: int | None = None
    """Back to what this deployment was asked for."""
    allow_delete: int | None = None
    """So many deletions are consented to; -1: any number."""


class Deployed(Struct, frozen=True, kw_only=True, eq=False):
    findings: tuple[Finding, ...] = ()
    plan: Plan | None = None
    """None: the description has errors, and nothing was looked at."""
    result: DeploymentResult | None = None
    """None: there was nothing to do, or no consent."""
    refused: bool = False


def deploy_path(request: DeployRequest) -> Deployed:
    """Bring the world to what is described, or to nothing."""
    if request.verify is not None and request.plan_file is None:
        raise UsageError("--verify is for a plan that is kept in a file: name the file after PATH")
    if request.at is not None:
        with recalled(request.environment, request.at, lasting=True) as wished:
            return _deploy_path(replace(request, environment=wished))
    return _deploy_path(request)


def _deploy_path(request: DeployRequest) -> Deployed:
    file = request.plan_file
    # Before anything is looked at: what became of an open deployment is found out by acting, too.
    stored = None if file is None else read_plan_file(file, request.verify)
    with opened(request.environment, create=True) as store:
        prepared = prepare(request.environment, store)
        if prepared.failed and not request.destroy:
            return Deployed(findings=prepared.findings)
        options = request.doing.options(request.environment, prepared.context)
        with held(store, prepared.context, options) as writer:
            deployer = Deployer(store, writer, prepared.targets, prepared.context, options)
            return _deploy(request, stored, prepared, store, deployer)


def _deploy(
    request: DeployRequest,
    stored: Mapping[str, Any] | None,
    prepared: Prepared,
    store: Store,
    deployer: Deployer,
) -> Deployed:
    recovered = deployer.recover()
    prepared = prepared_now(prepared, request.environment, store, recovered)
    if prepared.failed and not request.destroy:
        return Deployed(findings=prepared.findings)
    moves = moves_of(prepared.wanted.moved, prepared.snapshot.records)
    if moves:
        move_all(deployer.journal, moves)
        prepared = replace(prepared, snapshot=store.snapshot())
    world = read_world(prepared, store) if request.refresh else World()
    plan = prepared.plan(
        store, only=request.only, destroy=request.destroy, repair=request.repair, readings=world.readings
    )
    if stored is not None:
        refuse_other_plan(stored, plan)
    # Who destroys runs nothing of the description, only of what is recorded.
    findings = prepared.without_leave_findings if request.destroy else prepared.findings
    refused = (*prepared.refused_deletions(plan), *prepared.broken_rules(plan))
    findings = (*findings, *world.findings(prepared.placed), *refused)
    if any(finding.severity is Severity.ERROR for finding in refused):
        return Deployed(findings=findings)
    deployed = Deployed(findings=findings, plan=plan)
    if not plan.steps:
        deployer.let_go()
        notice_postponed(plan, request.doing)
        return deployed
    guard = guarded(plan, allowed=request.allow_delete)
    lost = cannot_go_back(plan) if request.at is not None else ()
    if not request.doing.consent(Question(plan=plan, recovered=recovered, guard=guard, lost=lost)):
        return replace(deployed, refused=True)
    verb = "destroy" if request.destroy else "deploy"
    wish, blobs = (None, None) if request.destroy else wish_of(request.environment, store)
    noted = {
        "plan": plan_digest(plan),
        **({} if wish is None or not wish.digest else {"digest": wish.digest}),
    }
    deployer.options = replace(deployer.options, audit={**deployer.options.audit, **noted})
    waves = Waves(request.environment, request.doing, store, plan)
    result = deployer.deploy(
        plan,
        verb=verb,
        document=plan_document(plan),
        wish=wish,
        blobs=blobs,
        following=lambda: (
            None
            if request.destroy or request.once
            else waves.following(_limits(request), deployer.journal.number)
        ),
    )
    return replace(deployed, findings=waves.findings or findings, result=result)


def _limits(request: DeployRequest) -> WaveLimits:
    return WaveLimits(
        only=request.only, exact=request.plan_file is not None, allow_delete=request.allow_delete
    )
