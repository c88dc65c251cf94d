"""Facts about the running process, and the interpreters of this machine."""

from __future__ import annotations

import os
import resource
from pathlib import Path

__all__ = ["peak_memory", "pyenv_pythons"]


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


def pyenv_pythons(version: str) -> list[Path]:
    """Return the interpreters of pyenv; none where this user may not read its directory."""
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    try:
        return sorted(versions.glob(f"{version}.*/bin/python{version}"))
    except PermissionError:
        return []
