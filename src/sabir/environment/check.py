"""Check of an environment: `sabir.yaml`, its references, all its parts together, and its policy files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import ClassVar, Final

from sabir.checks.policy import PolicyRule, read_rules, run_rules
from sabir.checks.selection import FileSelection
from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Finding, Severity
from sabir.diagnostics.rules import Rule, collect_rules, list_withheld_codes
from sabir.diagnostics.suggestions import did_you_mean
from sabir.environment.evaluate import evaluate_environment, load_environment
from sabir.environment.examples import environment_rule
from sabir.environment.nodes import Environment
from sabir.environment.parts import LoadedPart, load_parts
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.session import Session
from sabir.source.packages import LoadedPackage

MISSING_RULES: Final = environment_rule(
    "E008",
    "a policy file that cannot be read",
    "The files under rules lie beside sabir.yaml, or are named from its folder.",
)


def environment_rules(
    environment: Environment, package: LoadedPackage
) -> tuple[tuple[PolicyRule, ...], tuple[Finding, ...]]:
    """Read the rules of all policy files; the findings report defects of those files."""
    rules: list[PolicyRule] = []
    findings: list[Finding] = []
    for name, span in environment.rules:
        file = package.get_file(name)
        if file is None:
            message = f"there are no rules {name!r} in the environment"
            files = [each for each in package.list() if each.endswith((".yaml", ".yml"))]
            findings.append(
                MISSING_RULES.at(environment.place(span), message, hint=did_you_mean(name, files))
            )
            continue
        read, mistakes = read_rules(file)
        rules += read
        findings += mistakes
    return tuple(rules), tuple(findings)


def check_environment_policy(
    environment: Environment, package: LoadedPackage, evaluation: Evaluation, session: Session
) -> Iterator[Finding]:
    """Check the graph of all parts against the policy files of the environment.

    Defects of the policy files themselves are reported as well.
    """
    rules, mistakes = environment_rules(environment, package)
    yield from mistakes
    # Without a whole graph a rule would speak of things that are only missing because of the errors.
    if rules and not any(finding.severity is Severity.ERROR for finding in evaluation.findings):
        yield from run_rules(rules, evaluation.graph, session)


class EnvironmentValidator(BaseValidator):
    """Reports findings about `sabir.yaml` and about every part, with file names relative to the
    environment.
    """

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
        yield from check_environment_policy(environment, self.package, self._evaluation, self.session)

    def _parts(self, parts: Sequence[LoadedPart]) -> Iterator[Finding]:
        """Yield the findings of each language's validators, then those of an evaluation of all parts
        together.

        A part that the environment configures or describes itself is only evaluated: without its inputs it is
        not complete, so the validators would report defects that do not exist. A missing permission is not a
        defect.
        """
        said: set[tuple[str, str, str]] = set()
        for loaded in parts:
            if loaded.part.config is None and not loaded.part.described_here:
                for kind in loaded.language.validators():
                    validator = kind(loaded.package)
                    validator.options = self.options
                    for finding in validator.run():
                        moved = loaded.places.finding(finding)
                        said.add(_finding_key(moved))
                        yield moved
        rules = (rule for loaded in parts for rule in loaded.language.rules())
        withheld = list_withheld_codes((*collect_rules("sabir.expressions"), *rules))
        for finding in self._evaluation.findings:
            if finding.code not in withheld and _finding_key(finding) not in said:
                yield finding

    @cached_property
    def _evaluation(self) -> Evaluation:
        return evaluate_environment(self.package, EvaluationRequest.of_check(self.options))


def _finding_key(finding: Finding) -> tuple[str, str, str]:
    return finding.code, str(finding.location), finding.message
