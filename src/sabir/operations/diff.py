"""Diff: two graphs compared by meaning; two paths, two saved graphs, or one path with and without `--set`."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.errors import UsageError
from sabir.graph.diff import GraphDiff, compare_graphs
from sabir.graph.graph import Graph
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.operations.evaluation import evaluate_path
from sabir.operations.revisions import is_revision, readable, revision_path

__all__ = ["DiffRequest", "Difference", "compare_evaluated", "diff_paths"]


class DiffRequest(Struct, frozen=True, kw_only=True):
    before: Path
    after: Path | None = None
    """None: the same path, with the overrides of `evaluation`."""
    language: str | None = None
    evaluation: EvaluationRequest = field(default_factory=EvaluationRequest)


class Difference(Struct, frozen=True, kw_only=True):
    before: Graph
    after: Graph
    diff: GraphDiff
    findings: tuple[Finding, ...] = ()


def diff_paths(request: DiffRequest) -> Difference:
    """Evaluate both sides and compare them. Overrides hold for the second side only."""
    second = request.after or _present(request)
    plain = replace(request.evaluation, overrides={})
    with (
        readable(request.before, _other(second)) as path,
        readable(second, _other(request.before)) as other,
    ):
        before = evaluate_path(path, plain, language=request.language).evaluation
        after = evaluate_path(other, request.evaluation, language=request.language).evaluation
    return compare_evaluated(before, after)


def compare_evaluated(before: Evaluation, after: Evaluation) -> Difference:
    return Difference(
        before=before.graph,
        after=after.graph,
        diff=compare_graphs(before.graph, after.graph),
        findings=tuple(dict.fromkeys((*before.findings, *after.findings))),
    )


def _present(request: DiffRequest) -> Path:
    """What a single path is compared with: itself with other values, or a revision with what is there now."""
    if is_revision(request.before):
        return _other(request.before)
    if not request.evaluation.overrides:
        raise UsageError("name a second PATH, or say with --set what shall be different")
    return request.before


def _other(path: Path) -> Path:
    """The path that a revision without one speaks of: that of the other side, else this folder."""
    if not is_revision(path):
        return path
    return Path(revision_path(path) or ".")
