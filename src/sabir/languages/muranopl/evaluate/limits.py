"""How much a run may do. Without bounds an endless loop in a package would hang whoever runs it."""

from __future__ import annotations

import sys
from time import monotonic

from msgspec import Struct

from sabir.languages.muranopl.model.errors import Unstoppable

_LOOK_EVERY = 256  # steps between two looks at the clock and at the memory
_GIGABYTE = 1 << 30


class RunLimits(Struct, frozen=True, kw_only=True):
    """`steps`: rounds of loops plus calls of methods; `seconds`: time on the clock, sleeping included; `depth`:
    calls inside calls; `branches`: instructions of `Parallel` under way at the same time; `memory`: bytes that the process may
    grow by; `objects`: those that there are at the same time."""

    steps: int | None = 50_000_000
    seconds: float | None = None
    depth: int = 400
    branches: int = 256
    memory: int = 2 * _GIGABYTE
    objects: int = 2_000_000


class RunMeter:
    """Counts steps down; looks at the clock and at the memory now and then."""

    __slots__ = ("deadline", "left", "limits", "most_memory", "until_clock")

    def __init__(self, limits: RunLimits) -> None:
        self.limits = limits
        self.left = limits.steps if limits.steps is not None else 1 << 62
        self.deadline = None if limits.seconds is None else monotonic() + limits.seconds
        self.until_clock = self.left - _LOOK_EVERY
        self.most_memory = _peak_memory() + limits.memory

    def room(self, objects: int) -> None:
        """Called when there is one object more."""
        if objects > self.limits.objects:
            raise Unstoppable(
                f"there are more than {self.limits.objects:,} objects",
                hint=f"look for what grows without end, or raise --limits instances={self.limits.objects * 10}",
            )

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
        if _peak_memory() > self.most_memory:
            raise Unstoppable(
                f"the run took more than {self.limits.memory / _GIGABYTE:g} GB of memory",
                hint="look for a loop that keeps everything it makes",
            )
        self.until_clock = max(self.left - _LOOK_EVERY, 0)


def _peak_memory() -> int:
    """The most bytes that this process has had so far; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:  # not on Windows
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
