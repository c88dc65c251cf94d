"""The driver protocol: read, diff, apply and delete resources.

Each entry point of the group `sabir.drivers` names one `Driver` object; the bundled drivers are registered
the same way. What is pure (kinds, settings, `diff`) is on the driver. What touches a target is on the
`Connection` that it opens, once per deployment. The engine calls a connection from one event loop, many calls
at a time: a driver that blocks does so in a thread (`asyncio.to_thread`).

What a driver guarantees:

- `read` changes nothing.
- `diff` is pure: the same arguments give the same changes. It is empty after an `apply` if nothing else touched the resource.
- `apply` brings the resource to `task.resource.desired`, whatever exists, and passes `task.operation_id` to the target
  wherever the target can store it. It is called again for the same id only if `observe` reported that it was not done, or if
  the kind is idempotent.
- `delete` of something that does not exist is done.
- Failures are outcomes with a message for the user. An exception is a bug of the driver; the engine records it as a failure.
- No secret is in a message, a log line or a plain (not `Sensitive`) value that it returns.

`RunDriver` and `RunConnection` are bases for drivers of resources that are run: there is nothing to compare
or to read.
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
    """None: the fields are open, and only the target knows which it accepts."""
    idempotent: bool = False
    """A step may be repeated without a lookup. Set it only if running it twice has the same effect as running
    it once."""
    runs: bool = False
    """It is run, not managed: there is nothing to read, and it runs again when its fields change."""
    reports: bool = False
    """Its driver handles resources that only report (`Resource.report_only`) itself: `apply` changes nothing
    for them."""
    tells: bool = False
    """Only the target knows what creating it would change: a plan with `--refresh` asks for new resources,
    too."""
    contained: bool = False
    """It can be managed under a root directory, so the default target accepts it."""
    overwrites: bool = False
    """Creating it replaces whatever else exists in its place. It is read first, and a step that would
    overwrite something else is refused. Kinds that only ensure something (a directory, a package) need not
    set it."""
    code: bool = False
    """It runs code of the project: scripts, handlers. That needs the permission of the operator."""
    stops: bool = False
    """The driver itself stops a task that runs out of time and reports it; the engine waits a moment longer
    for that."""
    operations: Mapping[str, str] = field(default_factory=dict[str, str])
    """Operations that can be called on it, with a short description each: `restart` of a service."""
    callable_on: Callable[[Mapping[str, Value]], bool] | None = None
    """Tells whether they can be called on a resource with these fields; None: on every one."""
    faults: Callable[[Mapping[str, Value]], Mapping[str, str]] | None = None
    """Returns problems of fields by name, beyond what their types show; values may still be unknown."""

    @property
    def replaced_by(self) -> frozenset[str]:
        """Fields whose change requires deleting and re-creating the resource."""
        return frozenset(name for name, declared in (self.fields or {}).items() if declared.replaces)

    @property
    def sensitive(self) -> frozenset[str]:
        return frozenset(name for name, declared in (self.fields or {}).items() if declared.sensitive)


class RecordedState(Protocol):
    """Queries of a driver to the state, to tell its own objects from others. They block."""

    def has_operation(self, operation_id: str, *, ran: bool = False) -> bool:
        """Tell whether there ever was a step with this operation id; with `ran`, one that ran something."""
        ...

    def has_id(self, target_id: str) -> bool:
        """Tell whether a recorded resource has this target id."""
        ...

    def recorded_effects(self, kinds: Sequence[str]) -> Sequence[RecordedEffect]:
        """Return the effects of these kinds by programs of all environments of the state, oldest first."""
        ...


class DriverContext(Struct, frozen=True, kw_only=True, eq=False):
    """The environment of a connection."""

    session: Session = field(default_factory=Session)
    folder: Path = field(default_factory=Path)
    """The directory of the environment, which relative source names start from."""
    state_folder: Path = field(default_factory=lambda: Path(".sabir"))
    """Whatever a driver stores on this machine (marks, copies) goes into its own directory under this one."""
    targets: Mapping[str, Target] = field(default_factory=dict[str, Target])
    """All targets of the environment, for drivers that reach several."""
    environment: str = "environment"
    """The name of the environment, for labels and field managers."""
    secrets: tuple[SecretSource, ...] = ()
    """Sources of secrets. A driver never sees a reference: its values are revealed before."""
    recorded: RecordedState | None = None
    """The state; None where it is not available, as on another machine. A driver then chooses what is safe.
    """


class Connection(Protocol):
    """An open connection of a driver to one target."""

    async def read(self, resource: Resource, target_id: str | None) -> ResourceReading:
        """Return the actual state of a resource. It is not called for a kind that runs."""
        ...

    async def apply(self, task: Task, effects: Effects) -> Outcome:
        """Create, update, check or run a resource. `effects` are for kinds that are programs; others ignore
        them."""
        ...

    async def delete(self, task: Task, effects: Effects) -> Outcome:
        """Delete a resource; for one that was run: undo it, if possible."""
        ...

    async def observe(self, task: Task) -> Observation:
        """Find out whether the step with this operation id was done, without changing anything."""
        ...

    async def call(self, task: Task, operation: str, effects: Effects) -> Outcome:
        """Run one of the operations that the kind declares."""
        ...


class Driver(Protocol):
    """Knows some kinds of resources, and connects to targets that hold them."""

    @property
    def name(self) -> str: ...

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """The kinds it supports, by name; `*` for any that it does not list."""
        ...

    def settings(self) -> Mapping[str, Field]:
        """Return the settings of its targets, in addition to `driver`."""
        ...

    def diff(self, resource: Resource, reading: ResourceReading) -> Sequence[FieldChange]:
        """Return the fields that differ from the desired state. Pure."""
        ...

    def connect(self, target: Target, context: DriverContext) -> AbstractAsyncContextManager[Connection]:
        """Open a target. Raises `DeployError` that names the credentials if they are rejected."""
        ...


def require_permission(context: DriverContext, reason: str) -> None:
    """Raise `DeployError` unless the operator permits running scripts. For drivers that run code of a
    project.

    Permission was checked before planning, but the deletion of a resource that left the project is not placed
    then.
    """
    if not context.session.trust.scripts:
        raise DeployError(f"{reason}: give --trust scripts when you trust it")


class RunDriver:
    """A driver whose targets have no settings unless it overrides them."""

    def settings(self) -> Mapping[str, Field]:
        return {}

    def diff(self, resource: Resource, reading: ResourceReading) -> Sequence[FieldChange]:  # noqa: ARG002  nothing is kept
        return ()


class NoOperations:
    """A connection whose resources have no operations."""

    async def call(self, task: Task, operation: str, effects: Effects) -> Outcome:  # noqa: ARG002  there is none
        raise DeployError(f"{task.resource.address} has no operation {operation!r}")


class RunConnection(NoOperations):
    """A connection for resources that are run: reading and deleting do nothing."""

    async def read(self, resource: Resource, target_id: str | None) -> ResourceReading:  # noqa: ARG002  it is not called
        return ResourceReading(exists=True)

    async def delete(self, task: Task, effects: Effects) -> Outcome:  # noqa: ARG002  what has run is over
        return Outcome(changed=False)
