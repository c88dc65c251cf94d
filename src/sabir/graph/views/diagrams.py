"""The graph in DOT, for Graphviz, and in Mermaid, for wikis and pull requests.

In DOT an owner is a cluster that contains its own node and its parts; in Mermaid it is a subgraph.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.graph.graph import Graph
from sabir.graph.views.colours import language_colors
from sabir.graph.views.links import build_ownership, find_links, walk_nested
from sabir.graph.views.text import clip_text, one_line

_HEAD: Final = """\
digraph sabir {
  rankdir=LR; compound=true;
  node [shape=box, style="rounded,filled", fontname="sans-serif", fontsize=11];
  edge [fontname="sans-serif", fontsize=9, color="#64748b"];
"""


def dot_view(graph: Graph) -> Iterator[str]:
    """Yield the lines of the graph in DOT."""
    tree = build_ownership(graph)
    yield _HEAD
    for instance, depth in walk_nested(tree):
        indent = "  " * depth
        if instance is None:
            yield f"{indent}}}\n"
            continue
        if instance.id in tree.parts:
            yield f"{indent}subgraph {_quote_id('cluster ' + instance.id)} {{\n"
            yield f'{indent}  label={_quote_text(one_line(instance.name))}; style="rounded"; color="{language_colors(instance.language).line}";\n'
            indent += "  "
        colour = language_colors(instance.language)
        label = _quote_text(clip_text(instance.name, 60) + "\n" + clip_text(instance.type, 60))
        yield f'{indent}{_quote_id(instance.id)} [label={label}, fillcolor="{colour.fill}", color="{colour.line}"];\n'
    for link in find_links(graph, tree):
        style = f"label={_quote_text(', '.join(link.names))}" if link.names else "style=dashed"
        yield f"  {_quote_id(link.source)} -> {_quote_id(link.target)} [{style}];\n"
    yield "}\n"


def _quote_id(text: str) -> str:
    """Quote an id so that different ids stay different, whatever characters they contain."""
    return _quote_text("".join(char if char.isprintable() else f"\\{ord(char):x}" for char in text))


def _quote_text(text: str) -> str:
    lines = [one_line(line) for line in text.split("\n")]
    return '"' + "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in lines) + '"'


def mermaid_view(graph: Graph) -> Iterator[str]:
    """Yield the lines of the graph as a Mermaid flowchart."""
    tree = build_ownership(graph)
    # Ids contain characters that Mermaid parses as syntax: use numbers instead.
    number = {instance.id: f"n{position}" for position, instance in enumerate(graph)}
    yield "flowchart LR\n"
    for instance, depth in walk_nested(tree):
        indent = "  " * depth
        if instance is None:
            yield f"{indent}end\n"
            continue
        label = (
            mermaid_text(clip_text(instance.name, 60)) + "<br/>" + mermaid_text(clip_text(instance.type, 60))
        )
        head = "subgraph " if instance.id in tree.parts else ""
        yield f'{indent}{head}{number[instance.id]}["{label}"]\n'
    for link in find_links(graph, tree):
        arrow = f'-- "{mermaid_text(", ".join(link.names))}" -->' if link.names else "-.->"
        yield f"  {number[link.source]} {arrow} {number[link.target]}\n"
    yield from _class_lines(graph, number)


def mermaid_text(text: str) -> str:
    """Escape a text for double quotes in Mermaid, which interprets HTML and its own entities there."""
    return "".join(
        char if char.isalnum() or char in " _-.,:/()=" else f"#{ord(char)};" for char in one_line(text)
    )


def _class_lines(graph: Graph, number: dict[str, str]) -> Iterator[str]:
    by_language: dict[str, list[str]] = {}
    for instance in graph:
        by_language.setdefault(instance.language, []).append(number[instance.id])
    for position, (language, numbers) in enumerate(by_language.items()):
        colour = language_colors(language)
        yield f"  classDef language{position} fill:{colour.fill},stroke:{colour.line}\n"
        yield f"  class {','.join(numbers)} language{position}\n"
