"""Drivers: who knows how to look at resources of some kinds, and how to change them.

The entry point group `sabir.drivers` names one `Driver` object each; ours come through the same door. What is pure (kinds,
settings, `diff`) is on the driver; what touches the world is on the `Connection` that it opens to a target, once for a
deployment. The engine calls a connection from one event loop, many calls at a time: a driver that blocks does so in a thread
(`asyncio.to_thread`).

What a driver promises:

- `read` changes nothing.
- `diff` is pure: the same arguments give the same changes. Empty after an `apply`, when nobody else touched the resource.
- `apply` brings the resource to `task.resource.desired` whatever is there, and passes `task.operation_id` to the target wherever
  the target can keep it. It may be called again for the same id only when `observe` said that it was not done, or when the kind is
  idempotent.
- `delete` of something that is not there is done.
- Failures are outcomes with a sentence for people. An exception is a fault of the driver; the engine records it as a failure.
- No secret is in a message, a log line or a plain (not `Sensitive`) value that comes back.

What drivers have in common whose resources are run, not kept: there is nothing to compare or to read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

from msgspec import Struct, field

from sabir.errors import DeployError
from sabir.graph.values import Value
from sabir.resources.effects import Effects, RecordedEffect
from sabir.resources.fields import Field
from sabir.resources.outcome import FieldChange, Observation, Outcome, ResourceReading
from sabir.resources.resource import Resource
from sabir.resources.secrets import SecretSource
from sabir.resources.step import Task
from sabir.resources.target import Target
from sabir.session import Session


class Kind(Struct, frozen=True, kw_only=True):
    """A kind of resource, as its driver declares it."""

    about: str
    fields: Mapping[str, Field] | None = None
    """None: the fields are open, and only the target can tell which it takes."""
    idempotent: bool = False
    """A step may be repeated without looking first. Say so only when doing it twice is the same as doing it once."""
    runs: bool = False
    """It is run, not kept: there is nothing to read, and it runs again when its fields change."""
    reports: bool = False
    """Its driver handles resources that only report (`Resource.report_only`) itself: `apply` changes nothing for them."""
    tells: bool = False
    """Only the target can tell what creating it would change: a plan that looks at the world asks for new ones, too."""
    contained: bool = False
    """It can be kept below a root folder, so the default target takes it."""
    overwrites: bool = False
    """Creating it replaces what somebody else may have put in its place: it is read first, and a step that would overwrite
    something else is refused. Kinds that only bring about what is wanted (a folder, a package) need not say so."""
    code: bool = False
    """It runs what a description brings: scripts, handlers. That needs the leave of the operator."""
    stops: bool = False
    """The driver itself ends a task that runs out of time, and says so; the engine leaves it a moment for that."""
    operations: Mapping[str, str] = field(default_factory=dict[str, str])
    """What can be called on it, with a few words each: `restart` of a service."""
    callable_on: Callable[[Mapping[str, Value]], bool] | None = None
    """Whether they can be called on a resource with these fields; None: on every one."""
    faults: Callable[[Mapping[str, Value]], Mapping[str, str]] | None = None
    """What is wrong with fields, by their names, beyond what their types show; values may be unknown yet."""

    @property
    def replaced_by(self) -> frozenset[str]:
        """Fields whose change means to delete and create anew."""
        return frozenset(name for name, declared in (self.fields or {}).items() if declared.replaces)

    @property
    def sensitive(self) -> frozenset[str]:
        return frozenset(name for name, declared in (self.fields or {}).items() if declared.sensitive)


class RecordedState(Protocol):
    """What a driver may ask the state, to tell what is its own from what is not. The calls read the state: they block."""

    def has_operation(self, operation_id: str, *, ran: bool = False) -> bool:
        """Whether there was ever a step with this operation id; `ran`: one that ran something, which is not recorded."""
        ...

    def has_id(self, target_id: str) -> bool:
        """Whether a resource that is recorded now has this id."""
        ...

    def recorded_effects(self, kinds: Sequence[str]) -> Sequence[RecordedEffect]:
        """Effects of these kinds that programs of all environments of the state had, oldest first."""
        ...


class DriverContext(Struct, frozen=True, kw_only=True, eq=False):
    """What surrounds a connection."""

    session: Session = field(default_factory=Session)
    folder: Path = field(default_factory=Path)
    """The folder of the environment: where relative names of sources begin."""
    state_folder: Path = field(default_factory=lambda: Path(".sabir"))
    """What a driver keeps on this machine (marks, copies) goes into a folder of its own below it."""
    targets: Mapping[str, Target] = field(default_factory=dict[str, Target])
    """All targets of the environment: a driver that reaches several places finds theirs here."""
    environment: str = "environment"
    """The name of the environment, for labels and field managers."""
    secrets: tuple[SecretSource, ...] = ()
    """Where secrets that are referred to come from. A driver never sees a reference: what it gets is revealed."""
    recorded: RecordedState | None = None
    """The state; None where it cannot be asked, as on another machine. A driver then chooses what is safe."""


class Connection(Protocol):
    """A driver at work on one target."""

    async def read(self, resource: Resource, target_id: str | None) -> ResourceReading:
        """The resource as it is now. For a kind that runs it is not called."""
        ...

    async def apply(self, task: Task, effects: Effects) -> Outcome:
        """Create, update, check or run. `effects` are for kinds that are programs; others need not look at them."""
        ...

    async def delete(self, task: Task, effects: Effects) -> Outcome:
        """Take it away; for what was run: undo it, where there is a way."""
        ...

    async def observe(self, task: Task) -> Observation:
        """Whether the step with this operation id was done, by looking at the target only."""
        ...

    async def call(self, task: Task, operation: str, effects: Effects) -> Outcome:
        """Run one of the operations that the kind declares."""
        ...


class Driver(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """The kinds it takes, by name; `*` for any that it does not list."""
        ...

    def settings(self) -> Mapping[str, Field]:
        """What its targets may say beside `driver`."""
        ...

    def diff(self, resource: Resource, reading: ResourceReading) -> Sequence[FieldChange]:
        """The fields that are not as they should be. Pure."""
        ...

    def connect(self, target: Target, context: DriverContext) -> AbstractAsyncContextManager[Connection]:
        """Open a target. Credentials that are refused are a `DeployError` that says which."""
        ...


def require_permission(context: DriverContext, reason: str) -> None:
    """For drivers that run code of a description. It was asked for before a plan, but what is no longer described is
    ended without having been placed."""
    if not context.session.trust.scripts:
        raise DeployError(f"{reason}: give --trust scripts when you trust it")


class RunDriver:
    """A driver whose targets have no settings, unless it says otherwise."""

    def settings(self) -> Mapping[str, Field]:
        return {}

    def diff(self, resource: Resource, reading: ResourceReading) -> Sequence[FieldChange]:  # noqa: ARG002  nothing is kept
        return ()


class NoOperations:
    """A connection whose resources have no operations."""

    async def call(self, task: Task, operation: str, effects: Effects) -> Outcome:  # noqa: ARG002  there is none
        raise DeployError(f"{task.resource.address} has no operation {operation!r}")


class RunConnection(NoOperations):
    async def read(self, resource: Resource, target_id: str | None) -> ResourceReading:  # noqa: ARG002  it is not called
        return ResourceReading(exists=True)

    async def delete(self, task: Task, effects: Effects) -> Outcome:  # noqa: ARG002  what has run is over
        return Outcome(changed=False)
