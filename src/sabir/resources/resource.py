"""Resources that a project asks for, and operations that can be called on them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from sabir.graph.address import Address
from sabir.graph.origin import Origin
from sabir.graph.values import Value
from sabir.resources.secrets import SecretSource
from sabir.resources.target import Target

if TYPE_CHECKING:
    from sabir.diagnostics.finding import Finding


Observed = Mapping[str, Value]
"""Step outputs so far, by the text of an attribute's address: `db/server|public_address`."""


class Lifecycle(Struct, frozen=True, kw_only=True):
    """Restrictions on changes of a resource."""

    prevent_destroy: bool = False
    """A plan that would delete or replace it is refused."""
    ignore_changes: tuple[str, ...] = ()
    """Fields whose differences are ignored; `*`: all."""


class Resource(Struct, frozen=True, kw_only=True, eq=False):
    """Something that sabir manages on a target.

    It is either *managed* (a file, a Kubernetes object: it can be read and compared) or *run* (a script, an
    operation of a node, a whole program: it runs when it is new and again when its fields change). Its kind
    determines which.
    """

    address: Address
    kind: str
    desired: Mapping[str, Value] = field(default_factory=dict[str, Value])
    """Fields with their values, which may be sensitive or unknown."""
    target: str | None = None
    """The name of the target; None: the default one."""
    at: str | None = None
    """The name of its location in the project (an agent, a host). Without `target`, a target of that name is
    used if there is one."""
    driver: str | None = None
    """A driver of the language that works on the target; None: the driver of the target."""
    requires: tuple[Address, ...] = ()
    """What must exist before it, and is deleted after it."""
    reacts_to: tuple[Address, ...] = ()
    """After a change of one of these it is run (or, if it is managed, checked) again."""
    unless: tuple[Address, ...] = ()
    """If one of these is already recorded, it comes too late and is not started any more."""
    established: tuple[Address, ...] | None = None
    """It is run only by what it reacts to, and only if all of these were recorded before; None: also when it
    is new."""
    tolerates: bool = False
    """It comes after what it requires, and also runs if some of that failed: it decides itself what to do
    then."""
    lane: str | None = None
    """Steps of one lane never run at the same time: the operations of one host, the resources of one agent.
    """
    results: Mapping[str, Address] = field(default_factory=dict[str, Address])
    """The attribute that each output of its step becomes; outputs not listed are attributes of `address`."""
    feedback: Mapping[Address, tuple[Address, ...]] = field(
        default_factory=dict[Address, tuple[Address, ...]]
    )
    """Attributes that it both reads and reports, each with the resources of the same cycle that report it. A
    value from one of them does not count as a change of the resource."""
    late: Callable[[Observed], Mapping[str, Value]] | None = None
    """Computes `desired` from the observed values when the step is about to run. It must depend on nothing
    else. None: each named unknown is replaced by the value observed under its name."""
    foreseen: Callable[[], tuple[str, ...]] | None = None
    """Of a program: returns the expected effects of a dry run, one line each. Called when a plan is made."""
    origin: Origin | None = None
    origins: Mapping[str, Origin] = field(default_factory=dict[str, Origin])
    """Origins of the values of fields, by name."""
    takes_over: tuple[str, ...] = ()
    """Other kinds that the same thing may be recorded as: it is updated in place, not deleted first."""
    lifecycle: Lifecycle = Lifecycle()
    purges: bool = False
    """Its desired state is that it does not exist: its steps are shown as a purge."""
    report_only: bool = False
    """It is compared with its desired state and never changed; a difference is the outcome `non_compliant`.
    """
    when_changed: str | None = None
    """What a change of it means, for readers of a plan: `runs again, because …`."""
    links: tuple[str, ...] = ()
    """Addresses of the running resource, for `sabir status`."""
    timeout: float | None = None
    """Maximum seconds of a step; None: the value of the target, otherwise no limit."""
    retries: int | None = None
    """How many times a failed step is repeated; None: the value of the target, otherwise the default of the
    engine."""


class Operation(Struct, frozen=True, kw_only=True, eq=False):
    """Something that can be called after deployment: a public method, an operation or workflow, an action."""

    address: Address
    """Of the instance that it belongs to."""
    name: str
    arguments: Mapping[str, Value] = field(default_factory=dict[str, Value])
    """Names of its arguments with their defaults; UNKNOWN for a required one."""
    schema: Callable[[], Mapping[str, Any]] | None = None
    """Returns the JSON Schema of the arguments, where more is known than names and defaults."""
    resources: Callable[[Mapping[str, Value]], tuple[Resource, ...]]
    """Returns what a call with these arguments runs: resources of kinds that run, in order. They run each
    time, and only their outputs are recorded. They may require deployed resources. An empty tuple means
    nothing to do, as for a trigger whose condition does not hold. Invalid arguments raise `UsageError`."""
    settles: Callable[[], Collection[Address]] | None = None
    """Returns the resources that it has brought to their desired state once it succeeded. They are recorded
    so, and the next deployment has nothing to do for them."""
    about: str | None = None
    events: tuple[str, ...] = ()
    """Events that call it: `sabir notify ENV EVENT` calls every operation that lists EVENT, in the order of
    the project, each with the arguments of the event that it accepts. A trigger of a policy is an operation
    of the policy with its event."""


class PendingResource(Struct, frozen=True, kw_only=True):
    """Something that cannot be evaluated yet, because it depends on step outputs.

    As long as there is one, nothing is deleted for being absent from the project: it may only be absent so
    far. After the steps that can run, everything is evaluated again, and what is known then is planned and
    applied in the same deployment.
    """

    address: Address
    """What is not known yet: an instance, or a part as a whole."""
    reason: str
    """What it waits for, in the user's terms: `it needs db/server.address`."""


class DesiredResources(Struct, frozen=True, kw_only=True):
    """Desired resources of a project. Findings with errors forbid deletions."""

    resources: tuple[Resource, ...] = ()
    operations: tuple[Operation, ...] = ()
    targets: tuple[Target, ...] = ()
    """Targets that the project itself defines."""
    naming_targets: str | None = None
    """How a project of this language can define one itself, for a user without a matching target."""
    lifecycles: Mapping[str, Lifecycle] = field(default_factory=dict[str, Lifecycle])
    """By the text of an address, also of resources that left the project."""
    findings: tuple[Finding, ...] = ()
    idle: tuple[Finding, ...] = ()
    """Findings for a project without any resource: what it means then, and for which audience."""
    secrets: tuple[SecretSource, ...] = ()
    """Sources of the secrets that are referred to."""
    moved: Mapping[str, str] = field(default_factory=dict[str, str])
    """Renamed resources: the text of the old address, and of the new one."""
    pending: tuple[PendingResource, ...] = ()
    """What is not known yet. A resource with an unknown value need not be listed: the plan reports it."""
