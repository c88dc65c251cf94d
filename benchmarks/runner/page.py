"""All workloads, measured and written into the page that shows them: between its two marks, so that nobody copies figures by hand."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from benchmarks.runner.measure import BenchmarkError, Measured, measure
from benchmarks.runner.workload import Workload

__all__ = ["write_page"]

_BEGIN: Final = "<!-- figures: written by `python -m benchmarks --page` -->"
_END: Final = "<!-- end of figures -->"
_HEAD: Final = (
    "| workload | size | sabir s | existing tool s | times as fast | sabir MB | existing tool MB |\n"
    "|---|---|---|---|---|---|---|"
)


def write_page(page: Path, workloads: Iterable[Workload], *, peers: Path | None, repeat: int) -> int:
    """Measure each workload at the first of its sizes; how many could not be measured.

    `peers` is a folder with an environment for each file of `benchmarks/peers`, by its name: `check_peer/bin/python`.
    """
    before, begin, rest = page.read_text(encoding="utf-8").partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise BenchmarkError(f"{page} has no place for figures: {_BEGIN} … {_END}")
    failed = 0
    rows: list[str] = []
    for workload in workloads:
        try:
            peer = _peer_python(workload, peers)
            rows.append(_row(measure(workload, workload.sizes[0], peer_python=peer, repeat=repeat)))
        except BenchmarkError as error:
            print(error, file=sys.stderr)
            failed += 1
            continue
        print(rows[-1])
    figures = "\n".join(("", *_note(repeat), "", _HEAD, *rows, ""))
    page.write_text(f"{before}{begin}\n{figures}\n{end}{after}", encoding="utf-8")
    return failed


def _peer_python(workload: Workload, peers: Path | None) -> Path | None:
    if peers is None or workload.peer is None:
        return None
    name = workload.peer.partition(":")[0].removesuffix(".py")
    python = (peers / name / "bin" / "python").absolute()
    return python if python.exists() else None


def _note(repeat: int) -> Iterator[str]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield f"Measured on {datetime.now(UTC):%Y-%m-%d} with Python {version}: CPU seconds, the median of {repeat} runs in fresh"
    yield "processes, sabir and the existing tool in turn; memory is the most that a process held."


def _row(measured: Measured) -> str:
    peer = measured.peer
    cells = (
        f"`{measured.workload}`",
        f"{measured.size:,}",
        f"{measured.sabir.median:.3f}",
        "" if peer is None else f"{peer.median:.3f}",
        "" if not measured.ratio else f"{1 / measured.ratio:.1f}",
        f"{measured.sabir.peak_bytes / 1_000_000:.1f}",
        "" if peer is None else f"{peer.peak_bytes / 1_000_000:.1f}",
    )
    return "| " + " | ".join(cells) + " |"
