"""Figures as a table for people and as JSON for machines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from benchmarks.runner.growth import exponent
from benchmarks.runner.measure import Figures, Measured

__all__ = ["as_json", "growth_lines", "table"]

_HEADS = ("workload", "size", "sabir s", "peer s", "sabir/peer", "sabir MB", "peer MB")


def table(rows: Sequence[Measured]) -> str:
    """CPU seconds are medians; memory is the peak of the process."""
    cells = [_HEADS, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(_HEADS))]
    return "\n".join(
        "  ".join(
            text.ljust(width) if column == 0 else text.rjust(width)
            for column, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in cells
    )


def _cells(row: Measured) -> tuple[str, ...]:
    peer_seconds, peer_memory = (f"{row.peer.median:.3f}", _megabytes(row.peer)) if row.peer else ("-", "-")
    ratio = f"{row.ratio:.2f}" if row.ratio is not None else "-"
    return (
        row.workload,
        f"{row.size}",
        f"{row.sabir.median:.3f}",
        peer_seconds,
        ratio,
        _megabytes(row.sabir),
        peer_memory,
    )


def _megabytes(figures: Figures) -> str:
    return f"{figures.peak_bytes / 1_000_000:.1f}"


def growth_lines(rows: Sequence[Measured]) -> list[str]:
    """The exponents of one workload over its sizes."""
    return [f"{side} grows with size to the power of {value:.2f}" for side, value in _exponents(rows).items()]


def _exponents(rows: Sequence[Measured]) -> dict[str, float]:
    sizes = [row.size for row in rows]
    found = {"sabir": exponent(sizes, [row.sabir.median for row in rows])}
    peers = [row.peer.median for row in rows if row.peer]
    if len(peers) == len(sizes):
        found["peer"] = exponent(sizes, peers)
    return found


def as_json(groups: Sequence[Sequence[Measured]], *, growth: bool) -> str:
    data = [
        {
            "workload": rows[0].workload,
            "runs": [_as_data(row) for row in rows],
            **({"exponent": _exponents(rows)} if growth else {}),
        }
        for rows in groups
    ]
    return json.dumps(data, indent=1) + "\n"


def _as_data(row: Measured) -> dict[str, Any]:
    return {
        "size": row.size,
        "sabir": _figures(row.sabir),
        "peer": _figures(row.peer) if row.peer else None,
        "ratio": row.ratio,
    }


def _figures(figures: Figures) -> dict[str, Any]:
    return {"cpu": figures.median, "cpu_runs": list(figures.seconds), "peak_bytes": figures.peak_bytes}
