"""From a path to a graph: a package is evaluated by its language, a saved graph is read."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding, Severity
from sabir.errors import FindingError, UnusableInput, UsageError
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.operations.languages import find_language
from sabir.source.packages import LoadedPackage, load_package

__all__ = ["EvaluatedPath", "errors_first", "evaluate_path"]

_HEAD: Final = 4096


class EvaluatedPath(Struct, frozen=True, kw_only=True):
    """The evaluation, and the package it was made from (None for a saved graph)."""

    evaluation: Evaluation
    package: LoadedPackage | None = None


def evaluate_path(path: Path, request: EvaluationRequest, *, language: str | None = None) -> EvaluatedPath:
    """Evaluate what is at a path, in the given language or the one found from its files."""
    if language is None and _is_saved_graph(path):
        from sabir.graph.json import load

        if request.overrides:
            overridden = next(iter(request.overrides))
            raise UsageError(
                f"--set {overridden}: a saved graph is not evaluated again; give the package it was made from"
            )
        return EvaluatedPath(evaluation=Evaluation(graph=load(path.read_bytes(), name=str(path))))
    package = load_package(path, request.session.limits.package)
    workers, trust = request.session.workers, request.session.trust
    if workers is not None and trust.python:
        evaluation = workers.evaluate(package, path, request, language=language)
    else:
        evaluation = find_language(package, language).evaluate(package, request)
    return EvaluatedPath(evaluation=evaluation, package=package)


@contextmanager
def errors_first(findings: Sequence[Finding]) -> Generator[None]:
    """What is not in a graph because of errors is not the user's mistake: the errors are said instead."""
    try:
        yield
    except UsageError as error:
        if any(finding.severity is Severity.ERROR for finding in findings):
            raise FindingError(findings) from error
        raise


def _is_saved_graph(path: Path) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except ValueError:  # a NUL in the path: the loader says so in its own words
        return False
    except OSError as error:
        raise UnusableInput(f"cannot read {str(path)!r}: {error.strerror or error}") from error
    return b'"sabir.graph/' in head and b'"format"' in head
