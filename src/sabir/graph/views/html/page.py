"""The page: data, style and script in one file, protected by a content security policy.

The data has three parts: an index of all instances, the findings with the instances made on their lines, and the
picture (how boxes are folded, and all links). The page lays out the boxes itself, because the reader opens and closes
them.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from itertools import islice
from typing import Any, Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.graph.graph import Graph
from sabir.graph.views.colours import language_colors
from sabir.graph.views.folding import fold_graph
from sabir.graph.views.html.details import BLOCK, Flows, detail_blocks, value_flows
from sabir.graph.views.html.values import LineReader, SafeLines, without_surrogates
from sabir.graph.views.links import Ownership, build_ownership, find_links
from sabir.graph.views.text import clip_text, one_line
from sabir.graph.views.visibility import find_aliases

_MOST: Final = 2000
_MOST_INSTANCES: Final = 20


def findings_data(graph: Graph, findings: Sequence[Finding], lines: SafeLines) -> dict[str, Any]:
    """Return the findings as data for the page, each with the instances that have an origin on its line."""
    if not findings:
        return {"count": 0, "shown": []}
    shown = findings[:_MOST]
    made_on = _instances_by_line(graph, {(finding.location.file, finding.location.line) for finding in shown})
    return {"count": len(findings), "shown": [_finding_data(finding, made_on, lines) for finding in shown]}


def _instances_by_line(graph: Graph, places: set[tuple[str, int]]) -> Mapping[tuple[str, int], Sequence[int]]:
    """Return the instances that have an origin on one of the lines."""
    made_on: dict[tuple[str, int], dict[int, None]] = {}
    by_origin: dict[
        int, tuple[str, int]
    ] = {}  # by identity: origins are shared, and the graph keeps them alive
    for number, instance in enumerate(graph):
        for origin in (instance.origin, *instance.origins.row):
            if origin is None:
                continue
            place = by_origin.get(id(origin))
            if place is None:
                location = origin.location
                place = by_origin[id(origin)] = location.file, location.line
            if place in places:
                numbers = made_on.setdefault(place, {})
                if len(numbers) < _MOST_INSTANCES:
                    numbers[number] = None
    return {place: list(numbers) for place, numbers in made_on.items()}


def _finding_data(
    finding: Finding, made_on: Mapping[tuple[str, int], Sequence[int]], lines: SafeLines
) -> dict[str, Any]:
    location, source = finding.location, finding.place.source
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "message": lines.redact(finding.message),
        "hint": None if finding.hint is None else lines.redact(finding.hint),
        "at": without_surrogates(str(location)),
        "line": location.line,
        "source": lines.at(location.file, location.line, lambda _file, line: source.display_line(line)),
        "related": [
            [without_surrogates(str(related.place.location)), lines.redact(related.message)]
            for related in finding.related
        ],
        "instances": made_on.get((location.file, location.line), ()),
    }


_MOST_LINKS: Final = 200_000
"""Maximum number of links in the picture; the panel lists all of them."""
_MOST_FLOWS: Final = 20_000


def picture_data(graph: Graph, tree: Ownership, flows: Flows) -> dict[str, Any]:
    """Return the folded boxes and all links between instances as data for the page."""
    folding = fold_graph(graph, tree)
    languages = {
        name: number for number, name in enumerate(dict.fromkeys(instance.language for instance in graph))
    }
    number = {instance.id: position for position, instance in enumerate(graph)}
    names: dict[str, int] = {}
    every = find_links(graph, tree)
    listed: list[int] = []
    for link in every[:_MOST_LINKS]:
        name = clip_text(one_line(without_surrogates(", ".join(link.names))), 40)
        listed += (number[link.source], number[link.target], names.setdefault(name, len(names)))
    return {
        "groups": {
            "names": [without_surrogates(group.name) for group in folding.groups],
            "types": [group.type for group in folding.groups],
            "languages": [languages.get(group.language, -1) for group in folding.groups],
        },
        "parents": folding.parents,
        "open": sorted(folding.opened),
        "linkNames": list(names),
        "links": listed,
        "linksLeftOut": max(len(every) - _MOST_LINKS, 0),
        "flows": list(islice(_flow_pairs(flows), _MOST_FLOWS)),
    }


def _flow_pairs(flows: Flows) -> Iterator[tuple[int, int]]:
    """Yield pairs of an instance and one that read its values."""
    for reader, sources in flows.items():
        for source in sources:
            yield source, reader


_SCRIPTS: Final = (
    "dom",
    "model",
    "camera",
    "curves",
    "layout",
    "painter",
    "scene",
    "picture",
    "why",
    "panel",
    "outline",
    "search",
    "main",
)
_LAYOUT: Final = "vendor/dagre.min.js"
"""The library that lays out boxes in columns."""
_PACK_FROM: Final = 100_000
"""Size in bytes from which data is compressed; the browser decompresses it."""


class PageContent(Struct, frozen=True, kw_only=True):
    """What the page shows in addition to the graph."""

    title: str = "graph"
    findings: Sequence[Finding] = ()
    read_line: LineReader | None = None


def html_view(graph: Graph, content: PageContent | None = None) -> Iterator[bytes]:
    """Yield the page in chunks. Everything from the graph is data in it, never markup or script."""
    content = content or PageContent()
    tree = build_ownership(graph)
    lines = SafeLines(graph, content.read_line)
    head, _, tail = _fill_template(content.title).partition("<!-- data -->")
    yield head.encode()
    yield _data_section("index", _index_data(graph, tree, content))
    flows = value_flows(graph)
    yield _data_section("picture", picture_data(graph, tree, flows))
    yield _data_section("findings", findings_data(graph, content.findings, lines))
    small = len(graph) <= BLOCK
    for number, block in enumerate(detail_blocks(graph, lines, flows)):
        yield _data_section(f"block-{number}", block, pack_from=_PACK_FROM if small else 0)
    yield tail.encode()


def _fill_template(title: str) -> str:
    style = _read_asset("page.css")
    # One scope for all scripts: only what the page exports is reachable from outside.
    script = (
        "(() => {\n'use strict';\n"
        + "\n".join(map(_read_asset, (_LAYOUT, *(f"{name}.js" for name in _SCRIPTS))))
        + "})();\n"
    )
    policy = (
        f"default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"style-src '{_policy_digest(style)}'; script-src '{_policy_digest(script)}'"
    )
    return (
        _read_asset("page.html")
        .replace("{{policy}}", policy)
        .replace("{{style}}", style)
        .replace("{{script}}", script)
        .replace("{{title}}", escape(without_surrogates(title)))
    )


def _read_asset(name: str) -> str:
    return files("sabir.graph.views.html").joinpath(name).read_text(encoding="utf-8")


def _policy_digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode("ascii")


def _index_data(graph: Graph, tree: Ownership, content: PageContent) -> dict[str, Any]:
    """Return the data that is needed of every instance at once, by columns."""
    number = {instance.id: position for position, instance in enumerate(graph)}
    languages = list(dict.fromkeys(instance.language for instance in graph))
    types = list(dict.fromkeys(instance.type for instance in graph))
    language_number = {name: position for position, name in enumerate(languages)}
    type_number = {name: position for position, name in enumerate(types)}
    return {
        "title": without_surrogates(content.title),
        "block": BLOCK,
        "languages": [
            {
                "name": without_surrogates(name),
                "fill": language_colors(name).fill,
                "line": language_colors(name).line,
            }
            for name in languages
        ],
        "types": [without_surrogates(name) for name in types],
        # An id that is also the name is written once.
        "ids": [0 if instance.id == instance.name else without_surrogates(instance.id) for instance in graph],
        "names": [without_surrogates(instance.name) for instance in graph],
        "type": [type_number[instance.type] for instance in graph],
        "language": [language_number[instance.language] for instance in graph],
        "also": [
            [number[id_], *map(without_surrogates, names)] for id_, names in find_aliases(graph).items()
        ],
        "owner": [number[tree.owner[instance.id]] if instance.id in tree.owner else -1 for instance in graph],
    }


def _data_section(name: str, data: Any, *, pack_from: int = _PACK_FROM) -> bytes:
    """Return data in an element that browsers do not run. A `<` could end the element, so JSON escapes it."""
    import msgspec

    text = msgspec.json.encode(data)
    if len(text) >= pack_from:
        import gzip

        # No time stamp: the same graph gives the same page.
        packed = b64encode(gzip.compress(text, 6, mtime=0))
        return b'<script type="application/gzip" id="%s">%s</script>\n' % (name.encode(), packed)
    for char, written in ((b"<", b"\\u003c"), (b">", b"\\u003e"), (b"&", b"\\u0026")):
        text = text.replace(char, written)
    return b'<script type="application/json" id="%s">%s</script>\n' % (name.encode(), text)
