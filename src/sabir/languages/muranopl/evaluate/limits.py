"""How much a run may do. Without bounds an endless loop in a package would hang whoever runs it."""

from __future__ import annotations

from time import monotonic

from msgspec import Struct

from sabir.languages.muranopl.model.errors import Unstoppable

__all__ = ["Meter", "RunLimits"]

_CLOCK_EVERY = 1024


class RunLimits(Struct, frozen=True, kw_only=True):
    """`steps`: rounds of loops plus calls of methods; `seconds`: time on the clock, sleeping included; `depth`:
    calls inside calls; `branches`: instructions of `Parallel` under way at the same time."""

    steps: int | None = 50_000_000
    seconds: float | None = None
    depth: int = 400
    branches: int = 256


class Meter:
    """Counts steps down; looks at the clock now and then."""

    __slots__ = ("deadline", "left", "limits", "until_clock")

    def __init__(self, limits: RunLimits) -> None:
        self.limits = limits
        self.left = limits.steps if limits.steps is not None else 1 << 62
        self.deadline = None if limits.seconds is None else monotonic() + limits.seconds
        self.until_clock = self.left - _CLOCK_EVERY

    def refill(self) -> None:
        """Called when `left` has fallen below `until_clock`."""
        if self.left <= 0:
            raise Unstoppable(
                f"the run took more than {self.limits.steps:,} steps",
                hint="look for a loop without end, or raise --step-limit",
            )
        if self.deadline is not None and monotonic() > self.deadline:
            raise Unstoppable(
                f"the run took longer than {self.limits.seconds:g} seconds",
                hint="look for a loop without end, or raise --time-limit",
            )
        self.until_clock = max(self.left - _CLOCK_EVERY, 0)
