"""What the store answers with: resources as they are recorded, deployments, steps, events."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

import msgspec
from msgspec import Struct, field, structs

from sabir.deployments.store.stored import stored, stored_text

__all__ = [
    "DeploymentRecord",
    "DeploymentState",
    "EventRecord",
    "Fact",
    "RecordStatus",
    "ResourceRecord",
    "StepRecord",
    "StepState",
]


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
        names = () if requires == "[]" else stored_text(requires, tuple[str, ...], f"{subject}, requires")
        return stored(row, ResourceRecord, subject, requires=names)

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
        return stored(row, Fact, f"the fact {row['name']!r}", expired=bool(row["expired"]))

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
        return stored(row, StepRecord, f"step {row['key']!r} of deployment {row['deployment']}")


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
        audit = stored_text(row["audit"], dict[str, Any], f"{subject}, audit")
        return stored(row, DeploymentRecord, subject, audit=audit, counts=counts)


class EventRecord(Struct, frozen=True, kw_only=True):
    number: int
    at: str
    key: str | None
    state: str
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @staticmethod
    def of(row: Mapping[Any, Any]) -> EventRecord:
        subject = f"event {row['number']} of deployment {row['deployment']}"
        data = stored_text(row["data"], dict[str, Any], subject) if row["data"] else {}
        return stored(row, EventRecord, subject, data=data)
