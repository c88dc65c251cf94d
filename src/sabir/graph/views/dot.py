"""The graph in DOT, for those who have Graphviz: owners are clusters that hold their own node and their parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.graph.graph import Graph
from sabir.graph.views.links import links, nested, ownership
from sabir.graph.views.palette import colours
from sabir.graph.views.words import clipped, one_line

__all__ = ["dot_view"]

_HEAD: Final = """\
digraph sabir {
  rankdir=LR; compound=true;
  node [shape=box, style="rounded,filled", fontname="sans-serif", fontsize=11];
  edge [fontname="sans-serif", fontsize=9, color="#64748b"];
"""


def dot_view(graph: Graph) -> Iterator[str]:
    tree = ownership(graph)
    yield _HEAD
    for instance, depth in nested(tree):
        indent = "  " * depth
        if instance is None:
            yield f"{indent}}}\n"
            continue
        if instance.id in tree.parts:
            yield f"{indent}subgraph {_id('cluster ' + instance.id)} {{\n"
            yield f'{indent}  label={_quoted(one_line(instance.name))}; style="rounded"; color="{colours(instance.language).line}";\n'
            indent += "  "
        colour = colours(instance.language)
        label = _quoted(clipped(instance.name, 60) + "\n" + clipped(instance.type, 60))
        yield f'{indent}{_id(instance.id)} [label={label}, fillcolor="{colour.fill}", color="{colour.line}"];\n'
    for link in links(graph, tree):
        style = f"label={_quoted(', '.join(link.names))}" if link.names else "style=dashed"
        yield f"  {_id(link.source)} -> {_id(link.target)} [{style}];\n"
    yield "}\n"


def _id(text: str) -> str:
    """Two ids stay two, whatever characters tell them apart."""
    return _quoted("".join(char if char.isprintable() else f"\\{ord(char):x}" for char in text))


def _quoted(text: str) -> str:
    lines = [one_line(line) for line in text.split("\n")]
    return '"' + "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in lines) + '"'
