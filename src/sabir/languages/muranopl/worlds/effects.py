"""Effects: what native classes ask a world for, and how it can fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Protocol

from msgspec import Struct


class EffectKind(StrEnum):
    """All there is to ask for. Those that only look are told apart from those that change something."""

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
    """One request."""

    kind: EffectKind
    arguments: Mapping[str, Any]
    branch: Branch = ()
    in_background: bool = False
    """Asked for by a push that nobody waits for."""


class ProgramReport(Struct, frozen=True, kw_only=True):
    """A line that the program tells its user; `source` is the id of the object that it is about."""

    level: str
    source: str | None
    line: str
    branch: Branch = ()


class World(Protocol):
    """Answers effects. Every answer is plain data."""

    def perform(self, effect: EffectRequest) -> Any: ...

    def begin(self, effect: EffectRequest) -> Callable[[], Any]:
        """Begin an effect that takes long; what comes back waits for its end and gives the answer."""
        ...

    def open_branches(self, parent: Branch, group: int, size: int) -> None:
        """Branches begin side by side; said before the first of them does anything, in the same order in every run."""
        ...

    def report(self, report: ProgramReport) -> None: ...


class NotConnectedError(Exception):
    """A change that there is no world for."""

    def __init__(self, kind: EffectKind) -> None:
        super().__init__(kind.value)
        self.kind = kind


class WorldFailure(Exception):
    """What was asked for failed. `name` is the name by which programs catch it."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name
