"""Descriptions with one line changed, and what that does to their values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from sabir.diagnostics.finding import Severity
from sabir.errors import SabirError
from sabir.graph import Graph
from sabir.graph.values import reveal_all
from sabir.languages.language import EvaluationRequest
from sabir.operations.evaluation import evaluate_path
from tests.provenance.law import Files, Law, Line, Value
from tests.support.files import write_files

__all__ = ["Line", "Value", "changed_values", "evaluated", "named_lines", "values_of"]

_WORD = re.compile(r"[A-Za-z_]{2,}")
_NUMBER = re.compile(r"[0-9]+")
_BLOCK = re.compile(r"\s*(- )*[\w.<>-]+:\s*")


def evaluated(folder: Path, files: Mapping[str, str], *, full: bool = False) -> Graph | None:
    """None when something is wrong with them."""
    write_files(folder, files)
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
    lines_for = _law(Path()).chains(graph)
    return {value: lines_for(value) for value in values_of(graph)}


def changed_values(
    folder: Path, files: Mapping[str, str], file: str
) -> Iterator[tuple[Line, set[Value], set[Value]]]:
    """For every change of a line of a file: the line, the values that change, and those that are no longer there."""
    law = _law(folder)
    graph = evaluated(folder, files)
    assert graph is not None
    for mutant, changed, gone in law.changed(values_of(graph), law.mutants(files, file)):
        yield mutant.line, set(changed), gone
    write_files(folder, {file: files[file]})


def _law(folder: Path) -> Law:
    return Law(lambda files: evaluated(folder, files), values_of, _changes)


def _changes(_file: str, line: str, _files: Files) -> Iterator[str | None]:
    """A line that only opens a block (`properties:`) is left as it is: it says nothing but what the lines below are."""
    if line.strip() and not _BLOCK.fullmatch(line):
        yield from _variants(line)


def _variants(line: str) -> Iterator[str | None]:
    """The line with each number, truth and word of it changed; None: without the line."""
    yield None
    for match in _NUMBER.finditer(line):
        yield f"{line[: match.start()]}{int(match[0]) + 1}{line[match.end() :]}"
    for match in _WORD.finditer(line):
        flipped = {"true": "false", "false": "true"}.get(match[0])
        yield f"{line[: match.start()]}{flipped or match[0] + 'x'}{line[match.end() :]}"
