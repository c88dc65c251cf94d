"""A long row of columns broken into lines that are read to and fro, so that a drawing has the shape of a sheet."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

__all__ = ["Line", "in_lines"]

Size = tuple[float, float]
Point = tuple[float, float]
Line = tuple[list[Point], list[Point], Size]
"""Corners of the boxes, the x range of the column of each, and the size of the whole."""


def in_lines(
    columns: Sequence[Sequence[int]], sizes: Sequence[Size], *, across: float, between: float, shape: float
) -> Line:
    """Boxes by number in their columns from left to right; every other line runs from right to left, so that what follows is
    near. `across` is the room between columns, `between` that between boxes and lines."""
    widths = [max(sizes[box][0] for box in column) for column in columns]
    heights = [sum(sizes[box][1] + between for box in column) - between for column in columns]
    whole = sum(widths) + across * len(columns)
    count = max(2, round(sqrt(whole / ((max(heights) + across) * shape))))
    lines: list[list[int]] = [[]]
    used = 0.0
    for number, width in enumerate(widths):
        if lines[-1] and used + width / 2 > whole / count:
            lines.append([])
            used = 0.0
        lines[-1].append(number)
        used += width + across
    total = max(sum(widths[number] + across for number in line) - across for line in lines)
    corners: list[Point] = [(0.0, 0.0)] * len(sizes)
    lanes: list[Point] = [(0.0, 0.0)] * len(sizes)
    y = 0.0
    for turn, line in enumerate(lines):
        height = max(heights[number] for number in line)
        x = total if turn % 2 else 0.0
        for number in line:
            left = x - widths[number] if turn % 2 else x
            top = y + (height - heights[number]) / 2
            for box in columns[number]:
                corners[box] = (left + (widths[number] - sizes[box][0]) / 2, top)
                lanes[box] = (left, left + widths[number])
                top += sizes[box][1] + between
            x += (widths[number] + across) * (-1 if turn % 2 else 1)
        y += height + across
    return corners, lanes, (total, y - across)
