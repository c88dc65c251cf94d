"""Diff: two graphs compared by meaning; two paths, two saved graphs, or one path with and without `--set`."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.errors import UsageError
from sabir.graph.diff import GraphDiff, compare_graphs
from sabir.graph.graph import Graph
from sabir.languages.language import EvaluationRequest
from sabir.operations.evaluate import evaluate_path

__all__ = ["DiffRequest", "Difference", "diff_paths"]


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
    if request.after is None and not request.evaluation.overrides:
        raise UsageError("name a second PATH, or say with --set what shall be different")
    plain = replace(request.evaluation, overrides={})
    before = evaluate_path(request.before, plain, language=request.language).evaluation
    after = evaluate_path(
        request.after or request.before, request.evaluation, language=request.language
    ).evaluation
    return Difference(
        before=before.graph,
        after=after.graph,
        diff=compare_graphs(before.graph, after.graph),
        findings=tuple(dict.fromkeys((*before.findings, *after.findings))),
    )
