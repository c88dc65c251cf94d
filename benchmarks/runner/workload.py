"""What a workload is, and where workloads are found."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from pathlib import Path

from msgspec import Struct

import benchmarks

__all__ = ["PEERS", "Measure", "Workload", "find_workloads"]

PEERS = Path(benchmarks.__file__).resolve().parent / "peers"


class Measure(Enum):
    """What counts as CPU time."""

    HOT = "hot"
    """Only the returned call, not its preparation: for engines that stay loaded."""
    PROCESS = "process"
    """The whole process, start-up and all: for commands."""


class Workload(Struct, frozen=True, kw_only=True):
    """The same work for sabir and for an existing tool.

    generate  writes the inputs of a size into a folder, once; both sides read them from there
    sabir     `module:function`; the function takes (folder, size), prepares, and returns the call to be timed
    peer      `file:function` of the same form, the file under benchmarks/peers, run by the peer's interpreter alone; it
              must not import sabir. None when there is nothing to compare with.
    What the timed calls return must be equal on both sides (plain data: a count, a sum): proof of the same work.
    """

    name: str
    about: str
    sizes: tuple[int, ...]
    sabir: str
    generate: Callable[[int, Path], None]
    peer: str | None = None
    measure: Measure = Measure.HOT
    needs: Callable[[], str | None] = lambda: None
    """Why it cannot be run on this machine; None when it can."""
    tiny: int = 3
    """A size at which the test suite runs our side, to see that it still works."""


def find_workloads() -> dict[str, Workload]:
    """Name to workload, over all modules of the package `benchmarks`."""
    # Only whoever looks for workloads pays for looking: a process that runs one imports this module, too.
    import importlib
    import pkgutil

    found: dict[str, Workload] = {}
    for info in pkgutil.iter_modules(benchmarks.__path__):
        if info.ispkg or info.name.startswith("_"):
            continue
        module = importlib.import_module(f"benchmarks.{info.name}")
        for workload in getattr(module, "WORKLOADS", ()):
            assert workload.name not in found, f"two workloads are called {workload.name}"
            found[workload.name] = workload
    return found
