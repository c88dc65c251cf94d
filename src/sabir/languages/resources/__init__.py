"""The resource language: YAML that lists desired resources by kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sabir.checks.validator import BaseValidator
    from sabir.diagnostics.rules import Rule
    from sabir.languages.language import Evaluation, EvaluationRequest, Renderer
    from sabir.source.packages import LoadedPackage

__all__ = ["LANGUAGE", "Resources"]


class Resources:
    """The entry point of the language."""

    name: Final = "resources"
    evaluates_when_checked: Final = True

    def recognises(self, package: LoadedPackage) -> bool:
        from sabir.languages.resources.recognition import is_resources_package

        return is_resources_package(package)

    def rules(self) -> Sequence[Rule]:
        from sabir.diagnostics.rules import collect_rules

        return collect_rules(__name__)

    def validators(self) -> Sequence[type[BaseValidator]]:
        from sabir.languages.resources.check import ResourcesValidator

        return (ResourcesValidator,)

    def evaluate(self, package: LoadedPackage, request: EvaluationRequest) -> Evaluation:
        from sabir.languages.resources.graph import evaluate_package

        return evaluate_package(package, request)

    def renderers(self) -> Mapping[str, Renderer]:
        return {}


LANGUAGE: Final = Resources()
