"""Evaluation of a path: a package is evaluated by its language, a saved graph is read."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding, Severity
from sabir.errors import FindingError, InputError, UsageError
from sabir.graph.graph import Graph
from sabir.graph.observations import with_sightings
from sabir.languages.language import Evaluation, EvaluationRequest, Language
from sabir.operations.packages import find_language
from sabir.session import Limits
from sabir.source.packages import LoadedPackage, load_package
from sabir.source.packages.file import is_stream
from sabir.source.packages.views import EditedPackage

if TYPE_CHECKING:
    from sabir.operations.worker import WorkerPool


_HEAD: Final = 4096
_MOST_NAMES: Final = 8


class EvaluatedPath(Struct, frozen=True, kw_only=True):
    """The evaluation, and the package it was made from (None for a saved graph)."""

    evaluation: Evaluation
    package: LoadedPackage | None = None


def evaluate_path(
    path: Path,
    request: EvaluationRequest,
    *,
    language: str | None = None,
    texts: Mapping[str, str] = MappingProxyType({}),
) -> EvaluatedPath:
    """Evaluate the package at a path, in the given language or the detected one.

    `texts` replace files of the package, by name.
    """
    if language is None and _is_saved_graph(path):
        return _load_saved_graph(path.read_bytes(), str(path), request)
    package = load_package(path, request.session.limits.package)
    if texts:
        package = EditedPackage(package, texts)
    if language is None and is_stream(path):  # a pipe can be read only once, so it is looked at afterwards
        raw = b"".join(file.raw() for file in map(package.get_file, package.list()) if file is not None)
        if _begins_like_a_graph(raw[:_HEAD]):
            return _load_saved_graph(raw, package.name, request)
    try:
        evaluation = _run_evaluation(package, path, request, language)
    except FindingError as error:
        raise FindingError(_without_secrets(error.findings, package)) from error
    if not any(finding.severity is Severity.ERROR for finding in evaluation.findings):
        _check_instance_count(evaluation.graph, package.name, request.session.limits)
    if request.sightings:
        seen = with_sightings(evaluation.graph, request.sightings, request.observed)
        evaluation = replace(evaluation, graph=seen)
    findings = _without_secrets(evaluation.findings, package, evaluation.graph)
    return EvaluatedPath(evaluation=replace(evaluation, findings=findings), package=package)


def _check_instance_count(graph: Graph, name: str, limits: Limits) -> None:
    """Raise an error above the limit of instances; languages that create them one by one stop earlier."""
    if len(graph) > limits.instances:
        from sabir.diagnostics.limits import over_limit

        message = f"{len(graph):,} instances are more than the {limits.instances:,} that are allowed"
        raise FindingError([over_limit(name, message, f"--limits instances={limits.instances * 10}")])


def _run_evaluation(
    package: LoadedPackage, path: Path, request: EvaluationRequest, language: str | None
) -> Evaluation:
    workers = workers_for(request)
    if workers is not None:
        return workers.evaluate(package, path, request, language=language)
    return language_at(package, path, language).evaluate(package, request)


def evaluate_package(package: LoadedPackage, language: Language, request: EvaluationRequest) -> Evaluation:
    """Evaluate a package whose language is known, as `evaluate_path` does."""
    workers = workers_for(request)
    if workers is not None and package.path is not None:
        return workers.evaluate(package, package.path, request, language=language.name)
    return language.evaluate(package, request)


def workers_for(request: EvaluationRequest) -> WorkerPool | None:
    """Return the pool that must evaluate the request because Python code of the project may run; None for
    this process.
    """
    return request.session.workers if request.session.trust.python else None


def _without_secrets(
    findings: tuple[Finding, ...], package: LoadedPackage, graph: Graph | None = None
) -> tuple[Finding, ...]:
    if not findings:
        return findings
    from sabir.checks.secrecy import without_secrets  # there is seldom something to say
    from sabir.graph.secrets import sensitive_values

    values = () if graph is None else sensitive_values(graph)
    return without_secrets(findings, package, (text for texts, _ in values for text in texts))


@contextmanager
def errors_first(findings: Sequence[Finding]) -> Generator[None]:
    """Replace a usage error inside the context by the errors among the findings.

    What the user asked for may be missing in the graph only because of those errors.
    """
    try:
        yield
    except UsageError as error:
        if any(finding.severity is Severity.ERROR for finding in findings):
            raise FindingError(findings) from error
        raise


def language_at(package: LoadedPackage, path: Path, name: str | None) -> Language:
    """Return the language of one package; for a directory of several packages, raise an error that lists
    them.
    """
    if name is None and path.is_dir():
        from sabir.operations.packages import packages_at

        inside = packages_at(path)
        if inside != [path]:
            listed = ", ".join(map(str, inside[:_MOST_NAMES]))
            more = f" and {len(inside) - _MOST_NAMES} more" if len(inside) > _MOST_NAMES else ""
            raise InputError(f"{package.name} is a folder of packages: name one, of {listed}{more}")
    return find_language(package, name)


def _load_saved_graph(raw: bytes, name: str, request: EvaluationRequest) -> EvaluatedPath:
    from sabir.graph.json import load_graph

    if request.overrides:
        overridden = next(iter(request.overrides))
        raise UsageError(
            f"--set {overridden}: a saved graph is not evaluated again; give the package it was made from"
        )
    return EvaluatedPath(evaluation=Evaluation(graph=load_graph(raw, name=name)))


def _is_saved_graph(path: Path) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except ValueError:  # a NUL in the path: the loader says so in its own words
        return False
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror or error}") from error
    return _begins_like_a_graph(head)


def _begins_like_a_graph(head: bytes) -> bool:
    return b'"sabir.graph/' in head and b'"format"' in head
