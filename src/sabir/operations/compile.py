"""Compile: evaluate a package and write its graph in one of the formats.

Compile many packages, shared out to processes of this machine or to the workers of a scheduler.
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
    """How a graph is to be written."""

    format: str = "json"
    origins: bool = False
    """Show where values came from (text)."""
    reveal: bool = False
    """Write sensitive values (json, yaml)."""
    everything: bool = False
    """Show what libraries made for themselves, too; json and yaml always have it."""


class CompileRequest(Struct, frozen=True, kw_only=True):
    path: Path
    language: str | None = None
    evaluation: EvaluationRequest = field(default_factory=EvaluationRequest)
    view: GraphView = field(default_factory=GraphView)


class CompileResult(Struct, frozen=True, kw_only=True):
    """The graph and the findings. With an error the graph is only as far as it came."""

    graph: Graph
    findings: tuple[Finding, ...]
    view: GraphView
    title: str = ""
    """What pages call it: the last part of the path."""
    package: LoadedPackage | None = None
    """What it was made from; None for a saved graph."""

    @property
    def shown(self) -> Graph:
        """The graph as people are shown it."""
        return self.graph if self.view.everything else without_libraries(self.graph)

    @property
    def failed(self) -> bool:
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    def pieces(self) -> Iterator[bytes]:
        """The graph in the wanted format, piece by piece."""
        return FORMATS[self.view.format](self)


def compile_path(request: CompileRequest) -> CompileResult:
    view = request.view
    if view.format not in FORMATS:
        raise UsageError(f"no format {view.format!r}; there are {', '.join(FORMATS)}")
    if view.reveal and view.format not in ("json", "yaml"):
        raise UsageError("sensitive values can be written as json and yaml only")
    if view.origins and view.format != "text":
        raise UsageError("origins are an option of the format text; json and yaml always have them")
    # A page answers `why` for every value, so it needs the long answer.
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
    # Lone surrogates, which YAML can write, have no place in UTF-8.
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
    """What comes of each path, in order; a text says why there is nothing. The path of the request does not matter."""
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
    """The work on one path as something that can be sent to another process."""

    request: CompileRequest
    reaches: bool
    """Whether other environments may be asked for as they were deployed; who asks does not travel, and is made there."""

    def __call__(self, path: Path) -> CompileResult | str:
        evaluation = self.request.evaluation
        if self.reaches:
            from sabir.operations.deployment.stored_request import (
                load_deployed_graph,  # it brings a database along
            )

            evaluation = replace(evaluation, reach=partial(load_deployed_graph, session=evaluation.session))
        try:
            compiled = compile_path(replace(self.request, path=path, evaluation=evaluation))
        except UsageError:
            raise
        except SabirError as error:
            return str(error)
        # Files stay where they were read.
        return replace(compiled, package=None)
