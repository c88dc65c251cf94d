"""Plans for calls: the resources of an operation, each run once, in order.

The key of a step is `ADDRESS#OPERATION()`. It never equals the key of a deployment step on the same resource.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from sabir.deployments.plan.compare import find_unknown_fields, resolve_fields
from sabir.deployments.plan.order import order_steps
from sabir.deployments.plan.steps import Plan, PlannedCall, PlannedStep
from sabir.deployments.store.records import RecordStatus, ResourceRecord
from sabir.deployments.targets import PlacedResource
from sabir.graph.values import Value
from sabir.resources.step import Action


class CalledResource(Struct, frozen=True, kw_only=True, eq=False):
    """A resource to run, and the call that runs it."""

    placed: PlacedResource
    call: PlannedCall
    record: ResourceRecord | None = None


class CallPlanRequest(Struct, frozen=True, kw_only=True, eq=False):
    """Inputs of the plan of a call."""

    environment: str
    serial: int
    called: Mapping[str, CalledResource]
    """By the text of the address of the resource."""
    records: Mapping[str, ResourceRecord]
    observed: Mapping[str, Value] = field(default_factory=dict[str, Value])
    done: Collection[str] = ()
    """Keys of steps that the interrupted call, which this one resumes, had finished."""


def call_key(address: str, name: str) -> str:
    """Return the key of the step that calls an operation of a resource."""
    return f"{address}#{name}()"


def build_call_plan(request: CallPlanRequest) -> Plan:
    """Return the plan of a call. Everything is run, whatever ran before.

    Steps that require a resource with an unknown outcome wait.
    """
    steps = {address: _build_call_step(address, each, request) for address, each in request.called.items()}
    unknown = {
        address for address, record in request.records.items() if record.status is RecordStatus.UNKNOWN
    }
    placed = {address: each.placed for address, each in request.called.items()}
    arranged = order_steps(placed, {}, steps, unknown)
    keys = {address: step.key for address, step in steps.items()}
    return Plan(
        environment=request.environment,
        serial=request.serial,
        steps=tuple(
            replace(
                steps[address],
                requires=tuple(
                    keys[other] for other in arranged.requires[address] if keys[other] not in request.done
                ),
            )
            for address in arranged.keys
            if keys[address] not in request.done
        ),
        waiting=tuple((each.address, each.reason) for each in arranged.waiting),
        recorded=len(request.records),
    )


def _build_call_step(address: str, called: CalledResource, request: CallPlanRequest) -> PlannedStep:
    fields = resolve_fields(called.placed.resource, request.observed)
    placed = replace(called.placed, resource=replace(called.placed.resource, desired=fields))
    return PlannedStep(
        key=call_key(address, called.call.name),
        action=Action.RUN,
        address=address,
        placed=placed,
        record=called.record,
        reason=f"{called.call.name} is called",
        unforeseen=find_unknown_fields(fields),
        call=called.call,
    )
