"""Effects: the requests of system classes to a world, and their failures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Protocol

from msgspec import Struct

from sabir.errors import SabirError


class EffectKind(StrEnum):
    """All kinds of effects. Those that only read are distinguished from those that change something."""

    STACK_READ = "heat.read"
    STACK_CREATE = "heat.create"
    STACK_UPDATE = "heat.update"
    STACK_DELETE = "heat.delete"
    AGENT_CALL = "agent.call"
    AGENT_SEND = "agent.send"
    TRACK = "notify.track_instance"
    UNTRACK = "notify.untrack_instance"
    NETWORK_LIST = "neutron.list"
    ROUTER_CREATE = "neutron.create_router"
    NAMESPACES = "glance.namespaces"
    NAMESPACE_OBJECTS = "glance.objects"
    USER = "keystone.user"
    PROJECT = "keystone.project"
    WORKFLOW_UPLOAD = "mistral.upload"
    WORKFLOW_RUN = "mistral.run"
    WORKFLOW_READ = "mistral.read"
    MACHINE_CLAIM = "machine.claim"
    MACHINE_RELEASE = "machine.release"
    MACHINE_PLAN = "machine.plan"
    PROGRAM = "program"
    PAUSE = "pause"
    RANDOM = "random"
    CLOCK = "clock"

    @property
    def only_looks(self) -> bool:
        return self in _LOOKING


_LOOKING = frozenset(
    (
        EffectKind.STACK_READ,
        EffectKind.NETWORK_LIST,
        EffectKind.NAMESPACES,
        EffectKind.NAMESPACE_OBJECTS,
        EffectKind.USER,
        EffectKind.PROJECT,
        EffectKind.WORKFLOW_READ,
        EffectKind.PROGRAM,
        EffectKind.PAUSE,
        EffectKind.RANDOM,
        EffectKind.CLOCK,
    )
)


Branch = tuple[tuple[int, int], ...]
"""A place in the threads of a program: group and number in it, from the outside in."""


class EffectRequest(Struct, frozen=True, kw_only=True):
    """One request to a world."""

    kind: EffectKind
    arguments: Mapping[str, Any]
    branch: Branch = ()
    in_background: bool = False
    """Asked for by a push that nobody waits for."""


class ProgramReport(Struct, frozen=True, kw_only=True):
    """A line that the program reports to its user; `source` is the id of the object that it is about."""

    level: str
    source: str | None
    line: str
    branch: Branch = ()


class World(Protocol):
    """Performs effects. Every result is plain data."""

    def perform(self, effect: EffectRequest) -> Any: ...

    def begin(self, effect: EffectRequest) -> Callable[[], Any]:
        """Start an effect that takes long; the returned function waits for its end and returns the result."""
        ...

    def open_branches(self, parent: Branch, group: int, size: int) -> None:
        """Announce branches that run in parallel, before the first of them starts; the order is the same in every run."""
        ...

    def report(self, report: ProgramReport) -> None: ...


class NotConnectedError(SabirError):
    """A change was requested, but no world is connected."""

    def __init__(self, kind: EffectKind) -> None:
        super().__init__(kind.value)
        self.kind = kind


class WorldError(SabirError):
    """An effect failed. Programs catch the failure by `name`."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name
