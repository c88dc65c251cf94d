"""Plan: the steps that a deployment would take, and why."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sabir.deployments.placement import not_looked_at, told_by_targets
from sabir.deployments.plan.compare import unknown_names
from sabir.deployments.plan.decisions import recorded_resource
from sabir.deployments.plan.document import plan_document
from sabir.deployments.plan.guards import cannot_go_back
from sabir.deployments.plan.steps import Plan
from sabir.deployments.store.records import ResourceRecord, StepState
from sabir.deployments.store.store import Store
from sabir.deployments.targets import Placed, Targets
from sabir.diagnostics.finding import Finding, Severity
from sabir.errors import DeployError
from sabir.graph.graph import Graph
from sabir.operations.deploying import EnvironmentRequest, Prepared, environment_name, opened, prepare
from sabir.operations.deployment.inspection import Looker, Unseen
from sabir.operations.deployment.stored_request import recalled
from sabir.operations.revisions import is_revision, readable, revision_path
from sabir.resources.driver import DriverContext
from sabir.resources.outcome import Reading

__all__ = ["PlanPathRequest", "Planned", "World", "plan_path", "read_world", "recorded_place"]


class PlanPathRequest(Struct, frozen=True, kw_only=True):
    environment: EnvironmentRequest
    only: tuple[str, ...] = ()
    refresh: bool = False
    """Look at the world, too."""
    destroy: bool = False
    at: int | None = None
    """Back to what this deployment was asked for."""


class Planned(Struct, frozen=True, kw_only=True, eq=False):
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


def plan_path(request: PlanPathRequest) -> Planned:
    """Make a plan. Nothing is written, and nothing in the world is touched."""
    if is_revision(request.environment.path):
        with _at_revision(request.environment) as then:
            return plan_path(replace(request, environment=then))
    if request.at is not None:
        with recalled(request.environment, request.at) as wished:
            planned = _plan_path(replace(request, environment=wished))
        return planned if planned.plan is None else replace(planned, lost=cannot_go_back(planned.plan))
    return _plan_path(request)


@contextmanager
def _at_revision(request: EnvironmentRequest) -> Generator[EnvironmentRequest]:
    """The description as it was in a revision, with the state and the name that the environment has here now."""
    present = Path(revision_path(request.path))
    now = replace(request, path=present)
    name = environment_name(now) if present.exists() else request.environment
    with readable(request.path, present) as then:
        yield replace(request, path=then, home=now.folder, environment=name)


def _plan_path(request: PlanPathRequest) -> Planned:
    environment = request.environment
    with opened(environment, create=False) as store:
        prepared = prepare(environment, store)
        findings = prepared.without_leave_findings if request.destroy else prepared.findings
        if any(finding.severity is Severity.ERROR for finding in findings):
            return Planned(plan=None, findings=findings)
        world = read_world(prepared, store) if request.refresh else World()
        plan = prepared.plan(store, only=request.only, destroy=request.destroy, readings=world.readings)
        left = len(store.steps(states=(StepState.INTENT,)))
    # A plan only shows; what deploying it would need is said beside it.
    broken = prepared.broken_rules(plan)
    return Planned(
        plan=plan,
        graph=prepared.graph,
        findings=(
            *findings,
            *world.findings(prepared.placed),
            *prepared.refused_deletions(plan),
            *broken,
        ),
        refused=any(finding.severity is Severity.ERROR for finding in broken),
        open_steps=left,
    )


class World(Struct, frozen=True, kw_only=True):
    """What was seen when the world was looked at."""

    readings: Mapping[str, Reading] = {}
    unseen: Mapping[str, Unseen] = {}
    placed: Mapping[str, Placed] = {}
    """Where was looked."""

    def findings(self, wanted: Mapping[str, Placed]) -> tuple[Finding, ...]:
        """What targets said of what is wanted, and which of them said nothing."""
        groups: dict[tuple[str, Unseen], list[Placed]] = {}
        for address, unseen in self.unseen.items():
            placed = self.placed[address]
            alike = replace(unseen, reason=unseen.reason.removeprefix(f"{address}: "))
            groups.setdefault((placed.target.name, alike), []).append(placed)
        return (
            *told_by_targets(wanted, self.readings),
            *(
                not_looked_at(placed, unseen.reason, is_reached=unseen.is_reached)
                for (_, unseen), placed in groups.items()
            ),
        )


def read_world(prepared: Prepared, store: Store) -> World:
    """Every recorded resource as it is in the world now, and those new ones of which only the target can tell."""
    records = prepared.snapshot.records
    placed = {address: _placed(prepared, store, record) for address, record in records.items()}
    kept = {address: place for address, place in placed.items() if not place.kind.runs}
    kept |= {
        address: place
        for address, place in prepared.placed.items()
        if address not in records and place.kind.tells and not unknown_names(place.resource.desired)
    }
    ids = {address: record.id for address, record in records.items()}
    looked = asyncio.run(_look_at_all(prepared.context, kept, ids))
    return World(
        readings={address: each for address, each in looked.items() if isinstance(each, Reading)},
        unseen={address: each for address, each in looked.items() if isinstance(each, Unseen)},
        placed=kept,
    )


async def _look_at_all(
    context: DriverContext, placed: Mapping[str, Placed], ids: Mapping[str, str | None]
) -> dict[str, Reading | Unseen]:
    async with Looker(context) as looker:
        looks = (looker.look(place, ids.get(address)) for address, place in placed.items())
        return dict(zip(placed, await asyncio.gather(*looks), strict=True))


def _placed(prepared: Prepared, store: Store, record: ResourceRecord) -> Placed:
    """What is wanted of a recorded resource, or what was."""
    wanted = prepared.placed.get(record.address)
    if wanted is not None and wanted.resource.kind == record.kind:
        return wanted
    return recorded_place(prepared.targets, store, record)


def recorded_place(targets: Targets, store: Store, record: ResourceRecord) -> Placed:
    """A resource as it is recorded, at its target."""
    resource = recorded_resource(record, store.codec)
    try:
        return targets.placed_as(resource, target=record.target, driver=record.driver)
    except DeployError as error:
        raise DeployError(f"{record.address} is recorded on {record.target!r}: {error}") from error
