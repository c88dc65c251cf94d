"""Deploy and destroy: lock the state, recover the last deployment, plan, confirm, apply, record.

A deployment has waves. When the steps of a plan have returned values, the project is evaluated again, and
steps that are known by then are applied in the same deployment. A resource that runs code does so once in a
deployment: if its inputs change after it ran, the change is left to the next deployment.

The operator confirms the first plan, including the steps it announces as known after apply. Any other step of
a later wave needs a new confirmation, and so does every deletion or replacement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sabir.deployments.deployment import Deployer, Wave, hold_environment
from sabir.deployments.engine.recover import RecoveryResult
from sabir.deployments.engine.results import DeploymentResult
from sabir.deployments.plan.compare import find_moves
from sabir.deployments.plan.document import plan_digest, plan_document
from sabir.deployments.plan.guards import find_guard, find_irreversible
from sabir.deployments.plan.steps import Plan
from sabir.deployments.store.records import Fact
from sabir.deployments.store.store import StateStore
from sabir.diagnostics.finding import Finding, Severity
from sabir.errors import UsageError
from sabir.graph.values import Value
from sabir.operations.deployment.environment import EnvironmentRequest, open_state
from sabir.operations.deployment.execution import ConfirmationRequest, ExecutionOptions
from sabir.operations.deployment.inspection import ActualState, read_actual_state
from sabir.operations.deployment.plan_file import read_plan_file, refuse_other_plan
from sabir.operations.deployment.preparation import (
    PreparedEnvironment,
    prepare_environment,
    refresh_preparation,
)
from sabir.operations.deployment.state import move_all
from sabir.operations.deployment.stored_request import capture_request, restore_request
from sabir.resources.step import Action


class WaveLimits(Struct, frozen=True, kw_only=True):
    """The limits that the operator set for the first plan; they hold for later waves as well."""

    only: tuple[str, ...] = ()
    exact: bool = False
    """Whether steps that the first plan did not announce are refused."""
    allow_delete: int | None = None


class Waves:
    """Computes the plans that follow the first one."""

    def __init__(
        self, environment: EnvironmentRequest, doing: ExecutionOptions, store: StateStore, first: Plan
    ) -> None:
        self._environment = environment
        self._doing = doing
        self._store = store
        self._plan = first
        self._facts: Mapping[str, Fact] = store.facts()
        self._observed: Mapping[str, Value] = store.load_observations(self._facts)
        self._spent: set[str] = set()
        """Addresses that get no further step in this deployment."""
        self.findings: tuple[Finding, ...] | None = None
        """Of the last evaluation; None: there was none after the first."""

    def next_wave(self, limits: WaveLimits, deployment: int) -> Wave | None:
        """Return the next plan; None if nothing is left to do."""
        facts = self._store.facts()
        observed = self._store.load_observations(facts)
        if observed == self._observed:
            return self._refuse_deferred()
        self._note_givers(facts, observed)
        prepared = prepare_environment(self._environment, self._store)
        self._note_runs(prepared, deployment)
        self.findings = prepared.findings
        if prepared.failed:
            words = "with the values that came back the description has errors; nothing more is done"
            return Wave(plan=self._plan, refusal=words)
        announced = [address for address, _ in self._plan.later]
        self._plan = prepared.plan(self._store, only=limits.only, spent=self._spent)
        if not self._plan.steps:
            return self._refuse_deferred()
        return Wave(
            plan=self._plan, targets=prepared.targets, refusal=self._refusal(prepared, announced, limits)
        )

    def _refuse_deferred(self) -> Wave | None:
        """Report steps that are still unknown although no more values can arrive."""
        if not self._plan.later:
            notice_postponed(self._plan, self._doing)
            return None
        words = "; ".join(f"{address}: {reason}" for address, reason in self._plan.later)
        return Wave(plan=self._plan, refusal=f"this is still not known: {words}")

    def _note_givers(self, facts: Mapping[str, Fact], observed: Mapping[str, Value]) -> None:
        """Count a resource that returned new values as done.

        Otherwise values that depend on each other would cause waves without end.
        """
        for name in {*observed, *self._observed}:
            if name not in observed or name not in self._observed or observed[name] != self._observed[name]:
                self._spent.add((facts.get(name) or self._facts[name]).address)
        self._facts, self._observed = facts, observed

    def _note_runs(self, prepared: PreparedEnvironment, deployment: int) -> None:
        """Count resources that ran code in this deployment as done, whatever values they returned."""
        for address, record in prepared.snapshot.records.items():
            placed = prepared.placed.get(address)
            if record.deployment == deployment and placed is not None and placed.kind.runs:
                self._spent.add(address)

    def _refusal(self, prepared: PreparedEnvironment, announced: list[str], limits: WaveLimits) -> str | None:
        plan = self._plan
        broken = [each for each in prepared.check_policy(plan) if each.severity is Severity.ERROR]
        if broken:
            self.findings = (*prepared.findings, *broken)
            return f"{broken[0].code}: {broken[0].message}: nothing more is done"
        if prepared.find_refused_deletions(plan):
            return "what is to be deleted now needs --trust scripts: nothing more is done"
        taken_away = any(step.action is Action.DELETE for step in plan.steps)
        foreseen = all(_is_announced(step.address, announced) for step in plan.steps)
        if foreseen and not taken_away:
            self._doing.notice(_describe_steps(plan))
            return None
        if limits.exact:
            return f"{_describe_steps(plan)}, which the plan did not say: plan again"
        guard = find_guard(plan, allowed=limits.allow_delete)
        question = ConfirmationRequest(plan=plan, recovered=RecoveryResult(), guard=guard, wave=True)
        return None if self._doing.consent(question) else "no consent to what came up: nothing more is done"


def notice_postponed(plan: Plan, doing: ExecutionOptions) -> None:
    """Notify the operator of resources that changed after they ran and are left to the next deployment."""
    if plan.postponed:
        doing.notice(f"changed after they ran, left for the next deployment: {_names(plan.postponed)}")


def _is_announced(address: str, announced: list[str]) -> bool:
    return any(address == each or address.startswith(f"{each}/") for each in announced)


def _describe_steps(plan: Plan) -> str:
    return f"now it can be foreseen: {_names([step.address for step in plan.steps])}"


def _names(addresses: Sequence[str]) -> str:
    more = f" and {len(addresses) - 5} more" if len(addresses) > 5 else ""
    return ", ".join(addresses[:5]) + more


class DeployRequest(Struct, frozen=True, kw_only=True):
    """What to deploy or destroy, and which limits hold for the plan."""

    environment: EnvironmentRequest
    doing: ExecutionOptions
    plan_file: Path | None = None
    verify: Path | None = None
    """The public key with which the signature of the plan file is verified."""
    only: tuple[str, ...] = ()
    refresh: bool = False
    repair: bool = False
    destroy: bool = False
    once: bool = False
    """Apply only steps whose inputs are known now; the others are left to the next deployment."""
    at: int | None = None
    """The deployment to roll back to."""
    allow_delete: int | None = None
    """The number of deletions that are allowed without typed confirmation; -1 for any number."""


class DeployResult(Struct, frozen=True, kw_only=True, eq=False):
    """The plan of a deployment and what became of it."""

    findings: tuple[Finding, ...] = ()
    plan: Plan | None = None
    """None if the project has errors, so that nothing was planned."""
    result: DeploymentResult | None = None
    """None if there was nothing to do, or the plan was not confirmed."""
    refused: bool = False


def deploy_path(request: DeployRequest) -> DeployResult:
    """Apply the desired state of a project, or delete all its resources."""
    if request.verify is not None and request.plan_file is None:
        raise UsageError("--verify is for a plan that is kept in a file: name the file after PATH")
    if request.at is not None:
        with restore_request(request.environment, request.at, lasting=True) as wished:
            return _deploy_path(replace(request, environment=wished))
    return _deploy_path(request)


def _deploy_path(request: DeployRequest) -> DeployResult:
    file = request.plan_file
    # Before anything is read: recovering an unfinished deployment may already act on targets.
    stored = None if file is None else read_plan_file(file, request.verify)
    with open_state(request.environment, create=True) as store:
        prepared = prepare_environment(request.environment, store)
        if prepared.failed and not request.destroy:
            return DeployResult(findings=prepared.findings)
        options = request.doing.options(request.environment, prepared.context)
        with hold_environment(store, prepared.context, options) as writer:
            deployer = Deployer(store, writer, prepared.targets, prepared.context, options)
            return _run_deployment(request, stored, prepared, store, deployer)


def _run_deployment(
    request: DeployRequest,
    stored: Mapping[str, Any] | None,
    prepared: PreparedEnvironment,
    store: StateStore,
    deployer: Deployer,
) -> DeployResult:
    recovered = deployer.recover()
    prepared = refresh_preparation(prepared, request.environment, store, recovered)
    if prepared.failed and not request.destroy:
        return DeployResult(findings=prepared.findings)
    moves = find_moves(prepared.wanted.moved, prepared.snapshot.records)
    if moves:
        move_all(deployer.journal, moves)
        prepared = replace(prepared, snapshot=store.snapshot())
    world = read_actual_state(prepared, store) if request.refresh else ActualState()
    plan = prepared.plan(
        store, only=request.only, destroy=request.destroy, repair=request.repair, readings=world.readings
    )
    if stored is not None:
        refuse_other_plan(stored, plan)
    # Destroying runs recorded commands only, nothing of the project, so its missing permissions do not matter.
    findings = prepared.without_leave_findings if request.destroy else prepared.findings
    refused = (*prepared.find_refused_deletions(plan), *prepared.check_policy(plan))
    findings = (*findings, *world.findings(prepared.placed), *refused)
    if any(finding.severity is Severity.ERROR for finding in refused):
        return DeployResult(findings=findings)
    deployed = DeployResult(findings=findings, plan=plan)
    if not plan.steps:
        deployer.let_go()
        notice_postponed(plan, request.doing)
        return deployed
    guard = find_guard(plan, allowed=request.allow_delete)
    lost = find_irreversible(plan) if request.at is not None else ()
    if not request.doing.consent(ConfirmationRequest(plan=plan, recovered=recovered, guard=guard, lost=lost)):
        return replace(deployed, refused=True)
    verb = "destroy" if request.destroy else "deploy"
    wish, blobs = (None, None) if request.destroy else capture_request(request.environment, store)
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
            else waves.next_wave(_wave_limits(request), deployer.journal.number)
        ),
    )
    return replace(deployed, findings=waves.findings or findings, result=result)


def _wave_limits(request: DeployRequest) -> WaveLimits:
    return WaveLimits(
        only=request.only, exact=request.plan_file is not None, allow_delete=request.allow_delete
    )
