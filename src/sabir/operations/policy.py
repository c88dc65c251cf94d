"""Rules of one's own, as a validator of the package they are asked of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from sabir.checks.files import FileSelection
from sabir.checks.policy import PolicyRule, read_rules, run_rules
from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Finding, Severity
from sabir.errors import UnusableInput
from sabir.languages.language import EvaluationRequest, Language
from sabir.source.packages import PackageFile

__all__ = ["policy_validator"]


def policy_validator(files: Sequence[str], language: Language) -> type[BaseValidator]:
    """A validator that evaluates the package, with the trust of the check, and asks the rules of its graph."""
    rules: list[PolicyRule] = []
    mistakes: list[Finding] = []
    for name in files:
        read, wrong = read_rules(_policy_file(name))
        rules.extend(read)
        mistakes.extend(wrong)

    class PolicyValidator(BaseValidator):
        """The rules of the policy files."""

        short_name: ClassVar[str] = "RULE"
        long_name: ClassVar[str] = "rules"

        def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
            yield from FileSelection.of(files).only(self._findings())

        def _findings(self) -> Iterator[Finding]:
            yield from mistakes
            if rules:
                evaluation = language.evaluate(self.package, EvaluationRequest.of_check(self.options))
                # Without a whole graph a rule would speak of things that are only missing because of the errors.
                errors = [finding for finding in evaluation.findings if finding.severity is Severity.ERROR]
                yield from errors or run_rules(rules, evaluation.graph, self.session)

    return PolicyValidator


def _policy_file(name: str) -> PackageFile:
    try:
        return PackageFile(name, Path(name).read_bytes())
    except OSError as error:
        raise UnusableInput(f"cannot read the rules {name!r}: {error.strerror or error}") from error
