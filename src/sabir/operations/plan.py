"""Plan: the steps that a deployment would take, and why."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from sabir.deployments.engine.connections import Connections
from sabir.deployments.plan.build import recorded_resource
from sabir.deployments.plan.document import plan_document
from sabir.deployments.plan.steps import Plan
from sabir.deployments.store.records import Record, StepState
from sabir.deployments.store.store import Store
from sabir.deployments.targets import Placed
from sabir.diagnostics.finding import Finding
from sabir.errors import DeployError
from sabir.operations.deploying import EnvironmentRequest, Prepared, opened, prepare
from sabir.resources.outcome import Reading

__all__ = ["PlanPathRequest", "Planned", "plan_path", "read_world"]


class PlanPathRequest(Struct, frozen=True, kw_only=True):
    environment: EnvironmentRequest
    only: tuple[str, ...] = ()
    refresh: bool = False
    """Look at the world, too."""
    destroy: bool = False


class Planned(Struct, frozen=True, kw_only=True, eq=False):
    plan: Plan | None
    findings: tuple[Finding, ...] = ()
    open_steps: int = 0
    """Steps of a deployment that was cut off: what became of them is found out before the plan is done."""

    @property
    def document(self) -> dict[str, Any]:
        return {} if self.plan is None else plan_document(self.plan)


def plan_path(request: PlanPathRequest) -> Planned:
    """Make a plan. Nothing is written, and nothing in the world is touched."""
    environment = request.environment
    with opened(environment, create=False) as store:
        prepared = prepare(environment, store)
        if prepared.failed:
            return Planned(plan=None, findings=prepared.findings)
        readings = read_world(prepared, store) if request.refresh else {}
        plan = prepared.plan(store, only=request.only, destroy=request.destroy, readings=readings)
        left = len(store.steps(states=(StepState.INTENT,)))
    return Planned(plan=plan, findings=prepared.findings, open_steps=left)


def read_world(prepared: Prepared, store: Store) -> dict[str, Reading]:
    """Every recorded resource as it is in the world now."""
    records = store.records()
    return asyncio.run(_read_all(prepared, store, records))


async def _read_all(prepared: Prepared, store: Store, records: Mapping[str, Record]) -> dict[str, Reading]:
    async with Connections(prepared.context) as connections:
        placed = {address: _placed(prepared, store, record) for address, record in records.items()}
        kept = {address: place for address, place in placed.items() if not place.kind.runs}

        async def read(address: str, place: Placed) -> tuple[str, Reading]:
            connection = await connections.of(place)
            return address, await connection.read(place.resource, records[address].id)

        return dict(await asyncio.gather(*(read(address, place) for address, place in kept.items())))


def _placed(prepared: Prepared, store: Store, record: Record) -> Placed:
    """What is wanted of a recorded resource, or what was."""
    wanted = prepared.placed.get(record.address)
    if wanted is not None and wanted.resource.kind == record.kind:
        return wanted
    targets = prepared.targets
    driver = targets.driver(record.driver)
    try:
        target = targets.target(record.target)
    except DeployError as error:
        raise DeployError(f"{record.address} is recorded on {record.target!r}: {error}") from error
    return Placed(recorded_resource(record, store.codec), target, driver, targets.kind(driver, record.kind))
