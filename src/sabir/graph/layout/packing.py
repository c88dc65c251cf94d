"""Several drawings on one sheet: shelves, and stacks on the shelves."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

__all__ = ["Size", "pack"]

Size = tuple[float, float]


def pack(sizes: Sequence[Size], margins: Sequence[float], *, shape: float) -> tuple[list[Size], Size]:
    """The corner of each drawing and the size of the sheet, tall ones first, equal ones in the order given."""
    area = sum(
        (width + margin) * (height + margin) for (width, height), margin in zip(sizes, margins, strict=True)
    )
    widest = max(sqrt(area * shape), max((width for width, _ in sizes), default=0.0))
    places: list[Size] = [(0.0, 0.0)] * len(sizes)
    stack_x = stack_width = stack_y = shelf_y = shelf_height = right = 0.0
    started = False
    for index in sorted(range(len(sizes)), key=lambda drawing: -sizes[drawing][1]):
        (width, height), margin = sizes[index], margins[index]
        if started and width <= stack_width and stack_y + height <= shelf_y + shelf_height:
            places[index] = (stack_x, stack_y)
            stack_y += height + margin
            continue
        stack_x = stack_x + stack_width + margin if started else 0.0
        if not started or stack_x + width > widest:
            shelf_y += shelf_height + margin if started else 0.0
            stack_x, shelf_height = 0.0, height
        places[index] = (stack_x, shelf_y)
        stack_width, stack_y = width, shelf_y + height + margin
        right = max(right, stack_x + width)
        started = True
    return places, (right, shelf_y + shelf_height)
