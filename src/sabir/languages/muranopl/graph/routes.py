"""Which targets of an environment do what programs ask for: a cloud, or machines that are there already; a broker for agents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct, field

from sabir.diagnostics.finding import Finding
from sabir.languages.muranopl.worlds.effects import EffectKind
from sabir.resources.target import Target

__all__ = ["Routes", "routes_to"]

_MACHINES: Final = (EffectKind.MACHINE_CLAIM, EffectKind.MACHINE_RELEASE, EffectKind.MACHINE_PLAN)
_AGENTS: Final = (EffectKind.AGENT_CALL, EffectKind.AGENT_SEND)
_CLOUD: Final = (
    EffectKind.STACK_READ,
    EffectKind.STACK_CREATE,
    EffectKind.STACK_UPDATE,
    EffectKind.STACK_DELETE,
    EffectKind.NETWORK_LIST,
    EffectKind.ROUTER_CREATE,
    EffectKind.NAMESPACES,
    EffectKind.NAMESPACE_OBJECTS,
    EffectKind.USER,
    EffectKind.PROJECT,
    EffectKind.WORKFLOW_UPLOAD,
    EffectKind.WORKFLOW_RUN,
    EffectKind.WORKFLOW_READ,
)
_OF_MACHINES: Final = tuple(kind for kind in _CLOUD if not kind.value.startswith("mistral."))
"""What a pool of machines stands in for: all of a cloud but its workflows."""
_KINDS: Final[Mapping[str, tuple[EffectKind, ...]]] = {
    "machines": _MACHINES,
    "openstack-heat": _CLOUD,
    "amqp": _AGENTS,
}
"""What the drivers of targets do for programs."""


class Routes(Struct, frozen=True, kw_only=True):
    effects: Mapping[EffectKind, str] = field(default_factory=dict[EffectKind, str])
    has_machines: bool = False
    findings: tuple[Finding, ...] = ()

    def unserved(self, kinds: Iterable[EffectKind]) -> list[EffectKind]:
        """Those of `kinds` that no target does, each once."""
        stood_in_for = (*_AGENTS, *_OF_MACHINES) if self.has_machines else ()
        return [
            kind for kind in dict.fromkeys(kinds) if kind not in self.effects and kind not in stood_in_for
        ]


def routes_to(targets: Iterable[Target]) -> Routes:
    """The first target of each driver does what that driver does for programs."""
    effects: dict[EffectKind, str] = {}
    for target in targets:
        for kind in _KINDS.get(target.driver, ()):
            effects.setdefault(kind, target.name)
    has_machines = EffectKind.MACHINE_CLAIM in effects and EffectKind.STACK_CREATE not in effects
    return Routes(effects=effects, has_machines=has_machines)
