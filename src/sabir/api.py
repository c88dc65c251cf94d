"""The front door: what `import sabir` offers to programs.

Each function takes a path (a package, model, template, environment or saved graph), calls the operation that the command of
the same name calls, and answers with its result. Without a session nothing is trusted and no environment variable is seen.

What the author of a description wrote wrong is in the `findings` of a result; exceptions, all of them `SabirError`, say that a
request could not be answered at all.

Importing this raises the recursion limit of the process to what the deepest programs need.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

from msgspec.structs import replace

from sabir.checks.options import CheckOptions
from sabir.checks.report import Report
from sabir.diagnostics.finding import Finding, Severity
from sabir.errors import FindingError, InputError
from sabir.graph.graph import Graph, Instance
from sabir.graph.values import Value
from sabir.interpreter import deepen_stack
from sabir.languages.language import EvaluationRequest, RunResult
from sabir.operations.check import check_package, check_paths
from sabir.operations.compile import CompileRequest, CompileResult, GraphView, compile_path, compile_paths
from sabir.operations.diff import DiffRequest, DiffResult, diff_paths
from sabir.operations.impact import ImpactRequest, ImpactResult, impact_path
from sabir.operations.query import QueryAnswer, QueryRequest, query_graph, query_path
from sabir.operations.render import RenderPathRequest, RenderResult, render_path
from sabir.operations.run import RunRequest, run_path
from sabir.operations.why import Explanation, WhyRequest, explain_subject, find_subject, why_path
from sabir.session import Session
from sabir.source.packages import LoadedPackage, load_package

__all__ = [
    "EvaluationOptions",
    "Finding",
    "Graph",
    "Instance",
    "Session",
    "check",
    "compile",
    "compile_many",
    "diff",
    "evaluation_of",
    "impact",
    "load",
    "query",
    "render",
    "run",
    "why",
]

deepen_stack()


class EvaluationOptions(TypedDict, total=False):
    """How to evaluate; every language takes what it knows. The same words as the options of the commands."""

    inputs: Mapping[str, Value]
    model: Path | str
    """A MuranoPL object model."""
    config: Path | str
    """Configuration of a CCP deployment, class configuration of MuranoPL."""
    search_path: Sequence[Path | str]
    """Further directories with packages, modules or components."""
    imports: Sequence[str]
    """Files of this machine for what is imported from the network: `URL=PATH`."""
    overrides: Mapping[str, Value]
    """What-if values by `INSTANCE.ATTRIBUTE`, as `--set` takes them."""
    session: Session


def load(path: Path | str, *, validate: bool = False, session: Session | None = None) -> LoadedPackage:
    """The package at a path, its files unread. With `validate` it is checked, and errors raise `FindingError`."""
    session = session or Session()
    package = load_package(path, session.limits.package)
    if validate:
        report = check_package(package, CheckOptions(session=session))
        errors = [finding for _, finding in report.findings() if finding.severity is Severity.ERROR]
        if errors:
            raise FindingError(errors)
    return package


def check(*paths: Path | str, session: Session | None = None, **options: Any) -> Report:
    """Everything that is wrong with one or more packages. `options` are those of `sabir check`: `select`, `ignore` …"""
    parsed = CheckOptions.of({**options})
    result = check_paths([Path(path) for path in paths], _with_session(parsed, session))
    if result.refused:
        raise InputError("; ".join(reason for _, reason in result.refused))
    return result.report


def compile(  # noqa: A001  the command has this name
    path: Path | str,
    *,
    language: str | None = None,
    provenance: bool = False,
    **options: Unpack[EvaluationOptions],
) -> CompileResult:
    """Evaluate to the graph. With `provenance` every value knows what it was computed from, so that `why` can ask the graph."""
    evaluation = evaluation_of(options, full_provenance=provenance)
    return compile_path(
        CompileRequest(path=Path(path), language=language, evaluation=evaluation, view=GraphView())
    )


def compile_many(
    *paths: Path | str,
    language: str | None = None,
    jobs: int = 1,
    executor: str | None = None,
    **options: Unpack[EvaluationOptions],
) -> Iterator[tuple[Path, CompileResult | str]]:
    """Evaluate each path to its graph, in order; a text instead of a result says why a path could not be taken.

    With `jobs` above 1 that many processes share the work; with an `executor` (`dask://HOST:PORT`) its workers do, which must see
    the same files at the same paths. Results do not hold the files that they were made from.
    """
    places = [Path(path) for path in paths]
    request = CompileRequest(path=Path(), language=language, evaluation=evaluation_of(options))
    return zip(places, compile_paths(places, request, jobs=jobs, executor=executor), strict=True)


def query(
    subject: Path | str | Graph,
    expression: str,
    *,
    at: str | None = None,
    variables: Mapping[str, Any] | None = None,
    language: str | None = None,
    reveal: bool = False,
    **options: Unpack[EvaluationOptions],
) -> QueryAnswer:
    """The values that an Unfurl expression finds in a graph, or in the graph of what is at a path."""
    request = QueryRequest(
        path=_path(subject),
        expression=expression,
        at=at,
        variables=variables or {},
        language=language,
        evaluation=evaluation_of(options),
        reveal=reveal,
    )
    return query_graph(subject, request) if isinstance(subject, Graph) else query_path(request)


def why(
    subject: Path | str | Graph,
    name: str,
    *,
    language: str | None = None,
    **options: Unpack[EvaluationOptions],
) -> Explanation:
    """Where `INSTANCE[.ATTRIBUTE]` or `outputs.NAME` came from. A graph answers as far as its provenance was recorded."""
    if isinstance(subject, Graph):
        return explain_subject(subject, find_subject(subject, name))
    return why_path(
        WhyRequest(path=Path(subject), subject=name, language=language, evaluation=evaluation_of(options))
    )


def impact(
    path: Path | str, line: str, *, language: str | None = None, **options: Unpack[EvaluationOptions]
) -> ImpactResult:
    """Everything that rests on a line, given as `FILE:LINE`."""
    return impact_path(
        ImpactRequest(path=Path(path), line=line, language=language, evaluation=evaluation_of(options))
    )


def diff(
    before: Path | str,
    after: Path | str | None = None,
    *,
    language: str | None = None,
    **options: Unpack[EvaluationOptions],
) -> DiffResult:
    """What differs between two descriptions; without `after`, what `overrides` would change in the first."""
    request = DiffRequest(
        before=Path(before),
        after=None if after is None else Path(after),
        language=language,
        evaluation=evaluation_of(options),
    )
    return diff_paths(request)


def render(
    path: Path | str,
    to: str | None = None,
    *,
    language: str | None = None,
    **options: Unpack[EvaluationOptions],
) -> RenderResult:
    """The files that another tool reads, by name: `to` is `kubernetes`, `objectmodel` …; None where there is only one."""
    request = RenderPathRequest(
        path=Path(path), to=to, language=language, directory=True, evaluation=evaluation_of(options)
    )
    return render_path(request)


def run(
    path: Path | str,
    call: str | None = None,
    arguments: Mapping[str, Any] | None = None,
    **options: Unpack[EvaluationOptions],
) -> RunResult:
    """Call `[OBJECT.]METHOD` of a program, `deploy` of its root when nothing is named."""
    return run_path(
        RunRequest(path=Path(path), call=call, args=arguments or {}, evaluation=evaluation_of(options))
    )


def evaluation_of(options: EvaluationOptions, *, full_provenance: bool = False) -> EvaluationRequest:
    """The request that options stand for."""
    model, config = options.get("model"), options.get("config")
    session = options.get("session", Session())

    def reach(place: Path) -> Graph:
        from sabir.operations.deployment.stored_request import load_deployed_graph  # brings a database along

        return load_deployed_graph(place, session)

    return EvaluationRequest(
        reach=reach,
        inputs=options.get("inputs", {}),
        model=None if model is None else Path(model),
        config=None if config is None else Path(config),
        search_path=tuple(Path(folder) for folder in options.get("search_path", ())),
        imports=tuple(options.get("imports", ())),
        overrides=options.get("overrides", {}),
        session=session,
        full_provenance=full_provenance,
    )


def _with_session(options: CheckOptions, session: Session | None) -> CheckOptions:
    return options if session is None else replace(options, session=session)


def _path(subject: Path | str | Graph) -> Path:
    """Where relative names of an expression are looked for; a graph has no folder of its own."""
    return Path() if isinstance(subject, Graph) else Path(subject)
