"""Targets: where resources are managed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from sabir.graph.values import Value

if TYPE_CHECKING:
    from sabir.resources.resource import Resource
    from sabir.text import Place


DEFAULT_TARGET: Final = "here"
"""The target that exists without a definition: this machine, under one directory."""


class Target(Struct, frozen=True, kw_only=True, eq=False):
    """A location with the driver that reaches it, as `targets:` of `sabir.yaml` defines it."""

    name: str
    driver: str
    settings: Mapping[str, Value] = field(default_factory=dict[str, Value])
    """Settings of the driver: a root directory, a host, a context; some may be sensitive."""
    contained: bool = False
    """It accepts only kinds that can be managed under its root directory, so that no machine is changed by
    accident. With `--here` the operator states that the machine itself is meant, and nothing is contained."""
    parallel: int | None = None
    """How many steps may run on it at once; None: no limit of its own."""
    timeout: float | None = None
    retries: int | None = None
    labels: tuple[str, ...] = ()
    """Only workers that have all of these reach it; none: the machine that runs the deployment does."""
    place: Place | None = None
    """Where it is defined."""

    def why_left(self, resource: Resource) -> str | None:  # noqa: ARG002
        """Return why a resource is only forgotten and not deleted; None: it is deleted."""
        return None
