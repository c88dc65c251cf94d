"""`render --to objectmodel`: the object model as the engine would keep it after loading."""

from __future__ import annotations

from sabir.languages.language import EvaluationRequest, Rendering, RenderRequest
from sabir.languages.muranopl.evaluate.preparing import error_findings, prepare
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.source.packages import LoadedPackage
from sabir.text import format_json

__all__ = ["render_object_model"]


def render_object_model(
    package: LoadedPackage, request: EvaluationRequest, render: RenderRequest, /
) -> Rendering:
    """`model.json`: contracts applied, defaults filled in. Option `storage=true` adds `ObjectsCopy` and `Attributes`."""
    prepared = prepare(package, request)
    if prepared.session is None:
        return Rendering(files={}, findings=prepared.findings)
    session = prepared.session
    try:
        data = session.storage() if render.options.get("storage") == "true" else session.dump()
    except MuranoError as error:
        return Rendering(files={}, findings=(*prepared.findings, *error_findings(error)))
    text = format_json(data, indent=2, default=str) + "\n"
    return Rendering(files={"model.json": text}, findings=prepared.findings)
