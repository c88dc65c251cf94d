"""Impact: find the values, rendered objects and outputs that depend on a line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import UsageError
from sabir.graph.dependence import Dependent
from sabir.graph.graph import Graph
from sabir.graph.json.values import encode_value
from sabir.graph.origin import AttributeRead
from sabir.languages.language import Evaluation, EvaluationRequest, RenderedObject
from sabir.operations.evaluation import errors_first, evaluate_path
from sabir.operations.why import IMPACT_FORMAT


class ImpactRequest(Struct, frozen=True, kw_only=True):
    """The project and the line whose dependents are requested."""

    path: Path
    line: str
    """`FILE:LINE`, the file as the graph names it, or by the end of its path."""
    language: str | None = None
    evaluation: EvaluationRequest = field(default_factory=EvaluationRequest)


class AffectedObject(Struct, frozen=True):
    """A rendered object that depends on the line, and those of its fields that do."""

    name: str
    renderer: str
    fields: tuple[str, ...]
    through: AttributeRead
    """The value of the graph that the first of the fields is made of."""


class ImpactResult(Struct, frozen=True, kw_only=True):
    """Everything in the graph, and in rendered objects, that depends on one line."""

    graph: Graph
    file: str
    line: int
    affected: tuple[Dependent, ...]
    rendered: tuple[AffectedObject, ...] = ()
    findings: tuple[Finding, ...] = ()


def impact_path(request: ImpactRequest) -> ImpactResult:
    """Evaluate with full provenance and find everything that depends on the line."""
    _parse_location(request.line)  # before the work
    full = replace(request.evaluation, full_provenance=True)
    return impact_in(evaluate_path(request.path, full, language=request.language).evaluation, request.line)


def impact_in(evaluation: Evaluation, words: str) -> ImpactResult:
    """Find what depends on `FILE:LINE` in an evaluation with full provenance."""
    file, line = _parse_location(words)
    with errors_first(evaluation.findings):
        impact = impact_of(evaluation.graph, file, line)
    rendered = _find_affected_objects(impact, evaluation.rendered()) if impact.affected else ()
    return replace(impact, rendered=rendered, findings=evaluation.findings)


def _find_affected_objects(
    impact: ImpactResult, objects: Sequence[RenderedObject]
) -> tuple[AffectedObject, ...]:
    affected = {
        AttributeRead(subject.instance, subject.attribute) for subject in impact.affected if subject.instance
    }
    rendered: list[AffectedObject] = []
    for produced in objects:
        existence = AttributeRead(produced.instance, None)
        ways = {
            name: next((read for read in (existence, *reads) if read in affected), None)
            for name, reads in produced.fields.items()
        }
        fields = {name: way for name, way in ways.items() if way is not None}
        if fields:
            through = next(iter(fields.values()))
            rendered.append(AffectedObject(produced.name, produced.renderer, tuple(fields), through))
    return tuple(rendered)


def impact_of(graph: Graph, file: str, line: int) -> ImpactResult:
    """Find what depends on a line of a file; the file may be given by the end of its path."""
    dependence = graph.dependence
    name = _file_name(dependence.files, file)
    count = dependence.lines(name)
    if count is not None and line > count:
        raise UsageError(f"{name} has {count} lines, and no line {line}")
    return ImpactResult(graph=graph, file=name, line=line, affected=tuple(dependence.on_line(name, line)))


def _parse_location(words: str) -> tuple[str, int]:
    file, colon, line = words.rpartition(":")
    if not colon or not file or not line.isascii() or not line.isdigit() or int(line) < 1:
        raise UsageError(f"{words!r} is no FILE:LINE, as in main.cf:12")
    return file, int(line)


def _file_name(files: frozenset[str], wanted: str) -> str:
    """Return the file as the graph names it; users name it relative to their current directory."""
    if wanted in files:
        return wanted
    clean = wanted.removeprefix("./")
    fitting = [name for name in files if clean.endswith("/" + name) or name.endswith("/" + clean)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise UsageError(f"{wanted!r} could be {' or '.join(sorted(fitting))}")
    hint = did_you_mean(wanted, files) or f"values come from {', '.join(sorted(files)[:8]) or 'nowhere'}"
    raise UsageError(f"no value comes from a file {wanted!r}: {hint}")


def impact_data(impact: ImpactResult) -> dict[str, Any]:
    """Return the result as JSON data, the same for the command line and the server."""
    return {
        "format": IMPACT_FORMAT,
        "file": impact.file,
        "line": impact.line,
        "affected": [_impact_row(impact.graph, affected) for affected in impact.affected],
        "rendered": [_object_data(rendered) for rendered in impact.rendered],
    }


def _object_data(rendered: AffectedObject) -> dict[str, Any]:
    through = {"instance": rendered.through.instance, "attribute": rendered.through.attribute}
    return {
        "name": rendered.name,
        "renderer": rendered.renderer,
        "fields": list(rendered.fields),
        "through": through,
    }


def _impact_row(graph: Graph, affected: Dependent) -> dict[str, Any]:
    row: dict[str, Any] = {"instance": affected.instance, "attribute": affected.attribute}
    if affected.instance is not None:
        instance = graph[affected.instance]
        row |= {"name": instance.name, "type": instance.type, "language": instance.language}
        if affected.attribute is not None and affected.attribute in instance.attributes:
            row["value"] = encode_value(instance.attributes[affected.attribute])
    if affected.through is not None:
        row["through"] = {"instance": affected.through.instance, "attribute": affected.through.attribute}
    return row
