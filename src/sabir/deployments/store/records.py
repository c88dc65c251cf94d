"""Records of the store: resources, step outputs, deployments, steps, events, and snapshots of a state.

An intent (`Intent`) is what a step was about to do, written before it had any effect. It is enough to look
the step up, to record it and to repeat it, even if the project is no longer available.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

import msgspec
from msgspec import Struct, field, structs
from msgspec.structs import replace

from sabir.deployments.store.row_checks import convert_row, decode_column
from sabir.deployments.store.seal import Codec
from sabir.graph.values import Value


class RecordStatus(Enum):
    """What is known about a recorded resource."""

    PRESENT = "present"
    FAILED = "failed"
    """A step on it failed: it may exist in part."""
    UNKNOWN = "unknown"
    """The outcome of a step on it is unknown; `sabir resolve` settles it."""


class StepState(Enum):
    """The state of a step: `waiting -> ready -> intent -> done | non_compliant | failed | unknown |
    cancelled`.

    A retry goes back from `intent` to `ready`. Final states stay, except `unknown`, which recovery or `sabir
    resolve` settles.
    """

    WAITING = "waiting"
    READY = "ready"
    INTENT = "intent"
    DONE = "done"
    NON_COMPLIANT = "non_compliant"
    """Done, and the resource, which only reports, differs from its desired state."""
    FAILED = "failed"
    UNKNOWN = "unknown"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether the engine makes no further transition from this state."""
        return self in _FINAL

    @property
    def succeeded(self) -> bool:
        """Whether steps that require it may run."""
        return self in (StepState.DONE, StepState.NON_COMPLIANT)


_FINAL = frozenset(
    {StepState.DONE, StepState.NON_COMPLIANT, StepState.FAILED, StepState.UNKNOWN, StepState.CANCELLED}
)


class DeploymentState(Enum):
    """The state of a deployment; `running` after a crash until the next recovery."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    INTERRUPTED = "interrupted"


class ResourceRecord(Struct, frozen=True, kw_only=True):
    """A resource as it was last written.

    `desired` and `fields` are texts of the codec: most of them are only compared, never parsed.
    """

    address: str
    kind: str
    target: str
    driver: str
    status: RecordStatus
    id: str | None = None
    """The name that the target assigned, if it assigns names."""
    desired: str = "{}"
    fields: str | None = None
    """The resource as the target returned it; None: equal to `desired`."""
    requires: tuple[str, ...] = ()
    deployment: int = 0
    step: str = ""
    origin: str | None = None
    """`FILE:LINE` of its definition."""

    @staticmethod
    def of(row: Mapping[Any, Any]) -> ResourceRecord:
        subject = f"the record of {row['address']!r}"
        requires = row["requires"]
        names = () if requires == "[]" else decode_column(requires, tuple[str, ...], f"{subject}, requires")
        return convert_row(row, ResourceRecord, subject, requires=names)

    def row(self, environment: str) -> dict[str, Any]:
        return {
            "environment": environment,
            "address": self.address,
            "kind": self.kind,
            "target": self.target,
            "driver": self.driver,
            "status": self.status.value,
            "id": self.id,
            "desired": self.desired,
            "fields": self.fields,
            "requires": msgspec.json.encode(self.requires).decode("utf-8") if self.requires else "[]",
            "deployment": self.deployment,
            "step": self.step,
            "origin": self.origin,
        }


class Fact(Struct, frozen=True, kw_only=True):
    """A step output as the store keeps it."""

    name: str
    """The text of the address of the attribute that it became."""
    address: str
    """The resource that it belongs to; it is forgotten together with that."""
    value: str
    """`{"value": …}` as the codec writes it."""
    deployment: int
    step: str
    position: int
    """The position of the step in its deployment, from 1; 0 if it was not recorded."""
    at: str
    expired: bool = False
    """It no longer counts; the step that reported it runs again."""

    @staticmethod
    def of(row: Mapping[Any, Any]) -> Fact:
        return convert_row(row, Fact, f"the fact {row['name']!r}", expired=bool(row["expired"]))

    def row(self, environment: str) -> dict[str, Any]:
        return {**structs.asdict(self), "expired": int(self.expired), "environment": environment}

    @property
    def note(self) -> str:
        """`at step 14 of deployment 7`"""
        step = f"at step {self.position} of" if self.position else "in"
        return f"{step} deployment {self.deployment}"

    @property
    def words(self) -> str:
        return f"observed {self.note}"


class StepRecord(Struct, frozen=True, kw_only=True):
    """A step as the journal stores it."""

    deployment: int
    key: str
    position: int
    address: str
    kind: str
    target: str
    driver: str
    action: str
    operation_id: str
    """The same for all attempts, also of later deployments that continue the step."""
    state: StepState
    attempt: int = 0
    not_before: float | None = None
    """Time of the next attempt, in seconds since the epoch."""
    task: str | None = None
    """The text of its `Intent`; None before it started."""
    message: str | None = None

    @staticmethod
    def of(row: Mapping[Any, Any]) -> StepRecord:
        return convert_row(row, StepRecord, f"step {row['key']!r} of deployment {row['deployment']}")


class DeploymentRecord(Struct, frozen=True, kw_only=True):
    """A deployment as the history lists it."""

    number: int
    verb: str
    """`deploy`, `destroy`, `call` …"""
    state: DeploymentState
    started: str
    ended: str | None = None
    audit: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """User, commit, digest of the project and sabir version."""
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    """Number of steps by state."""

    @staticmethod
    def of(row: Mapping[Any, Any], counts: Mapping[str, int]) -> DeploymentRecord:
        subject = f"deployment {row['number']}"
        audit = decode_column(row["audit"], dict[str, Any], f"{subject}, audit")
        return convert_row(row, DeploymentRecord, subject, audit=audit, counts=counts)


class EventRecord(Struct, frozen=True, kw_only=True):
    """One entry of a deployment's log."""

    number: int
    at: str
    key: str | None
    state: str
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @staticmethod
    def of(row: Mapping[Any, Any]) -> EventRecord:
        subject = f"event {row['number']} of deployment {row['deployment']}"
        data = decode_column(row["data"], dict[str, Any], subject) if row["data"] else {}
        return convert_row(row, EventRecord, subject, data=data)


class IntentCall(Struct, frozen=True, kw_only=True):
    """The call in an intent: operation and arguments."""

    operation: str | None
    arguments: str
    """Text of the codec."""


class Intent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a step was about to do."""

    desired: str
    """The fields of the resource, as text of the codec."""
    id: str | None
    requires: tuple[str, ...] = ()
    results: Mapping[str, str] = field(default_factory=dict[str, str])
    call: IntentCall | None = None
    """The operation that is called; nothing of the resource is recorded then."""
    origin: str | None = None
    report_only: bool = False
    """The resource is only compared: however far the step got, it changed nothing."""

    @property
    def text(self) -> str:
        return msgspec.json.encode(self).decode("utf-8")

    def reencrypt(self, codec: Codec) -> Intent:
        """Return the intent with its secrets encrypted under the newest key."""
        call = self.call
        if call is not None:
            call = replace(call, arguments=codec.write(codec.read(call.arguments)))
        return replace(self, desired=codec.write(codec.read(self.desired)), call=call)


def intent_of(step: StepRecord) -> Intent:
    """Return the intent of a step; an empty one if the step never started."""
    subject = f"the intent of {step.key!r} in deployment {step.deployment}"
    intent: Intent = decode_column(step.task or '{"desired":"{}","id":null}', Intent, subject)
    return intent


class Snapshot(Struct, frozen=True, kw_only=True, eq=False):
    """The content of a state at one moment."""

    serial: int
    """The serial number of the state; another one means that the state has changed."""
    records: Mapping[str, ResourceRecord]
    """All recorded resources by the text of their address."""
    facts: Mapping[str, Fact]
    """Step outputs, including expired ones."""
    observed: Mapping[str, Value]
    """The values of the facts that have not expired."""


class Unfinished(Struct, frozen=True, kw_only=True, eq=False):
    """The last deployments, as far back as none of them ended well: the next one resumes them."""

    numbers: frozenset[int] = frozenset()
    is_open: bool = False
    """Whether the last of them was interrupted and has not been recovered yet."""
    positions: Mapping[tuple[int, str], int] = {}
    """The position of each step, by deployment and key."""
    before: Mapping[str, Value] = {}
    """Step outputs before these deployments."""
    snapshot: Snapshot | None = None

    def values_then(self, record: ResourceRecord) -> Mapping[str, Value] | None:
        """Return the step outputs that were known when a resource had its step; None if that was in an
        earlier deployment.

        An output that was reported later, or by a later step, is replaced by its value before these
        deployments.
        """
        if self.snapshot is None or record.deployment not in self.numbers:
            return None
        ran = record.deployment, self.positions.get((record.deployment, record.step), 0)
        values: dict[str, Value] = {}
        for name, value in self.snapshot.observed.items():
            fact = self.snapshot.facts[name]
            if fact.deployment < min(self.numbers) or (fact.deployment, fact.position) < ran:
                values[name] = value
            elif name in self.before:
                values[name] = self.before[name]
        return values
