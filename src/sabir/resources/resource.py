"""Resources: the things in the world that a description asks for, and what can be called on them."""

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
"""What steps gave back so far, by the text of an attribute's address: `db/server|public_address`."""


class Lifecycle(Struct, frozen=True, kw_only=True):
    """What may happen to a resource, beyond what its description says."""

    prevent_destroy: bool = False
    """A plan that would delete or replace it is refused."""
    ignore_changes: tuple[str, ...] = ()
    """Fields whose differences are left alone; `*`: all."""


class Resource(Struct, frozen=True, kw_only=True, eq=False):
    """A thing that sabir keeps in the world.

    Either it is *kept* (a file, a Kubernetes object: it can be read and compared), or it is *run* (a script, an operation
    of a node, a whole program: it is run when it is new and again when its fields change). Its kind says which.
    """

    address: Address
    kind: str
    desired: Mapping[str, Value] = field(default_factory=dict[str, Value])
    """Fields with their values, sensitive and unknown ones among them."""
    target: str | None = None
    """The target by name; None: the default one."""
    at: str | None = None
    """What its place is called where it is described (an agent, a host): with no `target`, the target of that name takes it when
    there is one."""
    driver: str | None = None
    """A driver that the language brings and that works on the target; None: the driver of the target."""
    requires: tuple[Address, ...] = ()
    """What must be there before it, and goes after it."""
    reacts_to: tuple[Address, ...] = ()
    """When one of these was changed, it is run (or, when it is kept, looked at) again after that."""
    unless: tuple[Address, ...] = ()
    """When one of these was done before, it comes too late and is not begun any more."""
    established: tuple[Address, ...] | None = None
    """It is run only by what it reacts to, and only when all of these had been done before; None: also when it is new."""
    tolerates: bool = False
    """It comes after what it requires, and is run also when some of that failed: it decides itself what to do then."""
    lane: str | None = None
    """Steps of one lane never run at the same time: the operations of one host, the resources of one agent."""
    results: Mapping[str, Address] = field(default_factory=dict[str, Address])
    """The attribute that each result of its step becomes; those not named here are attributes of `address`."""
    feedback: Mapping[Address, tuple[Address, ...]] = field(
        default_factory=dict[Address, tuple[Address, ...]]
    )
    """Attributes that it both reads and gives, each with the resources of the same cycle that give it. A value that one of them
    gave is no change of the resource."""
    late: Callable[[Observed], Mapping[str, Value]] | None = None
    """Computes `desired` when the step is about to run, from what was observed by then. It must depend on nothing else.
    None: each unknown value that has a name is replaced by what was observed under it."""
    foreseen: Callable[[], tuple[str, ...]] | None = None
    """Of a program: finds out, by a dry run, what it would do, a line for each effect. Asked when a plan is made."""
    origin: Origin | None = None
    origins: Mapping[str, Origin] = field(default_factory=dict[str, Origin])
    """Where the values of fields came from, by name."""
    takes_over: tuple[str, ...] = ()
    """Other kinds that the same thing may be recorded as: it is looked at and brought to what is wanted, not taken away first."""
    lifecycle: Lifecycle = Lifecycle()
    purges: bool = False
    """Its desired state is that it is not there: steps on it are shown as a purge."""
    report_only: bool = False
    """It is compared with its desired state and never changed; a difference is the outcome `non_compliant`."""
    when_changed: str | None = None
    """What a change of it means, for people who read a plan: `runs again, because …`."""
    links: tuple[str, ...] = ()
    """Where it is reached once it is there: for people who ask for its status."""
    timeout: float | None = None
    """Seconds that a step on it may take; None: what the target says, else no limit."""
    retries: int | None = None
    """How often a step that failed is tried again; None: what the target says, else as the driver thinks fit."""


class Operation(Struct, frozen=True, kw_only=True, eq=False):
    """Something that can be called on what is deployed: a public method, an operation or workflow, an action."""

    address: Address
    """Of the instance it belongs to."""
    name: str
    arguments: Mapping[str, Value] = field(default_factory=dict[str, Value])
    """Names that it takes, with their defaults; UNKNOWN for one that must be said."""
    schema: Callable[[], Mapping[str, Any]] | None = None
    """Gives the JSON Schema of the arguments, where more is known of them than names and defaults."""
    resources: Callable[[Mapping[str, Value]], tuple[Resource, ...]]
    """What is run when it is called with these arguments: resources of kinds that run, with their order. They are run each time,
    and nothing of them is recorded but what they give back. They may require what is deployed. None at all: there is nothing
    to do, as for a trigger whose condition does not hold. Arguments that cannot be taken raise `UsageError`."""
    settles: Callable[[], Collection[Address]] | None = None
    """Finds out what it has brought to what is described once it succeeded. Those that are recorded are recorded so, and the next
    deployment has nothing to do with them."""
    about: str | None = None
    events: tuple[str, ...] = ()
    """Events that call it: `sabir notify ENV EVENT` calls every operation that names EVENT, in the order they are described,
    each with those arguments of the event that it takes. A trigger of a policy is an operation of the policy with its event."""


class PendingResource(Struct, frozen=True, kw_only=True):
    """Something that cannot be evaluated yet, because it rests on values that come back from steps.

    As long as there is one, nothing is deleted because it is not described: it may only not be described yet. After the steps
    that can be taken everything is evaluated again, and what can be said then is planned and done in the same deployment.
    """

    address: Address
    """What cannot be said anything of: an instance, a part as a whole."""
    reason: str
    """What it waits for, in the words of the user: `it needs db/server.address`."""


class DesiredResources(Struct, frozen=True, kw_only=True):
    """Everything that a description asks for. With an error among the findings nothing may be deleted because of it."""

    resources: tuple[Resource, ...] = ()
    operations: tuple[Operation, ...] = ()
    targets: tuple[Target, ...] = ()
    """Targets that the description itself names."""
    naming_targets: str | None = None
    """How a description of this language can name one itself, for who has none that takes its resources."""
    lifecycles: Mapping[str, Lifecycle] = field(default_factory=dict[str, Lifecycle])
    """By the text of an address, also of what is no longer described."""
    findings: tuple[Finding, ...] = ()
    idle: tuple[Finding, ...] = ()
    """What is to be said when nothing at all is wanted: what the description means then, and for whom."""
    secrets: tuple[SecretSource, ...] = ()
    """Where secrets that are referred to come from."""
    moved: Mapping[str, str] = field(default_factory=dict[str, str])
    """Resources that are called otherwise now: the text of the address they had, and of the one they have."""
    pending: tuple[PendingResource, ...] = ()
    """What cannot be foreseen yet. A resource with an unknown value need not be named here: the plan says so of it."""
