"""Preparation of an environment for plan, deploy and status: evaluation, placement, policy, selection.

`prepare_environment` evaluates the project with the facts of its state and places the desired resources on
targets. `PreparedEnvironment.plan` computes steps from the result. Policy rules see each step as an instance
of type `sabir.Step`. `select_addresses` implements `--target`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.checks.policy import PolicyRule, run_rules
from sabir.deployments.engine.recover import RecoveryResult
from sabir.deployments.placement import MISSING_PERMISSION, place_resources
from sabir.deployments.plan.build import build_plan
from sabir.deployments.plan.compare import find_moves, move_facts, move_records
from sabir.deployments.plan.decisions import PlanRequest
from sabir.deployments.plan.guards import report_denied_deletions
from sabir.deployments.plan.steps import Plan, PlannedStep
from sabir.deployments.store.records import RecordStatus, ResourceRecord, Snapshot, Unfinished
from sabir.deployments.store.store import StateStore
from sabir.deployments.targets import PlacedResource, RemoteWorkers, Targets, default_target
from sabir.diagnostics.finding import Finding, Severity
from sabir.diagnostics.suggestions import did_you_mean
from sabir.environment import FILE_NAME
from sabir.environment.check import environment_rules
from sabir.environment.evaluate import load_environment
from sabir.errors import UsageError
from sabir.graph.graph import Graph, Instance
from sabir.graph.observations import Sightings
from sabir.graph.record import Record
from sabir.graph.values import Value
from sabir.languages.language import EvaluationRequest
from sabir.operations.deployment.environment import FOLDER, EnvironmentRequest
from sabir.operations.evaluation import evaluate_path
from sabir.operations.limits import enforce_limits
from sabir.resources.driver import DriverContext
from sabir.resources.outcome import ResourceReading
from sabir.resources.resource import DesiredResources
from sabir.resources.step import Action
from sabir.resources.target import DEFAULT_TARGET, Target
from sabir.session import Session
from sabir.source.packages import load_package

STEP_TYPE: Final = "sabir.Step"

_STATUSES: Final = {
    RecordStatus.PRESENT: "ok",
    RecordStatus.FAILED: "error",
    RecordStatus.UNKNOWN: "unknown",
}


def load_policy_rules(path: Path) -> tuple[tuple[PolicyRule, ...], tuple[Finding, ...]]:
    """Read the policy rules that the environment at a path names; none for other projects."""
    file = path / FILE_NAME if path.is_dir() else path
    if file.name != FILE_NAME or not file.is_file():
        return (), ()
    package = load_package(path)
    environment, _ = load_environment(package)
    return ((), ()) if environment is None else environment_rules(environment, package)


def check_plan_policy(
    rules: tuple[PolicyRule, ...], graph: Graph, plan: Plan, session: Session
) -> tuple[Finding, ...]:
    """Check policy rules against a graph together with the steps of a plan."""
    if not rules:
        return ()
    together = Graph(
        (*graph, *_build_step_instances(plan)), outputs=graph.outputs, output_origins=graph.output_origins
    )
    return tuple(run_rules(rules, together, session))


def _build_step_instances(plan: Plan) -> Iterator[Instance]:
    for step in plan.steps:
        if not (step.replaces and step.action is Action.DELETE):
            yield Instance(
                id=f"{STEP_TYPE} {step.key}",
                type=STEP_TYPE,
                language="sabir",
                name=step.key,
                attributes=Record.of(_step_attributes(step)),
                origin=step.placed.resource.origin,
            )


def _step_attributes(step: PlannedStep) -> dict[str, Value]:
    after = {} if step.action is Action.DELETE else dict(step.placed.resource.desired)
    before: dict[str, Value] = {**after, **{change.field: change.before for change in step.changes}}
    if step.action is Action.DELETE:
        before = dict(step.placed.resource.desired)
    return {
        "action": Action.REPLACE.value if step.replaces else step.action.value,
        "address": step.address,
        "kind": step.placed.resource.kind,
        "target": step.placed.target.name,
        "driver": step.placed.driver.name,
        "reason": step.reason,
        "changed": [change.field for change in step.changes],
        "before": {} if step.action is Action.CREATE and not step.replaces else before,
        "after": after,
    }


def select_addresses(
    only: Sequence[str],
    placed: Mapping[str, PlacedResource],
    records: Mapping[str, ResourceRecord],
    *,
    destroy: bool,
) -> set[str]:
    """Return the selected addresses and their dependencies.

    A word is the name of a target, an address, or the name at the end of an address. When destroying,
    dependents are included instead of requirements.
    """
    selected: set[str] = set()
    for word in only:
        named = {
            address
            for address in (*placed, *records)
            if word in (address, address.rpartition("/")[2], _target_name(address, placed, records))
        }
        if not named:
            hint = did_you_mean(word, [*placed, *records])
            raise UsageError(
                f"--target {word!r} is neither a target nor a resource" + (f": {hint}" if hint else "")
            )
        selected |= named
    needs = _list_dependents(records) if destroy else _list_requirements(placed)
    queue = [*selected]
    for address in queue:
        for other in needs.get(address, ()):
            if other not in selected:
                selected.add(other)
                queue.append(other)
    return selected


def _target_name(
    address: str, placed: Mapping[str, PlacedResource], records: Mapping[str, ResourceRecord]
) -> str:
    return placed[address].target.name if address in placed else records[address].target


def _list_requirements(placed: Mapping[str, PlacedResource]) -> dict[str, list[str]]:
    """Return, for each resource, the resources that must exist before it."""
    return {address: [str(other) for other in place.resource.requires] for address, place in placed.items()}


def _list_dependents(records: Mapping[str, ResourceRecord]) -> dict[str, list[str]]:
    """Return, for each resource, the resources that must be deleted before it."""
    users: dict[str, list[str]] = {}
    for user, record in records.items():
        for address in record.requires:
            users.setdefault(address, []).append(user)
    return users


class PreparedEnvironment(Struct, frozen=True, kw_only=True, eq=False):
    """An environment that was evaluated with the facts of its state."""

    name: str
    wanted: DesiredResources
    placed: Mapping[str, PlacedResource]
    targets: Targets
    context: DriverContext
    findings: tuple[Finding, ...] = ()
    graph: Graph
    snapshot: Snapshot
    """The state whose facts were used, and that plans start from."""
    unfinished: Unfinished
    """The unfinished deployments, which the next one resumes."""
    rules: tuple[PolicyRule, ...] = ()
    """The policy rules of the environment."""

    @property
    def failed(self) -> bool:
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    @property
    def without_leave_findings(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.code != MISSING_PERMISSION.code)

    def check_policy(self, plan: Plan) -> tuple[Finding, ...]:
        """Check the policy rules of the environment against the graph and a plan."""
        return check_plan_policy(self.rules, self.graph, plan, self.context.session)

    def find_refused_deletions(self, plan: Plan) -> tuple[Finding, ...]:
        """Report deletions in a plan that lack a permission."""
        return tuple(report_denied_deletions(plan, self.context.session.trust, self.context.folder.name))

    def plan(
        self,
        store: StateStore,
        *,
        only: Sequence[str] = (),
        destroy: bool = False,
        repair: bool = False,
        readings: Mapping[str, ResourceReading] | None = None,
        spent: Collection[str] = (),
    ) -> Plan:
        """Compute the steps from the recorded to the desired state; with `destroy`, to an empty one.

        The store is only used to decode values. `spent` has the addresses that had their step in this
        deployment.
        """
        snapshot = self.snapshot
        moves = find_moves(self.wanted.moved, snapshot.records)
        records, facts = move_records(snapshot.records, moves), move_facts(snapshot.facts, moves)
        wanted = {} if destroy else self.placed
        protected = {
            address for address, placed in self.placed.items() if placed.resource.lifecycle.prevent_destroy
        } | {address for address, lifecycle in self.wanted.lifecycles.items() if lifecycle.prevent_destroy}
        request = PlanRequest(
            environment=self.name,
            serial=snapshot.serial,
            wanted=wanted,
            records=records,
            targets=self.targets,
            codec=store.codec,
            observed=store.load_observations(facts) if moves else snapshot.observed,
            expired={fact.address for fact in facts.values() if fact.expired},
            readings=readings or {},
            selected=select_addresses(only, self.placed, records, destroy=destroy) if only else None,
            repair=repair,
            protected=protected,
            givers={name: fact.address for name, fact in facts.items()},
            spent=spent,
            values_then=self.unfinished.values_then,
            pending=() if destroy else [(str(each.address), each.reason) for each in self.wanted.pending],
        )
        plan = build_plan(request)
        if plan.postponed and not plan.is_open and not self.unfinished.is_open:
            # Nothing is left to resume, so no deployment is unfinished any more.
            return build_plan(replace(request, values_then=lambda _: None))
        return plan


def add_observations(evaluation: EvaluationRequest, snapshot: Snapshot) -> EvaluationRequest:
    """Return the request with the facts and observations of the state."""
    notes = {name: fact.note for name, fact in snapshot.facts.items() if not fact.expired}
    statuses = {address: _STATUSES[record.status] for address, record in snapshot.records.items()}
    return replace(
        evaluation,
        observed=snapshot.observed,
        sightings=Sightings(notes=notes, statuses=statuses),
    )


def prepare_environment(
    request: EnvironmentRequest, store: StateStore, *, only_described: bool = False
) -> PreparedEnvironment:
    """Evaluate an environment with the facts of its state and place its resources on targets.

    With `only_described`, a different root than that of the last deployment is not an error: nothing will be
    read there.
    """
    # A worker process returns a graph only. Desired resources hold handlers and functions, which cannot be sent.
    session = replace(request.evaluation.session, workers=None)
    snapshot = store.snapshot()
    evaluated = replace(add_observations(request.evaluation, snapshot), session=session)
    # Limits hold for the evaluation only. What follows acts on targets and must not be interrupted by them.
    with enforce_limits(evaluated.session.limits, request.path.name or str(request.path)):
        evaluation = evaluate_path(request.path, evaluated, language=request.language).evaluation
        wanted = evaluation.wanted()
    root = str((request.folder / FOLDER / "world").absolute())
    if not only_described:
        _refuse_other_root(request, store.last_place(), snapshot, wanted.targets)
    brought = [replace(target, contained=target.contained and not request.here) for target in wanted.targets]
    workers = None if request.executor is None else _open_workers(request.executor)
    targets = Targets([default_target(root, here=request.here), *brought], workers=workers)
    placing = place_resources(wanted, targets, request.evaluation.session.trust)
    rules, mistakes = load_policy_rules(request.path)
    idle = () if wanted.resources else wanted.idle
    return PreparedEnvironment(
        name=store.environment,
        rules=rules,
        wanted=wanted,
        placed=placing.by_address,
        targets=targets,
        context=DriverContext(
            session=request.evaluation.session,
            folder=request.folder.absolute(),
            state_folder=(request.folder / FOLDER).absolute(),
            targets=targets.by_name,
            environment=store.environment,
            secrets=wanted.secrets,
        ),
        findings=(*evaluation.findings, *wanted.findings, *idle, *placing.findings, *mistakes),
        graph=evaluation.graph,
        snapshot=snapshot,
        unfinished=store.unfinished(snapshot),
    )


def refresh_preparation(
    prepared: PreparedEnvironment, request: EnvironmentRequest, store: StateStore, recovered: RecoveryResult
) -> PreparedEnvironment:
    """Return the preparation as it is once the lock is held, evaluated again if the state has changed.

    It has changed if someone else deployed before the lock was acquired, or if an interrupted step turned out
    to be done.
    """
    snapshot = store.snapshot()
    was_open = prepared.unfinished.is_open
    if recovered.done or snapshot.serial != prepared.snapshot.serial:
        prepared = prepare_environment(request, store)
    else:
        prepared = replace(prepared, snapshot=snapshot, unfinished=store.unfinished(snapshot))
    return replace(prepared, unfinished=replace(prepared.unfinished, is_open=was_open))


def _refuse_other_root(
    request: EnvironmentRequest, last: tuple[int, bool] | None, snapshot: Snapshot, brought: Sequence[Target]
) -> None:
    """Raise an error if the last deployment was on the whole machine and this one is in a directory, or
    vice versa.

    The state cannot decide this by itself: it is stored in the project, so it cannot grant the permission
    `--here`.
    """
    if last is None or last[1] == request.here:
        return
    number, was_here = last
    movable = {DEFAULT_TARGET, *(target.name for target in brought if target.contained)}
    if not any(record.target in movable for record in snapshot.records.values()):
        return
    if was_here:
        raise UsageError(
            f"deployment {number} was made with --here, on this machine as a whole: give --here again"
        )
    raise UsageError(
        f"deployment {number} was made without --here, below a folder: leave out --here, or destroy it first"
    )


def _open_workers(url: str) -> RemoteWorkers:
    from sabir.deployments.cluster.driver import ClusterWorkers

    return ClusterWorkers.at(url)
