"""Renderer of an environment: every part that has a renderer, each in a directory of its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.environment.evaluate import prepare_parts
from sabir.languages.language import EvaluationRequest, Language, Renderer, RenderOutput, RenderRequest
from sabir.plugins import LANGUAGES, load_plugins
from sabir.source.packages import LoadedPackage
from sabir.text import Place

HIDDEN: Final = Rule(
    code="ENV:W001",
    title="something sensitive is left out of what is rendered",
    why="A part is given a sensitive value, and its text would stand in a file that render writes.",
    examples="sabir.environment",
    language="environment",
    when="render",
)


def build_renderers() -> Mapping[str, Renderer]:
    """Return the renderers of all installed languages, each applied to the parts in that language."""
    names: dict[str, Renderer] = {}
    for key, language in load_plugins(LANGUAGES).loaded.items():
        if key != "environment":
            for name in cast("Language", language).renderers():
                names[name] = _EnvironmentRenderer(name)
    return names


class _EnvironmentRenderer(Struct, frozen=True):
    target: str

    def __call__(
        self, package: LoadedPackage, request: EvaluationRequest, render: RenderRequest, /
    ) -> RenderOutput:
        files: dict[str, str] = {}
        archives: dict[str, bytes] = {}
        prepared, findings = prepare_parts(package, request)
        collected = list(findings)
        for part in prepared:
            loaded = part.loaded
            renderer = loaded.language.renderers().get(self.target)
            if renderer is None:
                continue
            rendering = renderer(loaded.package, part.request, render)
            of_part = [loaded.places.finding(finding) for finding in rendering.findings]
            collected.extend(of_part if part.sensitive is None else map(part.sensitive.finding, of_part))
            archives |= {f"{loaded.part.name}/{name}": data for name, data in rendering.archives.items()}
            for name, text in rendering.files.items():
                path = f"{loaded.part.name}/{name}"
                files[path] = text
                if part.sensitive is not None and "reveal" not in render.options:
                    files[path] = part.sensitive.secrets.redact(text)
                    if files[path] != text:
                        collected.append(_report_redaction(path, part.place))
        return RenderOutput(files=files, findings=tuple(collected), archives=archives)


def _report_redaction(path: str, place: Place) -> Finding:
    message = f"{path} would hold something sensitive that the part is given; it is not written"
    return HIDDEN.at(place, message, hint="--option reveal=yes writes it")
