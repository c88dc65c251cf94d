"""Completions of expressions on the graph: types, instances and attributes of the last evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from sabir.graph.graph import Graph, Instance
from sabir.graph.views.text import clip_text, value_text
from sabir.lazy import lazy_pattern
from sabir.source.symbols import Candidate, SymbolKind
from sabir.source.yaml.cursor import locate_cursor
from sabir.text import Source, Span

_CONDITIONS = ("condition", "attribute")

_type_pattern: Final = lazy_pattern(r"\.type\s*=\s*(?P<word>[\w.:/-]*)\Z")
_path_pattern: Final = lazy_pattern(r"(?<![\w\]?*.)])::(?P<path>(?:[\w-]+::)+)(?P<word>[\w-]*)\Z")
_named_type_pattern: Final = lazy_pattern(r"\.type\s*=\s*([\w.:/-]+)")


def graph_candidates(graph: Graph, source: Source, offset: int) -> Iterable[Candidate]:
    """Return completions of an expression in `sabir.yaml` or a policy file that ends at an offset."""
    line, column = source.line_column(offset)
    before = source.line_text(line)[: column - 1]
    if typed := _type_pattern().search(before):
        return _type_candidates(graph, Span(offset - len(typed["word"]), offset))
    if typed := _path_pattern().search(before):
        return _member_candidates(graph, typed["path"].split("::")[:-1])
    place = locate_cursor(source, offset)
    if place.path[-1:] == ("rules",) and place.key in _CONDITIONS:
        return _attribute_candidates(_find_rule_instances(graph, source, line))
    return ()


def _type_candidates(graph: Graph, replaces: Span) -> Iterator[Candidate]:
    for name in dict.fromkeys(instance.type for instance in graph):
        yield Candidate(text=name, kind=SymbolKind.CLASS, replaces=replaces)


def _member_candidates(graph: Graph, path: list[str]) -> Iterator[Candidate]:
    """Yield the members and attributes of the instance that a path of names leads to."""
    instances: Iterable[Instance] = graph.roots
    here: Instance | None = None
    for name in path:
        here = next((instance for instance in instances if instance.name == name), None)
        if here is None:
            return
        instances = graph.list_parts(here.id)
    for instance in instances:
        yield Candidate(text=instance.name, kind=SymbolKind.INSTANCE, detail=instance.type)
    if here is not None:
        for name, value in here.attributes.items():
            yield Candidate(
                text=name, kind=SymbolKind.PROPERTY, detail=clip_text(value_text(value, graph), 60)
            )


def _find_rule_instances(graph: Graph, source: Source, line: int) -> Iterator[Instance]:
    """Yield the instances that the rule around a line applies to, if it names their type."""
    types = {name for text in _rule_lines(source, line) for name in _named_type_pattern().findall(text)}
    return (instance for instance in graph if not types or instance.type in types)


def _rule_lines(source: Source, line: int) -> Iterator[str]:
    """Yield the lines of the list item that contains a line."""
    first = line
    while first > 1 and not source.line_text(first).lstrip().startswith("- "):
        first -= 1
    yield source.line_text(first)
    for number in range(first + 1, len(source.line_starts) + 1):
        text = source.line_text(number)
        if text.lstrip().startswith("- "):
            return
        yield text


def _attribute_candidates(instances: Iterable[Instance]) -> Iterator[Candidate]:
    names = dict.fromkeys(name for instance in instances for name in instance.attributes)
    for name in names:
        yield Candidate(text=name, kind=SymbolKind.PROPERTY)
