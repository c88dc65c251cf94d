"""Operations that can be called on an environment: those that its languages define, and those of resource
kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, field

from sabir.deployments.placement import find_missing_permission, place_resources
from sabir.deployments.plan.calls import CalledResource
from sabir.deployments.plan.steps import PlannedCall
from sabir.deployments.store.records import ResourceRecord
from sabir.deployments.store.store import StateStore
from sabir.diagnostics.finding import Finding, Severity
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import DeployError, FindingError, UsageError
from sabir.graph.json.values import encode_value
from sabir.graph.values import Unknown, Value
from sabir.operations.deployment.inspection import place_record
from sabir.operations.deployment.preparation import PreparedEnvironment
from sabir.resources.resource import DesiredResources, Operation

_MOST: Final = 12


class CallableOperation(Struct, frozen=True, kw_only=True, eq=False):
    """One operation, with the address that it is called on and the defaults of its arguments."""

    address: str
    name: str
    arguments: Mapping[str, Value] = field(default_factory=dict[str, Value])
    about: str | None = None
    events: tuple[str, ...] = ()
    operation: Operation | None = None
    """Defined by a language; None for an operation of the kind of `record`."""
    record: ResourceRecord | None = None

    @property
    def words(self) -> str:
        """Return the name with which it is called: `INSTANCE.OPERATION`."""
        return f"{self.address}.{self.name}" if self.address else self.name

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of each argument, by name."""
        if self.operation is not None and self.operation.schema is not None:
            return {**self.operation.schema()}
        return {
            "type": "object",
            "properties": {name: _describe_default(value) for name, value in self.arguments.items()},
            "required": [name for name, value in self.arguments.items() if isinstance(value, Unknown)],
            "additionalProperties": False,
        }


def _describe_default(default: Value) -> dict[str, Any]:
    """Derive the JSON Schema of an argument from its default value."""
    match default:
        case bool():
            return {"type": "boolean", "default": default}
        case int():
            return {"type": "integer", "default": default}
        case float():
            return {"type": "number", "default": default}
        case str():
            return {"type": "string", "default": default}
        case _:
            return {} if isinstance(default, Unknown) else {"default": encode_value(default)}


def list_callables(prepared: PreparedEnvironment, store: StateStore) -> list[CallableOperation]:
    """Return every operation: those of the project in source order, then those of resource kinds."""
    described = [
        CallableOperation(
            address=str(operation.address),
            name=operation.name,
            arguments=operation.arguments,
            about=operation.about,
            events=operation.events,
            operation=operation,
        )
        for operation in prepared.wanted.operations
    ]
    return [*described, *_list_kind_operations(prepared, store)]


def _list_kind_operations(prepared: PreparedEnvironment, store: StateStore) -> Iterator[CallableOperation]:
    for address, record in prepared.snapshot.records.items():
        try:
            kind = prepared.targets.kind(prepared.targets.driver(record.driver), record.kind)
        except DeployError:
            continue  # its driver is missing: deploy and status report that
        if not kind.operations:
            continue
        if kind.callable_on is not None and not kind.callable_on(store.codec.read(record.desired)):
            continue
        for name, about in kind.operations.items():
            yield CallableOperation(address=address, name=name, about=about, record=record)


def find_callable(word: str, every: Sequence[CallableOperation]) -> CallableOperation:
    """Find `INSTANCE.OPERATION` by address, or by the name at its end; an operation alone if it is unique."""
    for meant in (
        [offer for offer in every if offer.words == word],
        [offer for offer in every if f"{offer.address.rpartition('/')[2]}.{offer.name}" == word],
        [offer for offer in every if offer.name == word],
    ):
        if len(meant) == 1:
            return meant[0]
        if meant:
            raise UsageError(f"{word!r} could be {' or '.join(offer.words for offer in meant[:_MOST])}")
    hint = did_you_mean(word, [offer.words for offer in every])
    if hint is None:
        names = ", ".join(offer.words for offer in every[:_MOST]) + (" …" if len(every) > _MOST else "")
        hint = f"there are {names}" if every else "nothing here can be called"
    raise UsageError(f"there is no operation {word!r}: {hint}")


def complete_arguments(offer: CallableOperation, arguments: Mapping[str, Value]) -> dict[str, Value]:
    """Return the arguments with their defaults; raise `UsageError` for an unknown or missing argument."""
    for name in arguments:
        if name not in offer.arguments:
            takes = ", ".join(offer.arguments)
            hint = did_you_mean(name, offer.arguments) or (f"it takes {takes}" if takes else "it takes none")
            raise UsageError(f"{offer.words} has no argument {name!r}: {hint}")
    taken = {**offer.arguments, **arguments}
    missing = [name for name, value in taken.items() if isinstance(value, Unknown)]
    if missing:
        options = " ".join(f"--arg {name}=VALUE" for name in missing)
        raise UsageError(f"{offer.words} needs {', '.join(missing)}: give {options}")
    return taken


def build_call_resources(
    offer: CallableOperation, arguments: Mapping[str, Value], prepared: PreparedEnvironment, store: StateStore
) -> dict[str, CalledResource]:
    """Build the resources that the call runs; raise `FindingError` if they are not valid."""
    if offer.record is not None:
        return {offer.address: _build_kind_resource(offer, offer.record, prepared, store)}
    assert offer.operation is not None
    resources = offer.operation.resources(arguments)
    trust, records = prepared.context.session.trust, prepared.snapshot.records
    placing = place_resources(
        DesiredResources(resources=resources), prepared.targets, trust, deployed={*records, *prepared.placed}
    )
    _raise_errors(placing.findings)
    for placed in placing.by_address.values():
        for required in map(str, placed.resource.requires):
            if required not in placing.by_address and required not in records:
                raise DeployError(f"{offer.words} requires {required}, which is not deployed yet")
    call = PlannedCall(name=offer.name, arguments=arguments)
    return {
        address: CalledResource(placed=placed, call=call) for address, placed in placing.by_address.items()
    }


def _build_kind_resource(
    offer: CallableOperation, record: ResourceRecord, prepared: PreparedEnvironment, store: StateStore
) -> CalledResource:
    placed = place_record(prepared.targets, store, record)
    problem = find_missing_permission(placed, prepared.context.session.trust)
    _raise_errors(() if problem is None else (problem,))
    return CalledResource(
        placed=placed, call=PlannedCall(name=offer.name, operation=offer.name), record=record
    )


def _raise_errors(findings: Sequence[Finding]) -> None:
    if any(finding.severity is Severity.ERROR for finding in findings):
        raise FindingError(findings)
