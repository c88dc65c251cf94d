"""Custom policy rules as a validator of a package."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from sabir.checks.policy import PolicyRule, read_rules, run_rules
from sabir.checks.selection import FileSelection
from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Finding, Severity
from sabir.environment.check import check_environment_policy
from sabir.environment.evaluate import load_environment
from sabir.errors import InputError
from sabir.languages.language import EvaluationRequest, Language
from sabir.operations.evaluation import EvaluatedPath, workers_for
from sabir.session import Session
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.source.packages.file import read_input
from sabir.source.packages.limits import PackageReadError


def policy_validator(files: Sequence[str], language: Language) -> type[BaseValidator]:
    """Return a validator that evaluates the package, with the permissions of the check, and applies the
    rules.
    """
    for name in files:
        _policy_file(name)  # what cannot be read is the user's slip, not the package's

    class PolicyValidator(BaseValidator):
        """The rules of the policy files."""

        short_name: ClassVar[str] = "RULE"
        long_name: ClassVar[str] = "rules"

        def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
            yield from FileSelection.of(files).only(self._findings())

        def _findings(self) -> Iterable[Finding]:
            request = EvaluationRequest.of_check(self.options)
            workers, path = workers_for(request), self.package.path
            if workers is None or path is None:
                return check_policy_files(self.package, names, language, request)
            return workers.judge(self.package, path, request, files=names, language=language.name)

    names = files
    return PolicyValidator


def check_policy_files(
    package: LoadedPackage, files: Sequence[str], language: Language, request: EvaluationRequest
) -> Iterator[Finding]:
    """Yield the findings of the rules in files, and findings about the rules themselves."""
    rules: list[PolicyRule] = []
    for name in files:
        read, mistakes = read_rules(_policy_file(name))
        rules.extend(read)
        yield from mistakes
    if rules:
        evaluation = language.evaluate(package, request)
        # Without a whole graph a rule would speak of things that are only missing because of the errors.
        errors = [finding for finding in evaluation.findings if finding.severity is Severity.ERROR]
        yield from errors or run_rules(rules, evaluation.graph, request.session)


def check_evaluation_policy(evaluated: EvaluatedPath, session: Session) -> Iterator[Finding]:
    """Yield the findings of an environment's policy files; nothing for a package of one language."""
    package = evaluated.package
    environment = None if package is None else load_environment(package)[0]
    if package is not None and environment is not None:
        yield from check_environment_policy(environment, package, evaluated.evaluation, session)


def _policy_file(name: str) -> PackageFile:
    try:
        return PackageFile(name, read_input(Path(name)))
    except PackageReadError as error:
        raise InputError(f"the rules {name!r} {error}") from error
