"""What the store answers with: resources as they are recorded, deployments, steps, events.

Intents: what a step was going to do, written before it did anything.

Enough to look for it, to record it and to do it, when nobody remembers the description any more.

What a state holds at one moment, and what it held when a step of an unfinished deployment ran.
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
    PRESENT = "present"
    FAILED = "failed"
    """A step on it failed: it may be there in part."""
    UNKNOWN = "unknown"
    """The outcome of a step on it is not known; `sabir resolve` settles it."""


class StepState(Enum):
    """`waiting → ready → intent → done | non_compliant | failed | unknown | cancelled`. What is done, failed or cancelled stays so;
    what is unknown until somebody finds out."""

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
        return self in _FINAL

    @property
    def succeeded(self) -> bool:
        """Whether steps that require it may run."""
        return self in (StepState.DONE, StepState.NON_COMPLIANT)


_FINAL = frozenset(
    {StepState.DONE, StepState.NON_COMPLIANT, StepState.FAILED, StepState.UNKNOWN, StepState.CANCELLED}
)


class DeploymentState(Enum):
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    INTERRUPTED = "interrupted"


class ResourceRecord(Struct, frozen=True, kw_only=True):
    """A resource as it was last written. `desired` and `fields` are texts of the codec: most are only compared."""

    address: str
    kind: str
    target: str
    driver: str
    status: RecordStatus
    id: str | None = None
    desired: str = "{}"
    fields: str | None = None
    """The resource as the target gave it back; None: as it was wanted."""
    requires: tuple[str, ...] = ()
    deployment: int = 0
    step: str = ""
    origin: str | None = None
    """`FILE:LINE` of what described it."""

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
    """A value that was observed: what a step gave back."""

    name: str
    """The text of the attribute's address that it became."""
    address: str
    """The resource that it goes with: it is forgotten when that is."""
    value: str
    """`{"value": …}` as the codec writes it."""
    deployment: int
    step: str
    position: int
    """Which step of the deployment, counted from 1; 0 when that was not written down."""
    at: str
    expired: bool = False
    """It does not count any more; the step that gave it is taken again."""

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
    """A step as the journal has it."""

    deployment: int
    key: str
    position: int
    address: str
    kind: str
    target: str
    driver: str
    action: str
    operation_id: str
    state: StepState
    attempt: int = 0
    not_before: float | None = None
    task: str | None = None
    message: str | None = None

    @staticmethod
    def of(row: Mapping[Any, Any]) -> StepRecord:
        return convert_row(row, StepRecord, f"step {row['key']!r} of deployment {row['deployment']}")


class DeploymentRecord(Struct, frozen=True, kw_only=True):
    number: int
    verb: str
    """`deploy`, `destroy`, `call` …"""
    state: DeploymentState
    started: str
    ended: str | None = None
    audit: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Who, from which commit, with which digest of the description, by which sabir."""
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    """Steps by their state."""

    @staticmethod
    def of(row: Mapping[Any, Any], counts: Mapping[str, int]) -> DeploymentRecord:
        subject = f"deployment {row['number']}"
        audit = decode_column(row["audit"], dict[str, Any], f"{subject}, audit")
        return convert_row(row, DeploymentRecord, subject, audit=audit, counts=counts)


class EventRecord(Struct, frozen=True, kw_only=True):
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
    operation: str | None
    arguments: str
    """As the codec writes them."""


class Intent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    desired: str
    """The fields of the resource, as the codec writes them."""
    id: str | None
    requires: tuple[str, ...] = ()
    results: Mapping[str, str] = field(default_factory=dict[str, str])
    call: IntentCall | None = None
    """The operation that is called; nothing of the resource is recorded then."""
    origin: str | None = None
    report_only: bool = False
    """The resource is only compared: however far the step came, it changed nothing."""

    @property
    def text(self) -> str:
        return msgspec.json.encode(self).decode("utf-8")

    def reencrypt(self, codec: Codec) -> Intent:
        """With its secrets under the newest key."""
        call = self.call
        if call is not None:
            call = replace(call, arguments=codec.write(codec.read(call.arguments)))
        return replace(self, desired=codec.write(codec.read(self.desired)), call=call)


def intent_of(step: StepRecord) -> Intent:
    """What a step was going to do; nothing, when it was not begun."""
    subject = f"the intent of {step.key!r} in deployment {step.deployment}"
    intent: Intent = decode_column(step.task or '{"desired":"{}","id":null}', Intent, subject)
    return intent


class Snapshot(Struct, frozen=True, kw_only=True, eq=False):
    serial: int
    """The number of the state: another one tells that it has moved on."""
    records: Mapping[str, ResourceRecord]
    """Every resource that is recorded, by the text of its address."""
    facts: Mapping[str, Fact]
    """What steps gave back, expired ones among them."""
    observed: Mapping[str, Value]
    """The values of the facts that count."""


class Unfinished(Struct, frozen=True, kw_only=True, eq=False):
    """The last deployments, as far back as none of them ended well: the next one resumes them."""

    numbers: frozenset[int] = frozenset()
    is_open: bool = False
    """Whether the last of them was cut off and nothing has been done about it since."""
    positions: Mapping[tuple[int, str], int] = {}
    """The position of each step, by deployment and key."""
    before: Mapping[str, Value] = {}
    """What had been observed before them."""
    snapshot: Snapshot | None = None

    def values_then(self, record: ResourceRecord) -> Mapping[str, Value] | None:
        """Return what had been observed when a resource had its step; None when that was in an earlier deployment."""
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
