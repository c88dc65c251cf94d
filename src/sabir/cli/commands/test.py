"""`sabir test`: run the tests of a MuranoPL package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabir.cli.declare import argument, option, sabir_command
from sabir.cli.options import evaluation_request, format_option, package_options
from sabir.cli.parameter_types import PATH
from sabir.cli.terminal import print_status, write_text
from sabir.text import format_json

if TYPE_CHECKING:
    from pathlib import Path

    from sabir.languages.language import TestRun


@sabir_command(
    "test",
    examples=[
        ("sabir test shop/", "all tests of the package"),
        ("sabir test shop/ ShopTest.testTotal", "one of them"),
        ("sabir test shop/ --format junit -o report.xml", "for a build server"),
    ],
)
@argument("path", type=PATH, metavar="PATH")
@argument("names", nargs=-1, metavar="[CLASS[.METHOD]]...", required=False)
@format_option("text", "json", "junit", help="How the outcome is written.")
@option("-o", "--output", type=PATH, metavar="FILE", help="Write it there instead of to standard output.")
@package_options
def command(
    *,
    path: Path,
    names: tuple[str, ...],
    format_: str,
    output: Path | None,
    search_path: tuple[Path, ...],
    limits: tuple[tuple[str, str], ...],
) -> int:
    """Run the tests of a package: methods `test...` of classes that extend io.murano.test.TestFixture.

    Each test has objects and classes of its own: `setUp`, the test, `tearDown`. Status 1 when one fails, or when there is none.
    """
    from sabir.cli.output import show_findings
    from sabir.diagnostics.finding import Severity
    from sabir.operations.files import write_atomically
    from sabir.operations.limits import enforce_limits
    from sabir.operations.test import TestRequest, junit_report, run_document, run_tests_of_path

    evaluation = evaluation_request(search_path=search_path, paths=[path], limits=limits)
    with enforce_limits(evaluation.session.limits, path.name):
        run = run_tests_of_path(TestRequest(path=path, names=names, evaluation=evaluation))
    show_findings(run.findings, path, quiet=False)
    for outcome in run.outcomes:
        if outcome.failures:
            show_findings(outcome.failures, path, quiet=False)
    if format_ == "json":
        text = format_json(run_document(run), indent=2) + "\n"
    elif format_ == "junit":
        text = junit_report(run, path.absolute().name)
    else:
        text = _outcome_lines(run)
    if output is None:
        write_text(text)
    else:
        write_atomically(output, text.encode())
    if not run.outcomes and not any(finding.severity is Severity.ERROR for finding in run.findings):
        print_status("sabir: there are no tests: classes that extend io.murano.test.TestFixture have them")
    return 1 if run.failed or not run.outcomes else 0


def _outcome_lines(run: TestRun) -> str:
    lines = [
        f"{'FAILED' if outcome.failures else 'passed'}  {outcome.cls}.{outcome.name}"
        for outcome in run.outcomes
    ]
    passed = len(run.outcomes) - run.failed
    return "".join(f"{line}\n" for line in (*lines, f"{passed} passed, {run.failed} failed"))
