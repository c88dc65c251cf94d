"""A layered graph layout: boxes in columns, edges from left to right, boxes inside boxes.

layered       one drawing: columns of boxes, lines of columns, several drawings packed on one sheet
columns       within a column: the order with few crossings, and the heights that keep edges straight
nested        drawings inside boxes, and the routes of edges out of them
"""

from sabir.graph.layout.layered import Drawing, Gaps, Size, draw_layered
from sabir.graph.layout.nested import Boxes, NestedDrawing, draw_nested

__all__ = ["Boxes", "Drawing", "Gaps", "NestedDrawing", "Size", "draw_layered", "draw_nested"]
