"""The Inmanta language: project loading, checks, evaluation and deployment (spec 002)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sabir.checks.validator import BaseValidator
    from sabir.diagnostics.rules import Rule
    from sabir.languages.language import Evaluation, EvaluationRequest, Explorer, RenderedObject, Renderer
    from sabir.resources.resource import DesiredResources
    from sabir.source.packages import LoadedPackage

__all__ = ["LANGUAGE", "InmantaLanguage"]


class InmantaLanguage:
    """The entry point of the language. Each method imports what it needs, to keep start-up cheap."""

    name = "inmanta"
    evaluates_when_checked = True
    folders: Final = ("model",)

    def recognises(self, package: LoadedPackage) -> bool:
        if package.exists("main.cf") or package.exists("model/_init.cf"):
            return True
        if package.exists("project.yml"):
            return any(True for _ in package.search_for(r".*\.cf$"))
        return any(name.endswith(".cf") and "/" not in name for name in package.list())

    def rules(self) -> Sequence[Rule]:
        from sabir.diagnostics.rules import collect_rules

        return collect_rules("sabir.languages.inmanta")

    def validators(self) -> Sequence[type[BaseValidator]]:
        from sabir.languages.inmanta.check import InmantaValidator

        return (InmantaValidator,)

    def evaluate(self, package: LoadedPackage, request: EvaluationRequest) -> Evaluation:
        from sabir.languages.inmanta.evaluate.inputs import ModelInputs
        from sabir.languages.inmanta.evaluate.model import evaluate_package
        from sabir.languages.inmanta.graph.build import build_graph
        from sabir.languages.language import Evaluation

        facts = _read_facts(request)
        given = ModelInputs(request.inputs, request.input_origins, request.overrides, facts)
        model = evaluate_package(
            package,
            session=request.session,
            search_path=request.search_path,
            std=request.std,
            given=given,
            on_notice=request.on_notice,
            trace=request.full_provenance,
        )
        graph = build_graph(model, given)
        findings = tuple(sorted(model.findings, key=lambda finding: finding.sort_key))

        def wanted() -> DesiredResources:
            from sabir.languages.inmanta.graph.resources import build_desired_resources

            return build_desired_resources(model, graph, facts, trusted=request.session.trust.python)

        if not request.full_provenance:
            return Evaluation(graph=graph, findings=findings, wanted=wanted)

        def rendered() -> Sequence[RenderedObject]:
            from sabir.languages.inmanta.graph.names import InstanceNames
            from sabir.languages.inmanta.graph.resource_export import render_objects

            return render_objects(model, InstanceNames(model.instances).ids)

        return Evaluation(graph=graph, findings=findings, rendered=rendered, wanted=wanted)

    def explorer(self) -> Explorer:
        from sabir.languages.inmanta import editor

        return editor

    def renderers(self) -> Mapping[str, Renderer]:
        from sabir.languages.inmanta.graph.resource_export import RENDERER, render_resources

        return {RENDERER: render_resources}


def _read_facts(request: EvaluationRequest) -> Mapping[tuple[str, str], str]:
    """Return the facts that earlier deployments reported."""
    if not request.observed:
        return {}
    from sabir.languages.inmanta.graph.names import facts_of

    return facts_of(request.observed)


LANGUAGE = InmantaLanguage()
