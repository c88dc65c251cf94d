"""Rendering an environment: every part that can be rendered, each below a folder of its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from sabir.dataclasses import dataclass
from sabir.environment.evaluate import prepare_parts
from sabir.languages.language import EvaluationRequest, Language, Renderer, Rendering, RenderRequest
from sabir.plugins import LANGUAGES, load_plugins
from sabir.source.packages import LoadedPackage

__all__ = ["renderers"]


def renderers() -> Mapping[str, Renderer]:
    """What any installed language can render, for the parts in that language."""
    names: dict[str, Renderer] = {}
    for key, language in load_plugins(LANGUAGES).loaded.items():
        if key != "environment":
            for name in cast("Language", language).renderers():
                names[name] = _EnvironmentRenderer(name)
    return names


@dataclass(frozen=True, slots=True)
class _EnvironmentRenderer:
    target: str

    def __call__(
        self, package: LoadedPackage, request: EvaluationRequest, render: RenderRequest, /
    ) -> Rendering:
        files: dict[str, str] = {}
        prepared, findings = prepare_parts(package, request)
        collected = list(findings)
        for loaded, given in prepared:
            renderer = loaded.language.renderers().get(self.target)
            if renderer is None:
                continue
            rendering = renderer(loaded.package, given, render)
            collected.extend(loaded.places.finding(finding) for finding in rendering.findings)
            for name, text in rendering.files.items():
                files[f"{loaded.part.name}/{name}"] = text
        return Rendering(files=files, findings=tuple(collected))
