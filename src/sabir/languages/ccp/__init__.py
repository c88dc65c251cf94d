"""CCP: application definitions that become Kubernetes objects (spec 003)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sabir.check.validator import BaseValidator
    from sabir.diagnostics.rules import Rule
    from sabir.languages.language import Evaluation, EvaluationRequest, Renderer
    from sabir.source.packages import LoadedPackage

__all__ = ["LANGUAGE", "Ccp"]


class Ccp:
    """The language as the rest of sabir sees it."""

    name: Final = "ccp"

    def recognises(self, package: LoadedPackage) -> bool:
        from sabir.languages.ccp.recognition import recognises

        return recognises(package)

    def rules(self) -> Sequence[Rule]:
        from sabir.languages.ccp.check.codes import all_codes

        return all_codes()

    def validators(self) -> Sequence[type[BaseValidator]]:
        from sabir.languages.ccp.check.validator import CcpValidator

        return (CcpValidator,)

    def evaluate(self, package: LoadedPackage, request: EvaluationRequest) -> Evaluation:
        from sabir.languages.ccp.check.findings import findings_of
        from sabir.languages.ccp.check.phases import check_deployment
        from sabir.languages.ccp.graph.build import build_graph
        from sabir.languages.ccp.loading import load_deployment
        from sabir.languages.language import Evaluation
        from sabir.source.collector import collector_paused

        with collector_paused():
            checked = check_deployment(load_deployment(package, request))
            return Evaluation(
                graph=build_graph(
                    checked,
                    full_provenance=request.full_provenance,
                    input_origins=request.input_origins,
                ),
                findings=findings_of([*checked.errors, *checked.warnings]),
            )

    def renderers(self) -> Mapping[str, Renderer]:
        from sabir.languages.ccp.evaluate.kubernetes import (
            render_configuration,
            render_dependencies,
            render_kubernetes,
            render_start_order,
        )
        from sabir.languages.ccp.graph.picture import picture_renderer

        return {
            "kubernetes": render_kubernetes,
            "start-order": render_start_order,
            "dependencies": render_dependencies,
            "configuration": render_configuration,
            **{suffix: picture_renderer(suffix) for suffix in ("mermaid", "dot", "svg")},
        }


LANGUAGE: Final = Ccp()
