"""Compile: evaluate one or many packages and write their graphs.

Many packages are distributed to processes of this machine or to the workers of a scheduler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding, Severity
from sabir.errors import SabirError, UsageError
from sabir.graph.graph import Graph
from sabir.graph.views.visibility import without_libraries
from sabir.languages.language import EvaluationRequest
from sabir.operations.evaluation import evaluate_path
from sabir.source.packages import LoadedPackage


class GraphView(Struct, frozen=True, kw_only=True):
    """The format and the options with which a graph is written."""

    format: str = "json"
    origins: bool = False
    """Show the origins of values (text)."""
    reveal: bool = False
    """Write sensitive values (json, yaml)."""
    everything: bool = False
    """Include instances that libraries created for themselves; json and yaml always include them."""


class CompileRequest(Struct, frozen=True, kw_only=True):
    """The package at `path`, how to evaluate it, and how to write its graph."""

    path: Path
    language: str | None = None
    evaluation: EvaluationRequest = field(default_factory=EvaluationRequest)
    view: GraphView = field(default_factory=GraphView)


class CompileResult(Struct, frozen=True, kw_only=True):
    """The graph and the findings. If one of them is an error, the graph is incomplete."""

    graph: Graph
    findings: tuple[Finding, ...]
    view: GraphView
    title: str = ""
    """The title of pages: the last segment of the path."""
    package: LoadedPackage | None = None
    """The evaluated package; None for a saved graph."""

    @property
    def shown(self) -> Graph:
        """Return the graph without instances that libraries created for themselves, unless everything is
        requested.
        """
        return self.graph if self.view.everything else without_libraries(self.graph)

    @property
    def failed(self) -> bool:
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    def pieces(self) -> Iterator[bytes]:
        """Yield the graph in the requested format, piece by piece."""
        return FORMATS[self.view.format](self)


def compile_path(request: CompileRequest) -> CompileResult:
    """Evaluate a package; raise `UsageError` for an unknown format or options that do not fit the format."""
    view = request.view
    if view.format not in FORMATS:
        raise UsageError(f"no format {view.format!r}; there are {', '.join(FORMATS)}")
    if view.reveal and view.format not in ("json", "yaml"):
        raise UsageError("sensitive values can be written as json and yaml only")
    if view.origins and view.format != "text":
        raise UsageError("origins are an option of the format text; json and yaml always have them")
    # A page explains every value, so it needs the full provenance.
    evaluation = (
        replace(request.evaluation, full_provenance=True) if view.format == "html" else request.evaluation
    )
    evaluated = evaluate_path(request.path, evaluation, language=request.language)
    return CompileResult(
        graph=evaluated.evaluation.graph,
        findings=evaluated.evaluation.findings,
        view=view,
        title=request.path.resolve().name or str(request.path),
        package=evaluated.package,
    )


def _json_view(compiled: CompileResult) -> Iterator[bytes]:
    from sabir.graph.json import graph_chunks

    return graph_chunks(compiled.graph, reveal=compiled.view.reveal)


def _yaml_view(compiled: CompileResult) -> Iterator[bytes]:
    from sabir.graph.views.text import yaml_view

    return _encode_pieces(yaml_view(compiled.graph, reveal=compiled.view.reveal))


def _text_view(compiled: CompileResult) -> Iterator[bytes]:
    from sabir.graph.views.text import text_view

    return _encode_pieces(text_view(compiled.shown, origins=compiled.view.origins))


def _dot_view(compiled: CompileResult) -> Iterator[bytes]:
    from sabir.graph.views.diagrams import dot_view

    return _encode_pieces(dot_view(compiled.shown))


def _mermaid_view(compiled: CompileResult) -> Iterator[bytes]:
    from sabir.graph.views.diagrams import mermaid_view

    return _encode_pieces(mermaid_view(compiled.shown))


def _svg_view(compiled: CompileResult) -> Iterator[bytes]:
    from sabir.graph.views.svg import svg_view

    return _encode_pieces(svg_view(compiled.shown))


def _html_view(compiled: CompileResult) -> Iterator[bytes]:
    from sabir.graph.views.html import PageContent, html_view

    package = compiled.package

    def read_line(file: str, line: int) -> str | None:
        origin = None if package is None else package.get_file(file)
        return None if origin is None else origin.source.line_text(line)

    content = PageContent(title=compiled.title, findings=compiled.findings, read_line=read_line)
    return html_view(compiled.shown, content)


def _encode_pieces(pieces: Iterable[str]) -> Iterator[bytes]:
    # YAML can contain lone surrogates, which UTF-8 cannot encode.
    return (piece.encode("utf-8", "replace") for piece in pieces)


FORMATS: Final[Mapping[str, Callable[[CompileResult], Iterator[bytes]]]] = {
    "json": _json_view,
    "yaml": _yaml_view,
    "text": _text_view,
    "dot": _dot_view,
    "mermaid": _mermaid_view,
    "svg": _svg_view,
    "html": _html_view,
}


def compile_paths(
    paths: Sequence[Path], request: CompileRequest, *, jobs: int = 1, executor: str | None = None
) -> Iterator[CompileResult | str]:
    """Yield the result for each path, in order; a string is the reason why there is none.

    The path of the request is not used.
    """
    evaluation = request.evaluation
    work = _RemoteCompile(
        replace(request, evaluation=replace(evaluation, reach=None)), reaches=evaluation.reach is not None
    )
    if executor is not None:
        from sabir.operations.parallel import map_on_workers

        return map_on_workers(executor, work, paths)
    if jobs > 1 and len(paths) > 1:
        from sabir.operations.parallel import map_in_processes

        return map_in_processes(work, paths, jobs)
    return map(work, paths)


class _RemoteCompile(Struct, frozen=True, eq=False):
    """The work on one path, as an object that can be sent to another process."""

    request: CompileRequest
    reaches: bool
    """Whether deployed graphs of other environments may be read. The reader cannot be sent, so the process builds one."""

    def __call__(self, path: Path) -> CompileResult | str:
        evaluation = self.request.evaluation
        if self.reaches:
            from sabir.operations.deployment.stored_request import (
                load_deployed_graph,  # imported late: it needs a database
            )

            evaluation = replace(evaluation, reach=partial(load_deployed_graph, session=evaluation.session))
        try:
            compiled = compile_path(replace(self.request, path=path, evaluation=evaluation))
        except UsageError:
            raise
        except SabirError as error:
            return str(error)
        # Files cannot be sent to another process.
        return replace(compiled, package=None)
