"""Render: convert a package to the files of another tool."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from sabir.checks.secrecy import without_secrets
from sabir.diagnostics.finding import Finding, Severity
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import UsageError
from sabir.languages.language import EvaluationRequest, Renderer, RenderOutput, RenderRequest
from sabir.operations.evaluation import language_at, workers_for
from sabir.operations.files import write_folder
from sabir.source.packages import LoadedPackage, load_package

_YAML = (".yaml", ".yml")
_SECRET: Final = re.compile(rb"""^[ -]*kind:\s*["']?Secret["']?\s*$|"kind"\s*:\s*"Secret\"""", re.MULTILINE)
_REVEAL: Final = "reveal"
"""The option of a renderer that writes what is sensitive."""


class RenderPathRequest(Struct, frozen=True, kw_only=True):
    """The project, and the renderer with its options."""

    path: Path
    to: str | None = None
    """The renderer; None when the language has only one."""
    language: str | None = None
    directory: bool = False
    """Whether the files go to a directory; else the renderer is asked for one file."""
    evaluation: EvaluationRequest = field(default_factory=EvaluationRequest)
    render: RenderRequest = field(default_factory=RenderRequest)


class RenderResult(Struct, frozen=True, kw_only=True):
    """The rendered files by name; there may be none if there are errors."""

    files: Mapping[str, str]
    findings: tuple[Finding, ...] = ()
    archives: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """Files that are no texts."""
    reveals: bool = False
    """Whether sensitive values were asked for."""

    def is_private(self, content: bytes) -> bool:
        """Tell whether a file is for its owner only: it has a Kubernetes Secret, or may have sensitive
        values.
        """
        return self.reveals or _SECRET.search(content) is not None

    @property
    def failed(self) -> bool:
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    def single(self) -> Iterator[bytes]:
        """Yield everything as one text: one file unchanged, several YAML files as one stream of documents."""
        if len(self.archives) + bool(self.files) > 1:
            raise UsageError(
                f"this makes {len(self.files) + len(self.archives)} files: give a directory with -o DIR/"
            )
        yield from self.archives.values()
        files = iter(self.files.items())
        head = [*islice(files, 2)]
        if len(head) > 1 and not all(name.endswith(_YAML) for name, _ in head):
            raise UsageError(f"this makes {len(self.files)} files: give a directory with -o DIR/")
        for number, (_, text) in enumerate(chain(head, files)):
            if number:
                yield b"---\n"
            yield text.encode()


def render_path(request: RenderPathRequest) -> RenderResult:
    """Render the project at a path. If there are errors, there may be no files."""
    package = load_package(request.path, request.evaluation.session.limits.package)
    workers = workers_for(request.evaluation)
    if workers is not None:
        from sabir.operations.worker.messages import RenderWork

        work = RenderWork(request.to, request.directory, request.render)
        rendering = workers.render(
            package, request.path, request.evaluation, work=work, language=request.language
        )
    else:
        rendering = _render_package(package, request)
    return RenderResult(
        files=rendering.files,
        findings=without_secrets(rendering.findings, package),
        archives=rendering.archives,
        reveals=_REVEAL in request.render.options,
    )


def _render_package(package: LoadedPackage, request: RenderPathRequest) -> RenderOutput:
    language = language_at(package, request.path, request.language)
    renderer = _select_renderer(language.name, language.renderers(), request.to)
    layout = "files" if request.directory else "single"
    options = {**request.render.options, "layout": layout}
    return renderer(package, request.evaluation, replace(request.render, options=options))


def _select_renderer(language: str, renderers: Mapping[str, Renderer], name: str | None) -> Renderer:
    names = ", ".join(renderers)
    if not renderers:
        raise UsageError(f"nothing is rendered from {language} yet")
    if name is None:
        if len(renderers) > 1:
            raise UsageError(f"say what to render with --to: {language} knows {names}")
        return next(iter(renderers.values()))
    renderer = renderers.get(name)
    if renderer is None:
        raise UsageError(
            f"{language} is not rendered to {name!r}: {did_you_mean(name, renderers) or f'it knows {names}'}"
        )
    return renderer


def write_rendering(rendered: RenderResult, directory: Path) -> list[Path]:
    """Write every file to a directory; a full disk or an interrupt leaves nothing half-written."""
    texts = {name: text.encode() for name, text in rendered.files.items()}
    return write_folder(directory, {**texts, **rendered.archives}, private=rendered.is_private)
