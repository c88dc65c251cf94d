"""Targets: where resources are kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from sabir.graph.values import Value

if TYPE_CHECKING:
    from sabir.resources.resource import Resource
    from sabir.text import Place


DEFAULT_TARGET: Final = "here"
"""The target that is there without being described: this machine, below one folder."""


class Target(Struct, frozen=True, kw_only=True, eq=False):
    """A place with a driver that reaches it, as `targets:` of `sabir.yaml` names it."""

    name: str
    driver: str
    settings: Mapping[str, Value] = field(default_factory=dict[str, Value])
    """What the driver needs to know: a root folder, a host, a context; sensitive values among them."""
    contained: bool = False
    """Takes only kinds that can be kept below its root folder, so that nobody's machine is changed by accident. With `--here` the
    operator says that the machine is meant, and nothing is contained."""
    parallel: int | None = None
    """How many steps may run on it at once; None: as many as run at all."""
    timeout: float | None = None
    retries: int | None = None
    labels: tuple[str, ...] = ()
    """Only workers that have all of them reach it; none: whoever runs the deployment does."""
    place: Place | None = None
    """Where it is described."""

    def why_left(self, resource: Resource) -> str | None:  # noqa: ARG002
        """Why a resource that is taken away is only forgotten and stays as it is; None: it goes."""
        return None
