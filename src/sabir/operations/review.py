"""Review: compare every package and environment of a repository with a git revision."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding, Severity
from sabir.errors import FindingError, SabirError, UsageError
from sabir.graph.diff import compare_graphs
from sabir.graph.graph import Graph
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.operations.diff import DiffResult
from sabir.operations.evaluation import evaluate_path
from sabir.operations.packages import packages_at
from sabir.operations.revisions import GitRepository, at_revision


class ReviewRequest(Struct, frozen=True, kw_only=True):
    """The directory to review, and the revision to compare with."""

    path: Path
    since: str
    """A revision of the repository."""
    exclude: tuple[str, ...] = ()
    language: str | None = None
    evaluation: EvaluationRequest = field(default_factory=EvaluationRequest)
    on_done: Callable[[str, int, int], None] | None = None


class ReviewedPackage(Struct, frozen=True, kw_only=True):
    """One package, before and now. A new or deleted package differs by all its instances."""

    path: str
    """From the path of the request."""
    difference: DiffResult
    failure: str | None = None
    """Why it could not be compared."""

    @property
    def failed(self) -> bool:
        return self.failure is not None


class Review(Struct, frozen=True, kw_only=True):
    """The comparison of every package in a directory with a revision."""

    since: str
    packages: tuple[ReviewedPackage, ...]

    @property
    def changed(self) -> tuple[ReviewedPackage, ...]:
        return tuple(package for package in self.packages if package.difference.diff)


def review_path(request: ReviewRequest) -> Review:
    """Evaluate every package in the directory at the revision and now, and compare them.

    A package with errors cannot be compared. That is a failure only if one of its files changed: otherwise
    the errors do not come from this change.
    """
    if not request.path.is_dir():
        raise UsageError(f"{str(request.path)!r} is no folder: name the repository, or a folder of it")
    changed = GitRepository.around(request.path.absolute()).list_changes(request.since)
    with at_revision(request.path, request.since) as then:
        names = dict.fromkeys(
            (*_list_package_names(request.path, request), *_list_package_names(then, request))
        )
        packages: list[ReviewedPackage] = []
        for number, name in enumerate(sorted(names), 1):
            if request.on_done is not None:
                request.on_done(name, number, len(names))
            package = _review_package(name, then, request)
            is_touched = any(file.is_relative_to((request.path / name).resolve()) for file in changed)
            packages.append(package if is_touched else replace(package, failure=None))
    return Review(since=request.since, packages=tuple(packages))


def _list_package_names(folder: Path, request: ReviewRequest) -> list[str]:
    packages = packages_at(folder, exclude=request.exclude)
    return [package.relative_to(folder).as_posix() for package in packages]


def _review_package(name: str, then: Path, request: ReviewRequest) -> ReviewedPackage:
    plain = replace(request.evaluation, overrides={})
    try:
        before = _evaluate_side(then / name, plain, request.language)
        after = _evaluate_side(request.path / name, request.evaluation, request.language)
    except FindingError as error:
        return _not_compared(name, "it could not be evaluated", error.findings)
    except SabirError as error:
        return _not_compared(name, str(error))
    findings = tuple(dict.fromkeys(after.findings))
    # Half a graph would differ by what is only missing because of the errors.
    if any(finding.severity is Severity.ERROR for finding in (*before.findings, *findings)):
        return _not_compared(name, "it has errors, now or then", findings)
    difference = DiffResult(
        before=before.graph,
        after=after.graph,
        diff=compare_graphs(before.graph, after.graph),
        findings=findings,
    )
    return ReviewedPackage(path=name, difference=difference)


def _evaluate_side(path: Path, request: EvaluationRequest, language: str | None) -> Evaluation:
    if not path.exists():
        return Evaluation(graph=Graph(()))
    return evaluate_path(path, request, language=language).evaluation


def _not_compared(name: str, failure: str, findings: tuple[Finding, ...] = ()) -> ReviewedPackage:
    nothing = Graph(())
    difference = DiffResult(
        before=nothing, after=nothing, diff=compare_graphs(nothing, nothing), findings=findings
    )
    return ReviewedPackage(path=name, difference=difference, failure=failure)
