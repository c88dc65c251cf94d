"""What whoever watches a deployment is told, and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from sabir.deployments.store.records import DeploymentState
from sabir.graph.values import Value
from sabir.resources.step import Action

__all__ = ["DeploymentResult", "Progress", "Watch", "joined"]


class Progress(Struct, frozen=True, kw_only=True):
    """Something that whoever watches may want to show."""

    key: str | None
    state: str
    """The state a step came into; `note` for a line of its own."""
    action: Action | None = None
    address: str | None = None
    kind: str | None = None
    message: str | None = None
    log: tuple[str, ...] = ()
    seconds: float | None = None
    changed: bool = True


Watch = Callable[[Progress], None]


class DeploymentResult(Struct, frozen=True, kw_only=True):
    number: int
    state: DeploymentState
    counts: Mapping[str, int]
    failures: tuple[tuple[str, str], ...] = ()
    """Keys of steps that failed or are unknown, each with its message."""
    error: str | None = None
    """Why the deployment had to stop as a whole."""
    results: Mapping[str, Mapping[str, Value]] = {}
    """Of calls: what each step gave back, by the address of its resource."""


def joined(first: DeploymentResult, second: DeploymentResult) -> DeploymentResult:
    """The result of two waves of one deployment."""
    counts = {
        state: first.counts.get(state, 0) + second.counts.get(state, 0)
        for state in dict.fromkeys((*first.counts, *second.counts))
    }
    return replace(
        second,
        counts=counts,
        failures=(*first.failures, *second.failures),
        results={**first.results, **second.results},
    )
