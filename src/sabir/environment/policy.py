"""The policy files that an environment names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.checks.policy import PolicyRule, read_rules, run_rules
from sabir.diagnostics.finding import Finding, Severity
from sabir.diagnostics.suggestions import did_you_mean
from sabir.environment.examples import environment_rule
from sabir.environment.nodes import Environment
from sabir.languages.language import Evaluation
from sabir.session import Session
from sabir.source.packages import LoadedPackage

__all__ = ["environment_rules", "judged_environment"]

MISSING_RULES: Final = environment_rule(
    "E008",
    "a policy file that cannot be read",
    "The files under rules lie beside sabir.yaml, or are named from its folder.",
)


def environment_rules(
    environment: Environment, package: LoadedPackage
) -> tuple[tuple[PolicyRule, ...], tuple[Finding, ...]]:
    """The rules of all policy files, and what is wrong with these."""
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


def judged_environment(
    environment: Environment, package: LoadedPackage, evaluation: Evaluation, session: Session
) -> Iterator[Finding]:
    """What the policy files that the environment names say of the graph of all parts, and what is wrong with them."""
    rules, mistakes = environment_rules(environment, package)
    yield from mistakes
    # Without a whole graph a rule would speak of things that are only missing because of the errors.
    if rules and not any(finding.severity is Severity.ERROR for finding in evaluation.findings):
        yield from run_rules(rules, evaluation.graph, session)
