"""The graph as an SVG picture: owners are boxes around their parts, colors show the language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log2
from typing import Final
from xml.sax.saxutils import escape

from sabir.graph.graph import Graph
from sabir.graph.layout import Boxes, Gaps, NestedDrawing, draw_nested
from sabir.graph.views.colours import language_colors
from sabir.graph.views.folding import outside_in
from sabir.graph.views.picture import (
    Box,
    BoxLink,
    Picture,
    between_columns,
    fit_name,
    fit_type,
    picture_of,
    text_width,
    words_size,
)
from sabir.graph.views.text import clip_text, one_line, value_text

_MOST_LABELS: Final = 60
"""With more links than this, only the tooltips contain their names."""
_MOST_LINES: Final = 25
_MARGIN: Final = 20.0
_LEGEND: Final = 30.0
_STYLE: Final = """\
text{font-family:"Segoe UI",Helvetica,Arial,"DejaVu Sans",sans-serif;fill:#1e293b}
.name{font-size:12px;font-weight:600}.type{font-size:10px;fill:#475569}.label{font-size:9.5px;fill:#475569;text-anchor:end}
.link{fill:none;stroke:#64748b;stroke-width:1.1;stroke-opacity:.65}.needs{stroke-dasharray:4 3}
.link:hover{stroke:#dc2626;stroke-width:2.4;stroke-opacity:1}.box{stroke-width:1.3}.box:hover{stroke-width:2.6}
.owner{fill-opacity:.28}
"""


def svg_view(graph: Graph) -> Iterator[str]:
    """Yield a self-contained picture: no external font, script or style. A large graph is folded."""
    picture = picture_of(graph)
    boxes, shown = picture.boxes, picture.links
    labels = len(shown) <= _MOST_LABELS
    placed = _place_boxes(picture, labels=labels)
    languages = list(dict.fromkeys(instance.language for instance in graph))
    width = max(placed.size[0], 110.0 * len(languages)) + 2 * _MARGIN
    height = placed.size[1] + 2 * _MARGIN + _LEGEND
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="{-_MARGIN:.0f} {-_MARGIN:.0f} {width:.0f} {height:.0f}" role="img">\n'
        f"<title>{_picture_title(graph, picture)}</title>\n<style>\n{_STYLE}</style>\n"
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0,.8L8,4L0,7.2z" fill="#64748b"/></marker></defs>\n'
        f'<rect x="{-_MARGIN:.0f}" y="{-_MARGIN:.0f}" width="{width:.0f}" height="{height:.0f}" fill="#fff"/>\n'
    )
    owners = {box.parent for box in boxes}
    for number in outside_in([box.parent for box in boxes]):
        if number in owners:
            yield _draw_box(graph, boxes[number], placed, number, owner=True)
    routes = [placed.routes[link.source, link.target] for link in shown]
    for link, route in zip(shown, routes, strict=True):
        yield _draw_link(boxes, link, route)
    for number, box in enumerate(boxes):
        if number not in owners:
            yield _draw_box(graph, box, placed, number, owner=False)
    if labels:
        yield from _draw_labels(shown, placed)
    yield from _draw_legend(languages, placed.size[1] + _MARGIN)
    yield "</svg>\n"


def _picture_title(graph: Graph, picture: Picture) -> str:
    if len(picture.boxes) == len(graph):
        return f"{len(graph)} instances"
    return f"{len(graph):,} instances, folded into {len(picture.boxes)} boxes"


def _place_boxes(picture: Picture, *, labels: bool) -> NestedDrawing:
    shown = picture.links
    longest = max((text_width(link.label, 5.4) for link in shown), default=0.0) if labels else 0.0
    boxes = Boxes(
        parents=[box.parent for box in picture.boxes],
        sizes=[words_size(box.name, _box_subtitle(box)) for box in picture.boxes],
        edges=[(link.source, link.target) for link in shown],
    )
    pairs = {(link.source, link.target) for link in shown}
    if any((target, source) in pairs for source, target in pairs):
        longest *= 2  # a label at each end
    between = max(between_columns(len(shown)), longest + 50.0)
    return draw_nested(boxes, Gaps(between_columns=between))


def _box_subtitle(box: Box) -> str:
    """Return the second line of a box: its type, and how many instances are folded into it."""
    return f"{box.type} · {box.inside:,} inside" if box.instance is not None and box.inside else box.type


def _draw_box(graph: Graph, box: Box, placed: NestedDrawing, number: int, *, owner: bool) -> str:
    (x, y), (width, height) = placed.corners[number], placed.sizes[number]
    colour = language_colors(box.language)
    kind = "box owner" if owner else "box"
    behind = ""
    if box.inside:  # a stack of sheets: there is more inside
        behind = (
            f'<rect class="box" x="{x + 4:.1f}" y="{y + 4:.1f}" width="{width:.1f}" height="{height:.1f}" rx="6" '
            f'fill="{colour.fill}" stroke="{colour.line}"/>'
        )
    return (
        f'<g><title>{_escape_xml(_box_tooltip(graph, box))}</title>{behind}<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" '
        f'width="{width:.1f}" height="{height:.1f}" rx="6" fill="{colour.fill}" stroke="{colour.line}"/>'
        f'<text class="name" x="{x + 10:.1f}" y="{y + 16:.1f}">{_escape_xml(fit_name(box.name, width))}</text>'
        f'<text class="type" x="{x + 10:.1f}" y="{y + 30:.1f}">{_escape_xml(fit_type(_box_subtitle(box), width))}</text></g>\n'
    )


def _box_tooltip(graph: Graph, box: Box) -> str:
    instance = box.instance
    lines = [f"{box.name} : {_box_subtitle(box)}"]
    if instance is not None:
        lines += [f"status: {instance.status}"] if instance.status else []
        lines += [
            f"{name} = {clip_text(value_text(value, graph), 80)}"
            for name, value in instance.attributes.items()
        ]
        lines += [str(instance.origin.location)] if instance.origin is not None else []
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES:] = [f"… {len(lines) - _MOST_LINES} more"]
    return "\n".join(lines)


def _draw_link(boxes: Sequence[Box], link: BoxLink, points: Sequence[tuple[float, float]]) -> str:
    text = f"{boxes[link.source].name} → {boxes[link.target].name}: {link.label or 'requires'}"
    kind = "link" if link.names else "link needs"
    wide = f' style="stroke-width:{1.1 + 0.5 * log2(link.count):.1f}"' if link.count > 1 else ""
    return f'<path class="{kind}"{wide} d="{_path_data(points)}" marker-end="url(#tip)"><title>{_escape_xml(text)}</title></path>\n'


def _path_data(points: Sequence[tuple[float, float]]) -> str:
    """Return SVG path data: straight inside a column, a curve with horizontal ends between two columns."""
    x, y = points[0]
    parts = [f"M{x:.1f},{y:.1f}"]
    for next_x, next_y in points[1:]:
        if abs(next_y - y) < 0.1:
            parts.append(f"H{next_x:.1f}")
        else:
            half = (x + next_x) / 2
            parts.append(f"C{half:.1f},{y:.1f} {half:.1f},{next_y:.1f} {next_x:.1f},{next_y:.1f}")
        x, y = next_x, next_y
    return "".join(parts)


def _draw_labels(shown: Sequence[BoxLink], placed: NestedDrawing) -> Iterator[str]:
    """Yield a label at the tip of each link; links of one name into one box share theirs."""
    written: set[tuple[str, float, float]] = set()
    stacked: dict[tuple[float, float], int] = {}
    for link in shown:
        box = link.target
        x, y = placed.routes[link.source, box][-1]
        text = link.label
        if not text or (text, x, y) in written:
            continue
        written.add((text, x, y))
        above = stacked[x, y] = stacked.get((x, y), 0) + 1
        from_right = x > placed.corners[box][0] + placed.sizes[box][0] / 2
        anchor = ' style="text-anchor:start"' if from_right else ""
        yield (
            f'<text class="label" x="{x + (9 if from_right else -9):.1f}" y="{y + 7 - 11 * above:.1f}"{anchor}>'
            f"{_escape_xml(text)}</text>\n"
        )


def _draw_legend(languages: Sequence[str], y: float) -> Iterator[str]:
    for position, language in enumerate(languages):
        colour, x = language_colors(language), position * 110.0
        yield (
            f'<rect x="{x:.1f}" y="{y:.1f}" width="12" height="12" rx="3" fill="{colour.fill}" stroke="{colour.line}"/>'
            f'<text class="type" x="{x + 18:.1f}" y="{y + 10:.1f}">{_escape_xml(one_line(language))}</text>\n'
        )


def _escape_xml(text: str) -> str:
    """Escape a text for any XML reader: control characters and lone surrogates are invalid in XML."""
    return escape("".join(char if char == "\n" or char.isprintable() else "\ufffd" for char in text))
