"""Environments: `sabir.yaml` with parts in several languages, combined into one graph.

`read` turns the file into an `Environment` (`nodes`), `parts` loads the packages, `references` finds the
expressions that pass values between parts, `evaluate` evaluates the parts in dependency order and `graph`
combines the results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sabir.checks.validator import BaseValidator
    from sabir.diagnostics.rules import Rule
    from sabir.languages.language import Evaluation, EvaluationRequest, Explorer, Renderer
    from sabir.source.packages import LoadedPackage

__all__ = ["ENVIRONMENT", "FILE_NAME", "EnvironmentLanguage"]

FILE_NAME: Final = "sabir.yaml"


class EnvironmentLanguage:
    """The language of `sabir.yaml`: lets an environment be used wherever a package can be."""

    name: Final = "environment"
    evaluates_when_checked: Final = False

    def recognises(self, package: LoadedPackage) -> bool:
        return package.exists(FILE_NAME)

    def rules(self) -> Sequence[Rule]:
        from sabir.diagnostics.rules import collect_rules

        return (*collect_rules("sabir.environment"), *collect_rules("sabir.deployments.placement"))

    def validators(self) -> Sequence[type[BaseValidator]]:
        from sabir.environment.check import EnvironmentValidator

        return (EnvironmentValidator,)

    def evaluate(self, package: LoadedPackage, request: EvaluationRequest) -> Evaluation:
        from sabir.environment.evaluate import evaluate_environment

        return evaluate_environment(package, request)

    def explorer(self) -> Explorer:
        from sabir.environment import editor

        return editor

    def renderers(self) -> Mapping[str, Renderer]:
        from sabir.environment.render import build_renderers

        return build_renderers()


ENVIRONMENT: Final = EnvironmentLanguage()
