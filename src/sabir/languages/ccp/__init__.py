"""The CCP language: application definitions that become Kubernetes objects (spec 003)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sabir.checks.validator import BaseValidator
    from sabir.diagnostics.rules import Rule
    from sabir.languages.language import Evaluation, EvaluationRequest, Explorer, Renderer
    from sabir.source.packages import LoadedPackage
    from sabir.text import Source

__all__ = ["LANGUAGE", "Ccp"]


class Ccp:
    """The entry point of the language. Each method imports what it needs, to keep start-up cheap."""

    name: Final = "ccp"
    evaluates_when_checked: Final = False
    folders: Final = ("service",)

    def recognises(self, package: LoadedPackage) -> bool:
        from sabir.languages.ccp.recognition import is_ccp_package

        return is_ccp_package(package)

    def rules(self) -> Sequence[Rule]:
        from sabir.languages.ccp.check.validator import CcpValidator

        return CcpValidator.rules()

    def validators(self) -> Sequence[type[BaseValidator]]:
        from sabir.languages.ccp.check.validator import CcpValidator

        return (CcpValidator,)

    def evaluate(self, package: LoadedPackage, request: EvaluationRequest) -> Evaluation:
        from sabir.graph import Graph
        from sabir.interpreter import collector_paused
        from sabir.languages.ccp.check.phases import check_deployment
        from sabir.languages.ccp.graph.build import build_graph
        from sabir.languages.ccp.graph.operations import build_desired_resources
        from sabir.languages.ccp.model.deployment import load_deployment
        from sabir.languages.language import Evaluation

        with collector_paused():
            checked = check_deployment(load_deployment(package, request, keeps_trees=True))
            if checked.resolved is None:
                # Half a deployment would answer questions wrongly, so with errors there is none.
                return Evaluation(graph=Graph(()), findings=checked.findings)
            graph = build_graph(
                checked.resolved,
                full_provenance=request.full_provenance,
                input_origins=request.input_origins,
            )
            return Evaluation(
                graph=graph,
                findings=checked.consequential,
                wanted=partial(build_desired_resources, checked.resolved, graph),
            )

    def list_included_files(self, configuration: Source) -> Iterable[str]:
        from sabir.languages.ccp.syntax.includes import list_include_names

        return list_include_names(configuration)

    def explorer(self) -> Explorer:
        from sabir.languages.ccp import editor

        return editor

    def renderers(self) -> Mapping[str, Renderer]:
        from sabir.languages.ccp.renderers import (
            picture_renderer,
            render_configuration,
            render_dependencies,
            render_dockerfiles,
            render_domains,
            render_fetch,
            render_images,
            render_kubernetes,
            render_runner_image,
            render_start_order,
        )

        return {
            "kubernetes": render_kubernetes,
            "start-order": render_start_order,
            "dependencies": render_dependencies,
            "configuration": render_configuration,
            "images": render_images,
            "dockerfiles": render_dockerfiles,
            "domains": render_domains,
            "runner-image": render_runner_image,
            "fetch": render_fetch,
            **{suffix: picture_renderer(suffix) for suffix in ("mermaid", "dot", "svg")},
        }


LANGUAGE: Final = Ccp()
