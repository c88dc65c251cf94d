"""Findings of an evaluation for `check`: values that clash, are missing or form a cycle.

The evaluation has the permissions of the check: none, unless the operator granted some. If it needs a
permission or an input that is missing, findings that follow from the gap say nothing about the project. Then
the package counts as not evaluated, and the summary states the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sabir.checks.check_task import CheckRunner, CheckTask, run_guarded, run_in_turn
from sabir.diagnostics.finding import Finding, Severity
from sabir.diagnostics.rules import list_withheld_codes
from sabir.errors import SabirError
from sabir.languages.language import EvaluationRequest, Language
from sabir.operations.evaluation import evaluate_package
from sabir.source.packages import LoadedPackage


class EvaluatingCheck:
    """Evaluates a package after its checks and adds findings that these did not report."""

    def __init__(self, package: LoadedPackage, language: Language, request: EvaluationRequest) -> None:
        self.package, self.language, self.request = package, language, request
        self.not_evaluated: str | None = None
        """Set by the run: why there was no evaluation that would say something about the text."""

    def after(self, run: CheckRunner | None) -> CheckRunner:
        """Return a runner that evaluates the package after `run` has called the checks."""
        return lambda checks: self._findings(checks, run or run_in_turn)

    def _findings(self, checks: Sequence[CheckTask], run: CheckRunner) -> Iterator[Finding]:
        findings = [*run(checks)]
        yield from findings
        evaluated = run_guarded(
            self._evaluate,
            name="of the evaluation",
            file="<evaluation>",
            debugging=self.request.session.debugging,
        )
        yield from _drop_repeated([*evaluated], findings)

    def _evaluate(self) -> Iterable[Finding]:
        try:
            findings = evaluate_package(self.package, self.language, self.request).findings
        except SabirError as error:
            self.not_evaluated = str(error)
            return ()
        errors = [finding for finding in findings if finding.severity is Severity.ERROR]
        codes = list_withheld_codes(self.language.rules()) if errors else frozenset[str]()
        gap = next((finding for finding in errors if finding.code in codes), None)
        if gap is None:
            return findings
        self.not_evaluated = gap.message + (f" ({gap.hint})" if gap.hint else "")
        return ()


def _drop_repeated(evaluated: Iterable[Finding], checked: Sequence[Finding]) -> Iterator[Finding]:
    """Drop findings of the evaluation that repeat one of a check at the same location, or the same message
    on a line.

    The finding of the check is kept: it is written for readers, and the other one is its consequence.
    """
    said = {(finding.location, finding.severity) for finding in checked}
    words = {(finding.location.file, finding.location.line, finding.message) for finding in checked}
    for finding in evaluated:
        in_line = finding.location.file, finding.location.line, finding.message
        if (finding.location, finding.severity) not in said and in_line not in words:
            yield finding
