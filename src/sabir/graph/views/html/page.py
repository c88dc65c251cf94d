"""One page that stands alone: data, style and script in one file, and a policy that lets nothing else in."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any, Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.graph.graph import Graph
from sabir.graph.views.html.details import BLOCK, blocks
from sabir.graph.views.html.findings import findings_data
from sabir.graph.views.html.flows import value_flows
from sabir.graph.views.html.lines import LineReader, SafeLines
from sabir.graph.views.html.picture import picture_data
from sabir.graph.views.html.values import without_surrogates
from sabir.graph.views.links import Ownership, ownership
from sabir.graph.views.palette import colours
from sabir.graph.views.relevant import aliases

__all__ = ["PageContent", "html_view"]

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
"""The library that puts boxes into columns."""
_PACK_FROM: Final = 100_000
"""Data of so many bytes are compressed; the browser unpacks them."""


class PageContent(Struct, frozen=True, kw_only=True):
    """What the page shows besides the graph."""

    title: str = "graph"
    findings: Sequence[Finding] = ()
    read_line: LineReader | None = None


def html_view(graph: Graph, content: PageContent | None = None) -> Iterator[bytes]:
    """The page in pieces. Whatever stands in the graph is data in it, never markup or script."""
    content = content or PageContent()
    tree = ownership(graph)
    lines = SafeLines(graph, content.read_line)
    head, _, tail = _template(content.title).partition("<!-- data -->")
    yield head.encode()
    yield _section("index", _index(graph, tree, content))
    flows = value_flows(graph)
    yield _section("picture", picture_data(graph, tree, flows))
    yield _section("findings", findings_data(graph, content.findings, lines))
    small = len(graph) <= BLOCK
    for number, block in enumerate(blocks(graph, lines, flows)):
        yield _section(f"block-{number}", block, pack_from=_PACK_FROM if small else 0)
    yield tail.encode()


def _template(title: str) -> str:
    style = _read("page.css")
    # One scope for all of them: nothing of the page is reachable from outside but what it hands out.
    script = (
        "(() => {\n'use strict';\n"
        + "\n".join(map(_read, (_LAYOUT, *(f"{name}.js" for name in _SCRIPTS))))
        + "})();\n"
    )
    policy = (
        f"default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"style-src '{_digest(style)}'; script-src '{_digest(script)}'"
    )
    return (
        _read("page.html")
        .replace("{{policy}}", policy)
        .replace("{{style}}", style)
        .replace("{{script}}", script)
        .replace("{{title}}", escape(without_surrogates(title)))
    )


def _read(name: str) -> str:
    return files("sabir.graph.views.html").joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode("ascii")


def _index(graph: Graph, tree: Ownership, content: PageContent) -> dict[str, Any]:
    """What is needed of every instance at once, by columns."""
    number = {instance.id: position for position, instance in enumerate(graph)}
    languages = list(dict.fromkeys(instance.language for instance in graph))
    types = list(dict.fromkeys(instance.type for instance in graph))
    language_number = {name: position for position, name in enumerate(languages)}
    type_number = {name: position for position, name in enumerate(types)}
    return {
        "title": without_surrogates(content.title),
        "block": BLOCK,
        "languages": [
            {"name": without_surrogates(name), "fill": colours(name).fill, "line": colours(name).line}
            for name in languages
        ],
        "types": [without_surrogates(name) for name in types],
        # An id that is also the name is written once.
        "ids": [0 if instance.id == instance.name else without_surrogates(instance.id) for instance in graph],
        "names": [without_surrogates(instance.name) for instance in graph],
        "type": [type_number[instance.type] for instance in graph],
        "language": [language_number[instance.language] for instance in graph],
        "also": [[number[id_], *map(without_surrogates, names)] for id_, names in aliases(graph).items()],
        "owner": [number[tree.owner[instance.id]] if instance.id in tree.owner else -1 for instance in graph],
    }


def _section(name: str, data: Any, *, pack_from: int = _PACK_FROM) -> bytes:
    """Data in an element that no browser runs. A `<` could end the element; JSON can write it otherwise."""
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
