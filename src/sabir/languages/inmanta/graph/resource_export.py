"""The renderers of exported resources, in the JSON format of the original engine's tools."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection, Mapping
from typing import Final

from sabir.diagnostics.finding import Finding, Severity
from sabir.graph.origin import AttributeRead
from sabir.interpreter import collector_paused
from sabir.languages.inmanta.evaluate.calls import REFUSED
from sabir.languages.inmanta.evaluate.inputs import ModelInputs
from sabir.languages.inmanta.evaluate.model import EvaluatedModel, evaluate_package
from sabir.languages.inmanta.evaluate.values import ModelInstance
from sabir.languages.inmanta.graph.export import Export, export_model
from sabir.languages.inmanta.graph.names import facts_of
from sabir.languages.inmanta.model.functions import resource_entities
from sabir.languages.language import EvaluationRequest, RenderedObject, RenderOutput, RenderRequest
from sabir.source.packages import LoadedPackage
from sabir.text import format_json

RENDERER: Final = "inmanta-resources"


FUNCTION: Final = "function"
"""The option that names an export function of the model, to be run as well."""


def render_resources(
    package: LoadedPackage, request: EvaluationRequest, render: RenderRequest, /
) -> RenderOutput:
    """Return `resources.json`: one object for each exported resource, in creation order.

    Into a directory, the resource sets and the uploaded files are written as well.
    """
    model = evaluate_package(
        package,
        session=request.session,
        search_path=request.search_path,
        std=request.std,
        given=ModelInputs(
            request.inputs, request.input_origins, request.overrides, facts_of(request.observed)
        ),
        on_notice=request.on_notice,
    )
    errors = [] if request.session.trust.python else report_omitted(model)
    if errors or any(finding.severity is Severity.ERROR for finding in model.findings):
        findings = sorted([*model.findings, *errors], key=lambda finding: finding.sort_key)
        return RenderOutput(files={}, findings=tuple(findings))
    with collector_paused():
        export = export_model(model, function=render.options.get(FUNCTION))
    told = (*model.findings, *export.findings)
    if any(finding.severity is Severity.ERROR for finding in told):
        return RenderOutput(files={}, findings=told)
    files = {"resources.json": _to_json(export.resource_data())}
    if render.options.get("layout") == "files":
        files |= _extra_files(export)
    return RenderOutput(files=files, findings=told)


def _to_json(value: object) -> str:
    return format_json(value, indent=2) + "\n"


def _extra_files(export: Export) -> dict[str, str]:
    """Return additional files: unknown values, resource sets, files by the hash of their content."""
    files: dict[str, str] = {}
    if export.undefined:
        files["undefined.json"] = _to_json(sorted(export.undefined))
    if export.sets:
        files["resource_sets.json"] = _to_json(export.sets)
    for name, content in export.files.items():
        try:
            files[f"files/{name}"] = content.decode()
        except UnicodeDecodeError:
            files[f"files/{name}.base64"] = b64encode(content).decode()
    return files


def report_omitted(model: EvaluatedModel, *, but: Collection[str] = ()) -> list[Finding]:
    """Report resources that only Python of the model can export.

    Without permission to run it they would be missing silently. `but` are entities that another
    exporter knows.
    """
    modules = (module for module in model.definitions.project.modules.values() if not module.ours)
    homes = {
        entity: module.name for module in modules for entity in resource_entities(module) if entity not in but
    }
    first: dict[str, ModelInstance] = {}
    for instance in model.instances if homes else ():
        if instance.entity.name in homes or instance.entity.shown in homes:
            first.setdefault(instance.entity.shown, instance)
    return [
        REFUSED.at(
            message=f"resources of {name!r} are exported by Python of the model, which is not run: the model is not trusted",
            place=instance.site.place,
            hint="allow it with --trust python, or once for this project with `sabir trust`, if you trust its authors",
        )
        for name, instance in first.items()
    ]


def render_objects(model: EvaluatedModel, ids: Mapping[ModelInstance, str]) -> list[RenderedObject]:
    """Return what would be exported, each field with the attributes that were read for it."""
    reads = _Reads()
    for entity in model.definitions.entities.values():
        entity.on_read = reads.note
    export_model(model, reads)
    return [
        RenderedObject(
            name=name,
            renderer=RENDERER,
            instance=ids[instance],
            fields={
                field: tuple(AttributeRead(ids[reader], attribute) for reader, attribute in read)
                for field, read in reads.fields[instance, entity].items()
            },
        )
        for (instance, entity), name in reads.names.items()
    ]


class _Reads:
    """The attributes that each field of a resource is computed from."""

    def __init__(self) -> None:
        self.fields: dict[tuple[ModelInstance, str], dict[str, dict[tuple[ModelInstance, str], None]]] = {}
        self.names: dict[tuple[ModelInstance, str], str] = {}
        self._open: dict[tuple[ModelInstance, str], None] = {}

    def begin(self, instance: ModelInstance, entity: str, field: str) -> None:
        self._open = self.fields.setdefault((instance, entity), {}).setdefault(field, {})

    def record_export(self, instance: ModelInstance, entity: str, identity: str) -> None:
        self.names[instance, entity] = identity

    def note(self, instance: ModelInstance, attribute: str) -> None:
        self._open[instance, attribute] = None
