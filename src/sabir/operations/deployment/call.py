"""Call and notify: run operations on deployed resources, with a journal entry for every step.

An interrupted call is resumed when the same call is made again: steps that are done are not repeated. If a
call brings a resource to its desired state (an upgrade, for example), this is recorded, and the next
deployment does not repeat it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from sabir.deployments.deployment import Deployer, hold_environment
from sabir.deployments.engine.recover import RecoveryResult
from sabir.deployments.plan.calls import CalledResource, CallPlanRequest, build_call_plan
from sabir.deployments.plan.compare import find_unknown_fields, resolve_fields
from sabir.deployments.plan.document import plan_document
from sabir.deployments.plan.steps import Plan
from sabir.deployments.store.journal import Journal
from sabir.deployments.store.records import DeploymentState, RecordStatus, ResourceRecord, StepState
from sabir.deployments.store.store import StateStore
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import DeployError
from sabir.graph.json.values import encode_value
from sabir.graph.values import Value
from sabir.operations.deployment.callables import (
    CallableOperation,
    build_call_resources,
    complete_arguments,
    find_callable,
    list_callables,
)
from sabir.operations.deployment.deploy import DeployResult
from sabir.operations.deployment.environment import EnvironmentRequest, open_state
from sabir.operations.deployment.execution import ConfirmationRequest, ExecutionOptions
from sabir.operations.deployment.preparation import (
    PreparedEnvironment,
    prepare_environment,
    refresh_preparation,
)


def record_settled(
    offers: Iterable[CallableOperation], prepared: PreparedEnvironment, store: StateStore, journal: Journal
) -> None:
    """Record the resources that these operations bring to the desired state.

    Resources without a record are left to the next deployment.
    """
    addresses = {address: None for offer in offers for address in _list_settled(offer)}
    records = store.records()
    writes = [
        journal.record(record)
        for address in addresses
        if address in records
        for record in _update_record(records[address], prepared, store, journal)
    ]
    if writes:
        journal.now_all(writes, moves=True)


def _list_settled(offer: CallableOperation) -> Iterator[str]:
    if offer.operation is not None and offer.operation.settles is not None:
        yield from map(str, offer.operation.settles())


def _update_record(
    record: ResourceRecord, prepared: PreparedEnvironment, store: StateStore, journal: Journal
) -> Iterator[ResourceRecord]:
    placed = prepared.placed.get(record.address)
    if placed is None or placed.target.name != record.target:
        return
    fields = resolve_fields(placed.resource, store.load_observations())
    if not find_unknown_fields(fields):
        yield replace(
            record,
            status=RecordStatus.PRESENT,
            desired=journal.fields(fields),
            fields=None,
            deployment=journal.number,
            step="call",
        )


class CallRequest(Struct, frozen=True, kw_only=True):
    """One operation or event of an environment, with its arguments."""

    environment: EnvironmentRequest
    name: str
    """`INSTANCE.OPERATION`, or the event."""
    doing: ExecutionOptions
    arguments: Mapping[str, Value] = field(default_factory=dict[str, Value])
    anew: bool = False
    """Start over, even if the same call was interrupted."""


class _CallSelection(Struct, frozen=True, kw_only=True, eq=False):
    """The operations to run, and the key that identifies the same call in the history."""

    verb: str
    about: Mapping[str, Any]
    called: Mapping[str, CalledResource]
    offers: Sequence[CallableOperation] = ()


def list_operations(request: EnvironmentRequest) -> tuple[PreparedEnvironment, list[CallableOperation]]:
    """Return the evaluated environment and every operation that can be called on it."""
    with open_state(request, create=False) as store:
        prepared = prepare_environment(request, store, only_described=True)
        return prepared, list_callables(prepared, store)


def call_path(request: CallRequest) -> DeployResult:
    """Run one operation."""

    def choose(prepared: PreparedEnvironment, store: StateStore) -> _CallSelection:
        offer = find_callable(request.name, list_callables(prepared, store))
        arguments = complete_arguments(offer, request.arguments)
        about = {"operation": offer.words, "arguments": encode_value(dict(arguments))}
        called = build_call_resources(offer, arguments, prepared, store)
        _report_idle(offer, called, request)
        return _CallSelection(verb="call", about=about, called=called, offers=[offer])

    return _run_call(request, choose)


def notify_path(request: CallRequest) -> DeployResult:
    """Run every operation that handles an event."""

    def choose(prepared: PreparedEnvironment, store: StateStore) -> _CallSelection:
        every = list_callables(prepared, store)
        waiting = [offer for offer in every if request.name in offer.events]
        if not waiting:
            events = {event for offer in every for event in offer.events}
            names = f"there are {', '.join(sorted(events))}" if events else "nothing here waits for any"
            hint = did_you_mean(request.name, events) or names
            # The sender of an event need not know which operations handle it.
            request.doing.notice(f"nothing waits for the event {request.name!r}: {hint}")
        about = {"event": request.name, "arguments": encode_value(dict(request.arguments))}
        called = _collect_resources(waiting, request, prepared, store)
        return _CallSelection(verb="notify", about=about, called=called, offers=waiting)

    return _run_call(request, choose)


def _report_idle(
    offer: CallableOperation, called: Mapping[str, CalledResource], request: CallRequest
) -> None:
    if not called:
        request.doing.notice(
            f"{offer.words} has nothing to do as things are: its condition does not hold, or all is done"
        )


def _collect_resources(
    waiting: Sequence[CallableOperation],
    request: CallRequest,
    prepared: PreparedEnvironment,
    store: StateStore,
) -> dict[str, CalledResource]:
    called: dict[str, CalledResource] = {}
    for offer in waiting:
        ours = {name: value for name, value in request.arguments.items() if name in offer.arguments}
        resources = build_call_resources(offer, complete_arguments(offer, ours), prepared, store)
        _report_idle(offer, resources, request)
        twice = called.keys() & resources.keys()
        if twice:
            raise DeployError(
                f"{offer.words} and another operation would both run {', '.join(sorted(twice))}"
            )
        called |= resources
    return called


def _run_call(request: CallRequest, choose: Any) -> DeployResult:
    with open_state(request.environment, create=True) as store:
        prepared = prepare_environment(request.environment, store)
        if prepared.failed:
            return DeployResult(findings=prepared.findings)
        options = request.doing.options(request.environment, prepared.context)
        with hold_environment(store, prepared.context, options) as writer:
            deployer = Deployer(store, writer, prepared.targets, prepared.context, options)
            recovered = deployer.recover()
            prepared = refresh_preparation(prepared, request.environment, store, recovered)
            if prepared.failed:
                return DeployResult(findings=prepared.findings)
            return _apply_call(request, choose(prepared, store), prepared, store, deployer, recovered)


def _apply_call(
    request: CallRequest,
    chosen: _CallSelection,
    prepared: PreparedEnvironment,
    store: StateStore,
    deployer: Deployer,
    recovered: RecoveryResult,
) -> DeployResult:
    _refuse_unfinished(recovered)
    continued = None if request.anew else _find_interrupted(store, chosen)
    done = _find_completed_keys(store, continued)
    plan = build_call_plan(
        CallPlanRequest(
            environment=prepared.name,
            serial=prepared.snapshot.serial,
            called=chosen.called,
            records=prepared.snapshot.records,
            observed=prepared.snapshot.observed,
            done=done,
        )
    )
    deployed = DeployResult(findings=prepared.findings, plan=plan)
    if continued is not None:
        request.doing.notice(
            f"going on with {chosen.verb} {continued}, which was cut off (--anew: from the start)"
        )
    if not plan.steps:
        deployer.let_go(calls=True)
        return deployed
    _refuse_unknown(plan, recovered)
    operations = tuple(offer.words for offer in chosen.offers)
    if not request.doing.consent(ConfirmationRequest(plan=plan, recovered=recovered, operations=operations)):
        return replace(deployed, refused=True)
    document = {**plan_document(plan), chosen.verb: chosen.about}
    if continued is not None:
        document["continues"] = continued
    result = deployer.deploy(plan, verb=chosen.verb, document=document)
    if result.state is DeploymentState.DONE:
        record_settled(chosen.offers, prepared, store, deployer.journal)
    return replace(deployed, result=result)


def _refuse_unfinished(recovered: RecoveryResult) -> None:
    """Raise an error if a deployment has unfinished steps: only the next deployment may resume them."""
    left = [key for key, step in recovered.open.items() if not step.is_call]
    if left:
        raise DeployError(
            f"a deployment was cut off at {', '.join(left[:5])}: finish it with `sabir deploy` first"
        )


def _refuse_unknown(plan: Plan, recovered: RecoveryResult) -> None:
    unknown = dict(recovered.unknown)
    for step in plan.steps:
        if step.key in unknown:
            raise DeployError(
                f"the outcome of {step.key} is unknown: look at {unknown[step.key]}, "
                "then settle it with `sabir resolve`"
            )


def _find_interrupted(store: StateStore, chosen: _CallSelection) -> int | None:
    """Return the number of the same call if it was the last of its kind and was interrupted."""
    for deployment in reversed(store.deployments()):
        if (
            deployment.verb == chosen.verb
            and store.plan_document(deployment.number).get(chosen.verb) == chosen.about
        ):
            open_states = (DeploymentState.INTERRUPTED, DeploymentState.UNKNOWN)
            return deployment.number if deployment.state in open_states else None
    return None


def _find_completed_keys(store: StateStore, number: int | None) -> set[str]:
    """Return the keys of the steps that a call, and the calls that it resumed, have completed."""
    done: set[str] = set()
    while number is not None:
        done |= {step.key for step in store.steps(number, states=(StepState.DONE, StepState.NON_COMPLIANT))}
        number = store.plan_document(number).get("continues")
    return done
