"""How cost grows with size: the exponent k in cost = c · sizeᵏ."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

__all__ = ["doubling", "exponent"]


def doubling(start: int, steps: int) -> tuple[int, ...]:
    return tuple(start * 2**step for step in range(steps))


def exponent(sizes: Sequence[int], costs: Sequence[float]) -> float:
    """Slope of the line through the logarithms, by least squares. 1 is linear, 2 quadratic."""
    xs = [log(size) for size in sizes]
    ys = [log(max(cost, 1e-9)) for cost in costs]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - mean_x) ** 2 for x in xs)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / spread
