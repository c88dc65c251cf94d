"""Status: compare the desired, recorded and actual state of each resource."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from msgspec import Struct

from sabir.deployments.plan.compare import (
    drop_ignored_changes,
    find_recorded_changes,
    resolve_fields,
    without_feedback,
)
from sabir.deployments.store.records import RecordStatus, ResourceRecord, Snapshot
from sabir.deployments.store.store import StateStore
from sabir.deployments.targets import PlacedResource
from sabir.diagnostics.finding import Finding, Severity
from sabir.operations.deployment.environment import EnvironmentRequest, open_state
from sabir.operations.deployment.inspection import (
    ResourceInspector,
    UnreadableResource,
    describe_read_failure,
    place_record,
)
from sabir.operations.deployment.preparation import PreparedEnvironment, prepare_environment
from sabir.resources.outcome import FieldChange, Health
from sabir.resources.resource import Lifecycle


class _InspectedResource(Struct, frozen=True):
    """A resource that exists on its target."""

    drift: tuple[FieldChange, ...] = ()
    health: Health = Health.OK
    message: str | None = None


_Inspection = _InspectedResource | str | None
"""None if the resource is gone; a string is the reason why it cannot be read."""


class ResourceStatus(Struct, frozen=True, kw_only=True):
    """The status of one resource. `state` summarizes the differences below it."""

    address: str
    kind: str
    target: str
    state: str
    """`as wanted`, `changed`, `not deployed`, `no longer wanted`, `drifted`, `gone`, `failed`, `unknown`, `not readable`; and of what is as
    it was left: `waiting` until it does what it is for, `failing` when it does not."""
    changes: tuple[FieldChange, ...] = ()
    """Differences between the desired and the recorded state."""
    drift: tuple[FieldChange, ...] = ()
    """Differences between the actual and the recorded state."""
    message: str | None = None
    links: tuple[str, ...] = ()
    deployment: int | None = None
    """The last deployment that wrote it."""
    written_at: str | None = None
    """`FILE:LINE` of its definition at that time."""
    wanted_at: Mapping[str, str] = {}
    """`FILE:LINE` of the current definition of each changed field."""

    @property
    def has_drifted(self) -> bool:
        return self.state in ("drifted", "gone", "failed", "unknown", "not readable", "failing")


class EnvironmentStatus(Struct, frozen=True, kw_only=True):
    """The status of all desired and recorded resources."""

    resources: tuple[ResourceStatus, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def has_drifted(self) -> bool:
        return any(resource.has_drifted for resource in self.resources)

    @property
    def failed(self) -> bool:
        """Tell whether the project has errors, so that the desired state is unknown."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)


def status_path(request: EnvironmentRequest) -> EnvironmentStatus:
    """Read the actual state of all recorded resources and compare it with the recorded and the desired
    state.
    """
    with open_state(request, create=False) as store:
        prepared = prepare_environment(request, store)
        records = prepared.snapshot.records
        seen = asyncio.run(_inspect_resources(prepared, store, records))
        resources = [
            _resource_status(
                address, prepared.placed.get(address), records.get(address), seen, store, prepared.snapshot
            )
            for address in dict.fromkeys((*prepared.placed, *records))
        ]
    # Reading runs no code of the project, so it needs no permission.
    return EnvironmentStatus(resources=tuple(resources), findings=prepared.without_leave_findings)


def _resource_status(
    address: str,
    placed: PlacedResource | None,
    record: ResourceRecord | None,
    seen: Mapping[str, _Inspection],
    store: StateStore,
    snapshot: Snapshot,
) -> ResourceStatus:
    if record is None:
        assert placed is not None
        kind, target = placed.resource.kind, placed.target.name
        return ResourceStatus(address=address, kind=kind, target=target, state="not deployed")
    lifecycle = Lifecycle() if placed is None else placed.resource.lifecycle
    changes: tuple[FieldChange, ...] = ()
    if placed is not None:
        givers = {name: fact.address for name, fact in snapshot.facts.items()}
        observed = without_feedback(placed.resource, snapshot.observed, givers, record, store.codec)
        fields = resolve_fields(placed.resource, observed)
        changes = drop_ignored_changes(find_recorded_changes(fields, record, store.codec), lifecycle)
    looked = seen.get(address)
    drift = drop_ignored_changes(looked.drift, lifecycle) if isinstance(looked, _InspectedResource) else ()
    message = looked.message if isinstance(looked, _InspectedResource) else looked
    return ResourceStatus(
        address=address,
        kind=record.kind,
        target=record.target,
        state=_describe_state(
            record, placed, changes, drift, looked, gone=address in seen and looked is None
        ),
        changes=changes,
        drift=drift,
        message=message,
        links=() if placed is None else placed.resource.links,
        deployment=record.deployment,
        written_at=record.origin,
        wanted_at={} if placed is None else _find_change_locations(placed, changes),
    )


def _find_change_locations(placed: PlacedResource, changes: tuple[FieldChange, ...]) -> dict[str, str]:
    resource = placed.resource
    origins = {change.field: resource.origins.get(change.field) or resource.origin for change in changes}
    return {field: str(origin.location) for field, origin in origins.items() if origin is not None}


def _describe_state(
    record: ResourceRecord,
    placed: PlacedResource | None,
    changes: tuple[FieldChange, ...],
    drift: tuple[FieldChange, ...],
    looked: _Inspection,
    *,
    gone: bool,
) -> str:
    if record.status is not RecordStatus.PRESENT:
        return str(record.status.value)
    if isinstance(looked, str):
        return "not readable"
    if gone:
        return "gone"
    health = looked.health if isinstance(looked, _InspectedResource) else Health.OK
    if health is Health.FAILING:
        return "failing"
    if drift:
        return "drifted"
    if placed is None:
        return "no longer wanted"
    if changes:
        return "changed"
    return "as wanted" if health is Health.OK else "waiting"


async def _inspect_resources(
    prepared: PreparedEnvironment, store: StateStore, records: Mapping[str, ResourceRecord]
) -> dict[str, _Inspection]:
    """Read every recorded resource: its drift, None if it is gone, a string if it cannot be read."""
    async with ResourceInspector(prepared.context) as looker:

        async def look(record: ResourceRecord) -> tuple[str, _Inspection]:
            try:
                placed = place_record(prepared.targets, store, record)
                if placed.kind.runs:
                    return record.address, _InspectedResource()
                reading = await looker.inspect(placed, record.id)
                if isinstance(reading, UnreadableResource):
                    return record.address, reading.reason
                if not reading.exists:
                    return record.address, None
                drift = tuple(placed.driver.diff(placed.resource, reading))
            except Exception as error:  # noqa: BLE001  a target that is no longer described, or what a driver raises
                return record.address, describe_read_failure(error)
            return record.address, _InspectedResource(drift, reading.health, reading.message)

        return dict(await asyncio.gather(*map(look, records.values())))
