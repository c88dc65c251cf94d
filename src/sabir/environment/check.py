"""Checking an environment: the file itself, its references, and all its parts together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from sabir.check.policy import Rule, read_rules, run_rules
from sabir.check.validator import BaseValidator
from sabir.diagnostics.codes import Code
from sabir.diagnostics.finding import Finding, Severity
from sabir.diagnostics.near import did_you_mean
from sabir.environment.evaluate import evaluate_environment, load_environment
from sabir.environment.nodes import Environment
from sabir.environment.parts import load_parts
from sabir.languages.language import EvaluationRequest

__all__ = ["EnvironmentValidator"]


class EnvironmentValidator(BaseValidator):
    """Reports on `sabir.yaml` and, under the names of their files from here, on every part. Only rules need an evaluation."""

    short_name: ClassVar[str] = "ENV"
    long_name: ClassVar[str] = "environment"

    @classmethod
    def codes(cls) -> tuple[Code, ...]:
        from sabir.environment.codes import CODES

        return CODES

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        wanted = None if files is None else set(files)
        for finding in self._findings():
            if wanted is None or finding.filename in wanted:
                yield finding

    def _findings(self) -> Iterator[Finding]:
        environment, findings = load_environment(self.package)
        yield from findings
        if environment is None:
            return
        parts, findings = load_parts(environment, self.package)
        yield from findings
        for loaded in parts:
            for validator in loaded.language.validators():
                for finding in validator(loaded.package).run():
                    yield loaded.places.finding(finding)
        if environment.rules:
            yield from self._rules(environment)

    def _rules(self, environment: Environment) -> Iterator[Finding]:
        """The policy files that the environment names, asked of the graph of all parts."""
        rules: list[Rule] = []
        for name, span in environment.rules:
            file = self.package.get_file(name)
            if file is None:
                message = f"there are no rules {name!r} in the environment"
                hint = did_you_mean(
                    name, [one for one in self.package.list() if one.endswith((".yaml", ".yml"))]
                )
                yield Finding(code="ENV:E008", message=message, place=environment.place(span), hint=hint)
                continue
            found, mistakes = read_rules(file)
            rules.extend(found)
            yield from mistakes
        if rules:
            evaluation = evaluate_environment(self.package, EvaluationRequest())
            errors = [one for one in evaluation.findings if one.severity is Severity.ERROR]
            yield from errors or run_rules(rules, evaluation.graph)
