"""The graph in Mermaid, for wikis and pull requests: owners are subgraphs."""

from __future__ import annotations

from collections.abc import Iterator

from sabir.graph.graph import Graph
from sabir.graph.views.links import links, nested, ownership
from sabir.graph.views.palette import colours
from sabir.graph.views.words import clipped, one_line

__all__ = ["mermaid_text", "mermaid_view"]


def mermaid_view(graph: Graph) -> Iterator[str]:
    tree = ownership(graph)
    # Ids of the languages hold characters that Mermaid takes for syntax: numbers stand for them.
    number = {instance.id: f"n{position}" for position, instance in enumerate(graph)}
    yield "flowchart LR\n"
    for instance, depth in nested(tree):
        indent = "  " * depth
        if instance is None:
            yield f"{indent}end\n"
            continue
        label = mermaid_text(clipped(instance.name, 60)) + "<br/>" + mermaid_text(clipped(instance.type, 60))
        head = "subgraph " if instance.id in tree.parts else ""
        yield f'{indent}{head}{number[instance.id]}["{label}"]\n'
    for link in links(graph, tree):
        arrow = f'-- "{mermaid_text(", ".join(link.names))}" -->' if link.names else "-.->"
        yield f"  {number[link.source]} {arrow} {number[link.target]}\n"
    yield from _classes(graph, number)


def mermaid_text(text: str) -> str:
    """Safe between double quotes of Mermaid, which takes HTML and its own entities there."""
    return "".join(
        char if char.isalnum() or char in " _-.,:/()=" else f"#{ord(char)};" for char in one_line(text)
    )


def _classes(graph: Graph, number: dict[str, str]) -> Iterator[str]:
    by_language: dict[str, list[str]] = {}
    for instance in graph:
        by_language.setdefault(instance.language, []).append(number[instance.id])
    for position, (language, numbers) in enumerate(by_language.items()):
        colour = colours(language)
        yield f"  classDef language{position} fill:{colour.fill},stroke:{colour.line}\n"
        yield f"  class {','.join(numbers)} language{position}\n"
