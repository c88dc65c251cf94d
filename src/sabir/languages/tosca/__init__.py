"""The TOSCA language: Simple Profile 1.0 to 1.3, NFV, 2.0, and Unfurl ensembles (spec 004).

This package is the entry point that sabir loads by name. Its methods import the reader, the checks and the
evaluation only when they are called, so that recognizing a package stays cheap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sabir.checks.validator import BaseValidator
    from sabir.diagnostics.rules import Rule
    from sabir.languages.language import Evaluation, EvaluationRequest, Explorer, Renderer
    from sabir.source.packages import LoadedPackage

__all__ = ["LANGUAGE", "Tosca"]


class Tosca:
    """The TOSCA implementation of the language protocol."""

    name: Final = "tosca"
    evaluates_when_checked: Final = True
    folders: Final = ("TOSCA-Metadata",)

    def recognises(self, package: LoadedPackage) -> bool:
        from sabir.languages.tosca.syntax.recognition import is_tosca_package

        return is_tosca_package(package)

    def rules(self) -> Sequence[Rule]:
        from sabir.diagnostics.rules import collect_rules

        return (*collect_rules(__name__), *collect_rules("sabir.expressions"))

    def validators(self) -> Sequence[type[BaseValidator]]:
        from sabir.languages.tosca.check.validator import ToscaValidator

        return (ToscaValidator,)

    def evaluate(self, package: LoadedPackage, request: EvaluationRequest) -> Evaluation:
        from sabir.languages.tosca.graph.evaluation import evaluate_package

        return evaluate_package(package, request)

    def explorer(self) -> Explorer:
        from sabir.languages.tosca import editor

        return editor

    def renderers(self) -> Mapping[str, Renderer]:
        from sabir.languages.tosca.graph.csar import render_csar

        return {"csar": render_csar}


LANGUAGE: Final = Tosca()
