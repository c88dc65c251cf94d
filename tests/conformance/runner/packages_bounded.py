"""A package case with `max_seconds` runs in a process of its own, whose time and memory are measured.

As a module it is that process: `python -m tests.conformance.runner.packages_bounded CASE.YAML ADAPTER` prints JSON.
"""

from __future__ import annotations

import importlib
import json
import resource
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.conformance.runner.packages import (
    MAX_MEGABYTES,
    Adapter,
    PackageCase,
    PackageOutcome,
    Reported,
    read_case,
)
from tests.conformance.runner.packages_input import prepared_input
from tests.support.process import peak_memory

__all__ = ["Bounded", "run_bounded"]

_PROJECT = Path(__file__).resolve().parents[3]
_MARK = "outcome: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounded:
    outcome: PackageOutcome
    problems: tuple[str, ...]


def run_bounded(case: PackageCase, adapter: str = "tests.conformance.adapters.packages") -> Bounded:
    """CPU time stands for the time on an otherwise idle core; the clock on the wall only ends a run that hangs."""
    assert case.max_seconds is not None
    command = [sys.executable, "-m", __name__, str(case.file), adapter]
    try:
        done = subprocess.run(
            command,
            cwd=_PROJECT,
            capture_output=True,
            text=True,
            timeout=20 * case.max_seconds + 20,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Bounded(
            outcome=PackageOutcome(exit=-1), problems=(f"still running long after {case.max_seconds} s",)
        )
    lines = [line for line in done.stdout.splitlines() if line.startswith(_MARK)]
    if done.returncode or not lines:
        return Bounded(
            outcome=PackageOutcome(exit=-1), problems=(f"the process died: {done.stderr[-2000:]}",)
        )
    report: dict[str, Any] = json.loads(lines[-1].removeprefix(_MARK))
    return Bounded(outcome=_outcome(report["outcome"]), problems=tuple(_exceeded(case, report)))


def _exceeded(case: PackageCase, report: dict[str, Any]) -> list[str]:
    found: list[str] = []
    if report["seconds"] > (case.max_seconds or 0):
        found.append(f"took {report['seconds']:.2f} s, at most {case.max_seconds} s allowed")
    if report["bytes"] > MAX_MEGABYTES * 1_000_000:
        found.append(f"took {report['bytes'] / 1_000_000:.0f} MB, at most {MAX_MEGABYTES} MB allowed")
    return found


def _outcome(data: dict[str, Any]) -> PackageOutcome:
    return PackageOutcome(
        findings=tuple(Reported(**finding) for finding in data["findings"]),
        exit=data["exit"],
        messages=tuple(data["messages"]),
    )


def _child(file: Path, adapter: str) -> None:
    case = read_case(file)
    assert isinstance(case, PackageCase)
    run: Adapter = importlib.import_module(adapter).run
    with prepared_input(case) as target:
        outcome = run(case, target)
    used = resource.getrusage(resource.RUSAGE_SELF)
    report = {"outcome": asdict(outcome), "seconds": used.ru_utime + used.ru_stime, "bytes": peak_memory()}
    print(_MARK + json.dumps(report))


if __name__ == "__main__":
    _child(Path(sys.argv[1]), sys.argv[2])
