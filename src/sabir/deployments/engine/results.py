"""What is recorded of a resource when a step on it has ended."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from sabir.deployments.plan.steps import PlannedStep
from sabir.deployments.store.codec import Codec
from sabir.deployments.store.records import RecordStatus, ResourceRecord, StepState
from sabir.deployments.targets import Placed
from sabir.graph.values import Value
from sabir.resources.outcome import Outcome
from sabir.resources.resource import Resource
from sabir.resources.step import Task

__all__ = ["ended_record", "observed_results", "placed_record"]

_STATUS = {
    StepState.DONE: RecordStatus.PRESENT,
    StepState.NON_COMPLIANT: RecordStatus.PRESENT,
    StepState.FAILED: RecordStatus.FAILED,
    StepState.UNKNOWN: RecordStatus.UNKNOWN,
}


def observed_results(resource: Resource, results: Mapping[str, Value]) -> dict[str, Value]:
    """Results of a step by the attribute's address that each becomes."""
    return {
        str(resource.results.get(name) or resource.address.of(name)): value for name, value in results.items()
    }


def ended_record(
    step: PlannedStep,
    task: Task,
    state: StepState,
    outcome: Outcome,
    desired: str,
    codec: Codec,
) -> ResourceRecord:
    """The record after a step. What failed or is unknown keeps what was recorded before it, if anything was, but for an id that the
    target has given since."""
    status = _STATUS[state]
    if not state.succeeded and step.record is not None:
        known_id = outcome.id if outcome.id is not None else step.record.id
        return replace(step.record, status=status, id=known_id)
    return replace(
        placed_record(replace(step.placed, resource=task.resource), desired),
        status=status,
        id=outcome.id if outcome.id is not None else task.id,
        fields=None if outcome.fields is None else codec.write(outcome.fields),
    )


def placed_record(placed: Placed, desired: str) -> ResourceRecord:
    """The record of a resource that is as it should be."""
    resource = placed.resource
    return ResourceRecord(
        address=str(resource.address),
        kind=resource.kind,
        target=placed.target.name,
        driver=placed.driver.name,
        status=RecordStatus.PRESENT,
        desired=desired,
        requires=tuple(str(address) for address in resource.requires),
        origin=None if resource.origin is None else str(resource.origin.location),
    )
