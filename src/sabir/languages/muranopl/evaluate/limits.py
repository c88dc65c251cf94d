"""Limits of a run: steps, time, call depth, branches, memory and objects.

Without limits an endless loop in a package would hang its host.
"""

from __future__ import annotations

import sys
from time import monotonic

from msgspec import Struct

from sabir.languages.muranopl.model.errors import Unstoppable

_LOOK_EVERY = 256  # steps between two checks of the clock and the memory
_GIGABYTE = 1 << 30


class RunLimits(Struct, frozen=True, kw_only=True):
    """The limits of one run.

    `steps`: iterations of loops plus calls of methods; `seconds`: elapsed time, sleeping included; `depth`:
    nested calls; `branches`: instructions of `Parallel` that run at the same time; `memory`: bytes that the
    process may grow by; `objects`: objects that exist at the same time.
    """

    steps: int | None = 50_000_000
    seconds: float | None = None
    depth: int = 400
    branches: int = 256
    memory: int = 2 * _GIGABYTE
    objects: int = 2_000_000


class RunMeter:
    """Counts steps down, and checks the clock and the memory at intervals."""

    __slots__ = ("deadline", "left", "limits", "most_memory", "until_clock")

    def __init__(self, limits: RunLimits) -> None:
        self.limits = limits
        self.left = limits.steps if limits.steps is not None else 1 << 62
        self.deadline = None if limits.seconds is None else monotonic() + limits.seconds
        self.until_clock = self.left - _LOOK_EVERY
        self.most_memory = _peak_memory() + limits.memory

    def room(self, objects: int) -> None:
        """Count one more object; raise `Unstoppable` if there are too many."""
        if objects > self.limits.objects:
            raise Unstoppable(
                f"there are more than {self.limits.objects:,} objects",
                hint=f"look for what grows without end, or raise --limits instances={self.limits.objects * 10}",
            )

    def refill(self) -> None:
        """Check the clock and the memory. Called when `left` has fallen below `until_clock`."""
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
    """Return the peak memory of this process in bytes; 0 where the system does not report it."""
    try:
        import resource
    except ImportError:  # not on Windows
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
