"""Diff: compare two graphs by meaning.

The sides are two paths, two saved graphs, two revisions, or one path with and without `--set`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.errors import UsageError
from sabir.graph.diff import Absent, GraphDiff, ValueChange, compare_graphs
from sabir.graph.graph import Graph, Instance
from sabir.graph.json.values import encode_value
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.operations.evaluation import evaluate_path
from sabir.operations.revisions import is_revision, open_path, revision_path


class DiffRequest(Struct, frozen=True, kw_only=True):
    """The two sides; overrides of `evaluation` apply to the second side only."""

    before: Path
    after: Path | None = None
    """None for the same path with the overrides of `evaluation`."""
    language: str | None = None
    evaluation: EvaluationRequest = field(default_factory=EvaluationRequest)


class DiffResult(Struct, frozen=True, kw_only=True):
    """Both graphs and their differences; the findings are those of both evaluations, without duplicates."""

    before: Graph
    after: Graph
    diff: GraphDiff
    findings: tuple[Finding, ...] = ()


def diff_paths(request: DiffRequest) -> DiffResult:
    """Evaluate both sides and compare them. Overrides apply to the second side only."""
    second = request.after or _default_after(request)
    plain = replace(request.evaluation, overrides={})
    with (
        open_path(request.before, _strip_revision(second)) as path,
        open_path(second, _strip_revision(request.before)) as other,
    ):
        before = evaluate_path(path, plain, language=request.language).evaluation
        after = evaluate_path(other, request.evaluation, language=request.language).evaluation
    return compare_evaluated(before, after)


def compare_evaluated(before: Evaluation, after: Evaluation) -> DiffResult:
    """Compare two evaluations; their findings are combined."""
    return DiffResult(
        before=before.graph,
        after=after.graph,
        diff=compare_graphs(before.graph, after.graph),
        findings=tuple(dict.fromkeys((*before.findings, *after.findings))),
    )


def _default_after(request: DiffRequest) -> Path:
    """Return what a single path is compared with: itself with overrides, or for a revision the current
    path.
    """
    if is_revision(request.before):
        return _strip_revision(request.before)
    if not request.evaluation.overrides:
        raise UsageError("name a second PATH, or say with --set what shall be different")
    return request.before


def _strip_revision(path: Path) -> Path:
    """Return the path of a revision without one: the path of the other side, or the current directory."""
    if not is_revision(path):
        return path
    return Path(revision_path(path) or ".")


def difference_data(difference: DiffResult) -> dict[str, Any]:
    """Return the differences as JSON data, the same for the command line and the server."""
    diff = difference.diff
    return {
        "added": [_instance_data(instance) for instance in diff.added],
        "removed": [_instance_data(instance) for instance in diff.removed],
        "changed": [
            {**_instance_data(changed.after), "changes": [_change_data(change) for change in changed.changes]}
            for changed in diff.changed
        ],
        "outputs": [_change_data(change) for change in diff.outputs],
    }


def _instance_data(instance: Instance) -> dict[str, Any]:
    return {"id": instance.id, "type": instance.type, "language": instance.language, "name": instance.name}


def _change_data(change: ValueChange) -> dict[str, Any]:
    data: dict[str, Any] = {"name": change.name}
    if not isinstance(change.before, Absent):
        data["before"] = encode_value(change.before)
    if not isinstance(change.after, Absent):
        data["after"] = encode_value(change.after)
    return data
