"""What only an evaluation can tell, for `check`: values that clash, are missing, or wait for each other.

The evaluation runs under the trust of the check, which is none unless the operator gave some. Where it meets something that
needs leave or an input, what follows from the gap says nothing about the text: then the package counts as not evaluated, and
the summary names the reason.
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
    """Evaluates a package after its checks and adds what these did not say themselves."""

    def __init__(self, package: LoadedPackage, language: Language, request: EvaluationRequest) -> None:
        self.package, self.language, self.request = package, language, request
        self.not_evaluated: str | None = None
        """Set by the run: why there was no evaluation that would say something about the text."""

    def after(self, run: CheckRunner | None) -> CheckRunner:
        """A runner that evaluates when `run` has called the checks."""
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
    """Of two findings at one place, or of two in one line that say the same, the checker's stays: it was made for reading,
    the other is its consequence."""
    said = {(finding.location, finding.severity) for finding in checked}
    words = {(finding.location.file, finding.location.line, finding.message) for finding in checked}
    for finding in evaluated:
        in_line = finding.location.file, finding.location.line, finding.message
        if (finding.location, finding.severity) not in said and in_line not in words:
            yield finding
