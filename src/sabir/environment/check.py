"""Checking an environment: the file itself, its references, and all its parts together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import ClassVar, Final

from sabir.checks.files import FileSelection
from sabir.checks.policy import PolicyRule, read_rules, run_rules
from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Finding, Severity
from sabir.diagnostics.near import did_you_mean
from sabir.diagnostics.rules import Rule, collect_rules
from sabir.environment.evaluate import evaluate_environment, load_environment
from sabir.environment.examples import environment_rule
from sabir.environment.nodes import Environment
from sabir.environment.parts import LoadedPart, load_parts
from sabir.languages.language import Evaluation, EvaluationRequest, Language

__all__ = ["EnvironmentValidator"]

MISSING_RULES: Final = environment_rule(
    "E008",
    "a policy file that cannot be read",
    "The files under rules lie beside sabir.yaml, or are named from its folder.",
    "parts:\n  db:\n    path: db.yaml\nrules: gone.yaml\n",
)


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
        yield from self._rules(environment)

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
        withheld = _withheld(loaded.language for loaded in parts)
        for finding in self._evaluation.findings:
            if finding.code not in withheld and _key(finding) not in said:
                yield finding

    @cached_property
    def _evaluation(self) -> Evaluation:
        return evaluate_environment(self.package, EvaluationRequest.of_check(self.options))

    def _rules(self, environment: Environment) -> Iterator[Finding]:
        """The policy files that the environment names, asked of the graph of all parts."""
        rules: list[PolicyRule] = []
        for name, span in environment.rules:
            file = self.package.get_file(name)
            if file is None:
                message = f"there are no rules {name!r} in the environment"
                hint = did_you_mean(
                    name, [one for one in self.package.list() if one.endswith((".yaml", ".yml"))]
                )
                yield MISSING_RULES.at(environment.place(span), message, hint=hint)
                continue
            found, mistakes = read_rules(file)
            rules.extend(found)
            yield from mistakes
        # Without a whole graph a rule would speak of things that are only missing because of the errors.
        if rules and not any(one.severity is Severity.ERROR for one in self._evaluation.findings):
            yield from run_rules(rules, self._evaluation.graph, self.session)


def _withheld(languages: Iterable[Language]) -> set[str]:
    """The codes of what was refused because the operator has not allowed it."""
    rules = (
        *collect_rules("sabir.expressions"),
        *(rule for language in languages for rule in language.rules()),
    )
    return {rule.code for rule in rules if rule.withheld}


def _key(finding: Finding) -> tuple[str, str, str]:
    return finding.code, str(finding.location), finding.message
