"""Check of packages: paths or an uploaded archive in, a report out.

`check_paths` serves the command line. `check_upload` serves an HTTP service that receives an archive (spec
001, "REST API impact").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sabir.checks.application import Application, general_rules
from sabir.checks.check_task import CheckRunner
from sabir.checks.formatters.data import finding_data
from sabir.checks.options import CheckOptions
from sabir.checks.report import PackageReport, Report
from sabir.checks.selection import CodePattern
from sabir.diagnostics.rules import Rule, parse_code
from sabir.diagnostics.suggestions import did_you_mean, suggest
from sabir.errors import InputError, Overrun, SabirError, UsageError
from sabir.operations.limits import enforce_limits
from sabir.operations.packages import find_language
from sabir.source.packages import LoadedPackage, load_package

if TYPE_CHECKING:
    from sabir.languages.language import Language
    from sabir.operations.evaluation_check import EvaluatingCheck


Outcome: TypeAlias = PackageReport | str
"""The report of one path, or the reason why it could not be read."""


class CheckResult(Struct, frozen=True, kw_only=True):
    """The report, and the paths that could not be read, each with the reason."""

    report: Report
    refused: tuple[tuple[Path, str], ...] = ()

    def exit_status(self, *, strict: bool = False) -> int:
        return 2 if self.refused else self.report.exit_status(strict=strict)


def check_paths(
    paths: Sequence[Path],
    options: CheckOptions | None = None,
    *,
    jobs: int = 1,
    executor: str | None = None,
    on_done: Callable[[int], None] | None = None,
) -> CheckResult:
    """Check each path. A path that cannot be read does not prevent the check of the others.

    With `jobs` above 1, the paths, or the files of a single package, are distributed to that many processes;
    with an `executor`, the paths go to its workers. The report is the same. `on_done` receives the number of
    paths done.
    """
    application = Application(options)
    if executor is not None or (jobs > 1 and len(paths) > 1):
        outcomes = [
            *_report_progress(_check_in_parallel(paths, application.options, jobs, executor), on_done)
        ]
        # The plugins were loaded in the other processes; this one must load them too, to report which failed.
        application.validators_for(())
    else:
        outcomes = [*_report_progress((_check_path(path, application, jobs=jobs) for path in paths), on_done)]
    packages = tuple(outcome for outcome in outcomes if isinstance(outcome, PackageReport))
    refused = tuple(
        (path, outcome) for path, outcome in zip(paths, outcomes, strict=True) if isinstance(outcome, str)
    )
    return CheckResult(report=_build_report(application, packages), refused=refused)


def _check_in_parallel(
    paths: Sequence[Path], options: CheckOptions, jobs: int, executor: str | None
) -> Iterator[Outcome]:
    if executor is not None:
        from sabir.operations.parallel import map_on_workers

        return map_on_workers(executor, _PathChecker(options), paths)
    from sabir.operations.parallel import map_in_processes

    return map_in_processes(_PathChecker(options), paths, jobs)


def _report_progress(outcomes: Iterable[Outcome], on_done: Callable[[int], None] | None) -> Iterator[Outcome]:
    for number, outcome in enumerate(outcomes, 1):
        yield outcome
        if on_done is not None:
            on_done(number)


def check_package(package: LoadedPackage, options: CheckOptions | None = None) -> Report:
    """Check a package that is already loaded; raise `InputError` if its language is unknown."""
    application = Application(options)
    return _build_report(application, (_check_loaded(package, application),))


def list_codes(filters: Iterable[str] | None = None) -> list[Rule]:
    """Return every rule that can be reported, including those of plugins."""
    return Application().list_errors(filters)


def reject_unknown_codes(options: CheckOptions) -> None:
    """Raise `UsageError` for a selected or ignored code that no rule has: it is a typo."""
    patterns = (*options.selection.patterns(), *(code for _, codes in options.path_rules for code in codes))
    if not patterns:
        return
    general = general_rules()
    pending = [pattern for pattern in patterns if not _is_reported(pattern, general)]
    if not pending:
        return
    codes = list_codes()
    prefixes = {parse_code(code.code).prefix for code in codes} - {""}
    for pattern in pending:
        prefix = str(pattern).rpartition(":")[0]
        if prefix and prefix not in prefixes and suggest(prefix, prefixes) is None:
            continue  # a prefix of custom rules, which are only read together with a project
        if not _is_reported(pattern, codes):
            names = [code.code for code in codes]
            hint = did_you_mean(str(pattern), names) or "sabir check --list-codes lists them"
            raise UsageError(f"nothing reports {str(pattern)!r}: {hint}")


def _is_reported(pattern: CodePattern, codes: Iterable[Rule]) -> bool:
    return any(pattern.matches(code.code) for code in codes)


class _PathChecker(Struct, frozen=True):
    """The check of one path, as an object that can be sent to another process."""

    options: CheckOptions

    def __call__(self, path: Path) -> Outcome:
        return _check_path(path, Application(self.options))


def _check_path(path: Path, application: Application, *, jobs: int = 1) -> Outcome:
    limits = application.options.session.limits
    try:
        with enforce_limits(limits, path.name or str(path)):
            package = load_package(path, limits.package)
            return _check_loaded(package, application, jobs=jobs)
    except Overrun as stopped:
        return PackageReport(path=str(path), findings=(stopped.finding,))
    except UsageError:
        raise
    except (InputError, SabirError) as error:
        return str(error)


def _check_loaded(package: LoadedPackage, application: Application, *, jobs: int = 1) -> PackageReport:
    try:
        language = find_language(package, application.options.language)
    except InputError:
        # A rejected archive may have no files left to detect the language from: the reason of the rejection is the result.
        if not package.findings:
            raise
        return application.check(package, ())
    more = application.validators_for((language.name,))
    rules = application.options.rules
    if rules:
        from sabir.operations.policy import policy_validator

        more = [*more, policy_validator(rules, language)]
    validators = [*language.validators(), *more]
    run = _build_runner(package, jobs)
    # A selection of validators limits the report to their findings.
    if application.options.scope or not language.evaluates_when_checked:
        return replace(application.check(package, validators, run=run), language=language.name)
    evaluating = _build_evaluating_check(package, language, application)
    report = application.check(package, validators, run=evaluating.after(run))
    return replace(report, language=language.name, not_evaluated=evaluating.not_evaluated)


def _build_evaluating_check(
    package: LoadedPackage, language: Language, application: Application
) -> EvaluatingCheck:
    # Imported late: a check without evaluation must not load the evaluators.
    from sabir.languages.language import EvaluationRequest
    from sabir.operations.evaluation_check import EvaluatingCheck

    return EvaluatingCheck(package, language, EvaluationRequest.of_check(application.options))


def _build_runner(package: LoadedPackage, jobs: int) -> CheckRunner | None:
    if jobs <= 1:
        return None
    from sabir.operations.parallel import run_shared_checks

    return lambda checks: run_shared_checks(checks, package, jobs)


def _build_report(application: Application, packages: tuple[PackageReport, ...]) -> Report:
    return Report(packages=packages, general=application.plugin_findings(), registry=application.registry)


UPLOAD_FORMAT: Final = "sabir.upload/1"


class UploadResponse(Struct, frozen=True, kw_only=True):
    """HTTP status and JSON body. 200: the package may be stored; 400: it must not, and the body has the
    reason.
    """

    status: int
    body: dict[str, Any]

    def __iter__(self) -> Any:
        return iter((self.status, self.body))


def check_upload(archive: bytes, options: CheckOptions | None = None) -> UploadResponse:
    """Check a package in the bytes of a zip archive. Nothing is unpacked to disk."""
    from sabir.source.packages.archive import ZipLoader

    wanted = options or CheckOptions()
    package = ZipLoader.from_bytes(archive)
    if package is None:
        return refuse_upload("the upload is no zip archive")
    try:
        report = check_package(package, wanted)
    except SabirError as error:
        return refuse_upload(str(error))
    findings = [finding_data(finding) for _, finding in report.findings()]
    failed = report.exit_status(strict=wanted.strict)
    message = _summarize_counts(report.errors, report.warnings)
    body = {"format": UPLOAD_FORMAT, "valid": not failed, "message": message, "findings": findings}
    return UploadResponse(status=400 if failed else 200, body=body)


def refuse_upload(reason: str) -> UploadResponse:
    """Build the response to an upload that is not even checked, with the reason as its message."""
    body = {"format": UPLOAD_FORMAT, "valid": False, "message": reason, "findings": []}
    return UploadResponse(status=400, body=body)


def _summarize_counts(errors: int, warnings: int) -> str:
    if not errors and not warnings:
        return "the package is fine"
    counts = [
        f"{count} {name}{'' if count == 1 else 's'}"
        for count, name in ((errors, "error"), (warnings, "warning"))
        if count
    ]
    return f"the package has {' and '.join(counts)}"
