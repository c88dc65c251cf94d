"""Descriptions with one line changed, and what that does to their values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from sabir.diagnostics.finding import Severity
from sabir.errors import SabirError
from sabir.graph import Graph
from sabir.graph.dependence import lines_of
from sabir.graph.values import reveal_all
from sabir.languages.language import EvaluationRequest
from sabir.operations.evaluate import evaluate_path
from sabir.operations.why import Explainer, Subject
from tests.mixed.parts import written

__all__ = ["Line", "Value", "changed_values", "evaluated", "named_lines", "values_of"]

Line = tuple[str, int]
Value = tuple[str | None, str]
_WORD = re.compile(r"[A-Za-z_]{2,}")
_NUMBER = re.compile(r"[0-9]+")
_BLOCK = re.compile(r"\s*(- )*[\w.<>-]+:\s*")


def evaluated(folder: Path, files: Mapping[str, str], *, full: bool = False) -> Graph | None:
    """None when something is wrong with them."""
    written(folder, files)
    try:
        evaluation = evaluate_path(folder, EvaluationRequest(full_provenance=full)).evaluation
    except SabirError:
        return None
    failed = any(one.severity is Severity.ERROR for one in evaluation.findings)
    return None if failed else evaluation.graph


def values_of(graph: Graph) -> dict[Value, str]:
    found: dict[Value, str] = {(None, name): repr(value) for name, value in graph.outputs.items()}
    for one in graph:
        found.update({(one.id, name): repr(reveal_all(value)) for name, value in one.attributes.items()})
        found.update({(one.id, name): repr(ids) for name, ids in one.relations.items()})
    return found


def named_lines(graph: Graph) -> dict[Value, set[Line]]:
    """The lines that the chain of each value names."""
    explainer = Explainer(graph)
    found: dict[Value, set[Line]] = {}
    for instance, name in values_of(graph):
        steps = explainer.explain(Subject(None if instance is None else graph[instance], name)).steps
        covered = [lines_of(step.origin) for step in steps if step.origin is not None]
        found[instance, name] = {(file, line) for file, lines in covered for line in lines}
    return found


def changed_values(
    folder: Path, files: Mapping[str, str], file: str
) -> Iterator[tuple[Line, set[Value], set[Value]]]:
    """For every change of a line of a file: the line, the values that change, and those that are no longer there.

    A line that only opens a block (`properties:`) is left as it is: it says nothing but what the lines below it are.
    """
    graph = evaluated(folder, files)
    assert graph is not None
    before = values_of(graph)
    lines = files[file].split("\n")
    for number, line in enumerate(lines):
        if not line.strip() or _BLOCK.fullmatch(line):
            continue
        for new in _variants(line):
            text = "\n".join([*lines[:number], *([] if new is None else [new]), *lines[number + 1 :]])
            after = evaluated(folder, {file: text})
            values = {} if after is None else values_of(after)
            changed = {one for one, value in before.items() if values.get(one, value) != value}
            yield (file, number + 1), changed, before.keys() - values.keys()
    written(folder, {file: files[file]})


def _variants(line: str) -> Iterator[str | None]:
    """The line with each number, truth and word of it changed; None: without the line."""
    yield None
    for match in _NUMBER.finditer(line):
        yield f"{line[: match.start()]}{int(match[0]) + 1}{line[match.end() :]}"
    for match in _WORD.finditer(line):
        flipped = {"true": "false", "false": "true"}.get(match[0])
        yield f"{line[: match.start()]}{flipped or match[0] + 'x'}{line[match.end() :]}"
