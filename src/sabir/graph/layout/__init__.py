"""A layered layout of our own: boxes in columns, edges from left to right, boxes within boxes.

layers        which column a box stands in: cycles are broken, columns kept from growing too tall
crossings     the order within a column, so that few edges cross
coordinates   the height at which a box stands, so that edges run straight
layered       the three together, for one connected drawing
packing       several drawings on one sheet
nested        drawings within boxes
"""

from sabir.graph.layout.layered import Drawing, Gaps, Size, draw_layered
from sabir.graph.layout.nested import Boxes, NestedDrawing, draw_nested

__all__ = ["Boxes", "Drawing", "Gaps", "NestedDrawing", "Size", "draw_layered", "draw_nested"]
