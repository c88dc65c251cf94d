"""Checking an environment: the file itself, its references, and all its parts together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import ClassVar

from sabir.checks.selection import FileSelection
from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule, collect_rules, withheld_codes
from sabir.environment.evaluate import evaluate_environment, load_environment
from sabir.environment.parts import LoadedPart, load_parts
from sabir.environment.policy import judged_environment
from sabir.languages.language import Evaluation, EvaluationRequest

__all__ = ["EnvironmentValidator"]


class EnvironmentValidator(BaseValidator):
    """Reports on `sabir.yaml` and, under the names of their files from here, on every part."""

    short_name: ClassVar[str] = "ENV"
    long_name: ClassVar[str] = "environment"

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        return collect_rules("sabir.environment")

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        yield from FileSelection.of(files).only(self._findings())

    def _findings(self) -> Iterator[Finding]:
        environment, findings = load_environment(self.package)
        if environment is None:
            yield from findings
            return
        # Findings about sabir.yaml itself and about parts that are not there come with the evaluation.
        parts, _ = load_parts(environment, self.package, self.session)
        yield from self._parts(parts)
        yield from judged_environment(environment, self.package, self._evaluation, self.session)

    def _parts(self, parts: Sequence[LoadedPart]) -> Iterator[Finding]:
        """What the validators of each language say, and what only an evaluation of all parts together can tell.

        A part that the environment configures or describes itself is judged by the evaluation alone: without that it is
        not complete. What an evaluation was not trusted to do is no defect.
        """
        said: set[tuple[str, str, str]] = set()
        for loaded in parts:
            if loaded.part.config is None and not loaded.part.described_here:
                for kind in loaded.language.validators():
                    validator = kind(loaded.package)
                    validator.options = self.options
                    for finding in validator.run():
                        moved = loaded.places.finding(finding)
                        said.add(_key(moved))
                        yield moved
        rules = (rule for loaded in parts for rule in loaded.language.rules())
        withheld = withheld_codes((*collect_rules("sabir.expressions"), *rules))
        for finding in self._evaluation.findings:
            if finding.code not in withheld and _key(finding) not in said:
                yield finding

    @cached_property
    def _evaluation(self) -> Evaluation:
        return evaluate_environment(self.package, EvaluationRequest.of_check(self.options))


def _key(finding: Finding) -> tuple[str, str, str]:
    return finding.code, str(finding.location), finding.message
