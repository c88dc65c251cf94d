"""The law of `why`: a line that, when it is changed, changes a value is a line of the value's chain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from sabir.graph.graph import Graph
from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl.evaluate.limits import RunLimits
from sabir.languages.muranopl.evaluate.preparation import prepare_run
from sabir.languages.muranopl.evaluate.recording.recorder import RunRecorder
from sabir.languages.muranopl.graph.build import build_graph
from sabir.operations.why import Explanation, explain_subject, find_subject
from sabir.source.packages import MemoryPackage
from tests.provenance.law import Files, Law, Line, Mutant, Value, covered_lines

__all__ = [
    "MISSING",
    "Line",
    "chain",
    "chain_lines",
    "changing_lines",
    "evaluated",
    "literal_lines",
    "mutants",
    "value_of",
]

MISSING: Final = object()
# What is changed on a line: quoted texts, numbers, truth values, and plain words behind a colon or a dash.
_LITERAL: Final = re.compile(
    r"'(?P<quoted>[^']*)'|(?<![\w$.])(?P<number>\d+)(?![\w.])|\b(?P<truth>true|false)\b"
    r"|(?:(?<=: )|(?<=- )|(?<=\[)|(?<=, ))(?P<word>[a-z][\w-]*)(?=$|\]|,)"
)


def evaluated(files: Mapping[str, str], *, full: bool) -> Graph | None:
    """The graph, None when the package is broken. A change can make a loop endless: few steps are enough here."""
    prepared = prepare_run(
        MemoryPackage(dict(files)),
        EvaluationRequest(),
        limits=RunLimits(steps=5_000, seconds=5.0),
        recorder=RunRecorder() if full else None,
    )
    return None if prepared.failed or prepared.session is None else build_graph(prepared.session.runtime)


def value_of(graph: Graph | None, subject: str) -> Any:
    """The value of `object.property`; MISSING where the change broke the package or took the object away."""
    if graph is None:
        return MISSING
    id_, _, name = subject.partition(".")
    instance = graph.get(id_)
    if instance is None:
        return MISSING
    if name in instance.attributes:
        return instance.attributes[name]
    return instance.relations.get(name, MISSING)


def chain(files: Mapping[str, str], subject: str) -> Explanation:
    graph = evaluated(files, full=True)
    assert graph is not None
    return explain_subject(graph, find_subject(graph, subject), MemoryPackage(dict(files)))


def chain_lines(files: Mapping[str, str], subject: str) -> set[Line]:
    return covered_lines(chain(files, subject))


def _values(graph: Graph) -> dict[Value, str]:
    return {
        (instance.id, name): repr(value)
        for instance in graph
        for name, value in (*instance.attributes.items(), *instance.relations.items())
    }


def _variants(file: str, line: str, _files: Files) -> Iterator[str]:
    if file != "manifest.yaml":
        yield from _changed(line)


LAW: Final = Law(lambda files: evaluated(files, full=False), _values, _variants)


def mutants(files: Mapping[str, str]) -> Iterator[Mutant]:
    """The package with one literal of one line changed, for every literal and a few changes of each."""
    return LAW.mutants(files)


def _changed(line: str) -> Iterator[str]:
    if "Contract:" in line or "Usage:" in line or "Name:" in line or "=:" in line or "For:" in line:
        return  # what is no value
    for match in _LITERAL.finditer(line):
        for other in _others(match):
            yield line[: match.start()] + other + line[match.end() :]


def _others(match: re.Match[str]) -> tuple[str, ...]:
    if (quoted := match["quoted"]) is not None:
        if quoted.isdigit():
            return (f"'{int(quoted) + 1}'",)
        return (f"'{quoted}x'", "''")
    if (number := match["number"]) is not None:
        return (str(int(number) + 1), str(int(number) + 90), "0")
    if (truth := match["truth"]) is not None:
        return ("false" if truth == "true" else "true",)
    return (f"{match['word']}x",)


def changing_lines(files: Mapping[str, str], subject: str) -> set[Line]:
    """The lines of which some change changes the value."""
    return {line for line, values in _outcomes(files, subject).items() if any(values)}


def literal_lines(files: Mapping[str, str], subject: str) -> set[Line]:
    """The lines with a literal whose changes leave the package whole."""
    return set(_outcomes(files, subject))


def _outcomes(files: Mapping[str, str], subject: str) -> dict[Line, list[bool]]:
    return _cached_outcomes(tuple(files.items()), subject)


@cache
def _cached_outcomes(items: tuple[tuple[str, str], ...], subject: str) -> dict[Line, list[bool]]:
    files = dict(items)
    before = value_of(evaluated(files, full=False), subject)
    assert before is not MISSING
    found: dict[Line, list[bool]] = {}
    for mutant in mutants(files):
        after = value_of(evaluated(mutant.files, full=False), subject)
        if after is not MISSING:
            found.setdefault(mutant.line, []).append(after != before)
    return found
