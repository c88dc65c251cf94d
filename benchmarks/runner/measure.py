"""Runs both sides of a workload in turn, each time in a fresh process."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from msgspec import Struct

from benchmarks.runner import child
from benchmarks.runner.workload import PEERS, Workload

__all__ = ["BenchmarkError", "Figures", "Measured", "measure"]

_PROJECT = PEERS.parents[1]


class BenchmarkError(Exception):
    """A side could not be run, or the two sides did different work."""


class Figures(Struct, frozen=True, kw_only=True):
    """CPU seconds of every run, and the most memory that any of them held."""

    seconds: tuple[float, ...]
    peak_bytes: int

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


class Measured(Struct, frozen=True, kw_only=True):
    workload: str
    size: int
    sabir: Figures
    peer: Figures | None = None

    @property
    def ratio(self) -> float | None:
        """CPU time of sabir for each second of the existing tool."""
        return self.sabir.median / self.peer.median if self.peer and self.peer.median else None


def measure(workload: Workload, size: int, *, peer_python: Path | None = None, repeat: int = 3) -> Measured:
    """Sabir, peer, sabir, peer …: whatever else the machine does meets both alike."""
    reason = workload.needs()
    if reason is not None:
        raise BenchmarkError(f"{workload.name}: {reason}")
    sabir: list[dict[str, Any]] = []
    peer: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="sabir-bench-") as scratch:
        folder = Path(scratch)
        workload.generate(size, folder)
        for _ in range(repeat):
            sabir.append(_run(workload, workload.sabir, Path(sys.executable), (folder, size)))
            if peer_python and workload.peer:
                peer.append(_run(workload, f"{PEERS}/{workload.peer}", peer_python, (folder, size)))
    _same_work(workload, sabir + peer)
    return Measured(
        workload=workload.name, size=size, sabir=_figures(sabir), peer=_figures(peer) if peer else None
    )


def _run(workload: Workload, side: str, python: Path, given: tuple[Path, int]) -> dict[str, Any]:
    folder, size = given
    command = [str(python), child.__file__, side, str(folder), str(size), workload.measure.value]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    if side == workload.sabir:
        environment["PYTHONPATH"] = str(_PROJECT)
    else:
        environment.pop("PYTHONPATH", None)
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchmarkError(
            f"{workload.name}: {side} under {python} ended with {done.returncode}:\n{done.stderr[-3000:]}"
        )
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return report


def _same_work(workload: Workload, reports: list[dict[str, Any]]) -> None:
    results = [report["result"] for report in reports]
    other = next((result for result in results if result != results[0]), None)
    if other is not None:
        raise BenchmarkError(f"{workload.name}: not the same work: {results[0]!r} against {other!r}")


def _figures(reports: list[dict[str, Any]]) -> Figures:
    return Figures(
        seconds=tuple(report["cpu"] for report in reports),
        peak_bytes=max(int(report["peak"]) for report in reports),
    )
