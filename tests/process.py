"""Facts about the running process."""

from __future__ import annotations

import resource
from pathlib import Path

__all__ = ["peak_memory"]


def peak_memory() -> int:
    """Most bytes of memory this process held at once.

    `ru_maxrss` of a started process also counts what its parent held before `exec`; the kernel's own mark does not.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
