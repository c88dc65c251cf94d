"""A run of `sabir check`: options and settings put together, the check called, its report shown.

What a check found, in a line for each package and one for all.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.checks.formatters.formatter import FormatterOptions, find_formatter
from sabir.checks.options import CheckOptions
from sabir.checks.report import PackageReport, Report
from sabir.checks.settings import CheckSettings, find_settings, read_settings
from sabir.cli.session_options import command_session
from sabir.cli.spinner import ProgressReport, show_progress
from sabir.cli.terminal import ColorChoice, clear_screen, print_status, wants_color, write_text
from sabir.diagnostics.finding import Severity
from sabir.errors import UsageError
from sabir.operations.check import CheckResult, check_paths, reject_unknown_codes
from sabir.operations.packages import packages_at
from sabir.source.catalogue import ImportCatalog
from sabir.source.packages.file import is_stream

_MOST_PACKAGES: Final = 30


def package_lines(report: Report) -> Iterator[str]:
    """A line for each package; of many only those with findings."""
    packages = report.packages
    if len(packages) > _MOST_PACKAGES:
        packages = tuple(package for package in packages if package.findings)
    rows = [(package.path, package.language or "", _format_counts(package)) for package in packages]
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    for path, language, counts in rows:
        yield f"{path:<{widths[0]}}  {language:<{widths[1]}}  {counts}"
    if len(packages) < len(report.packages):
        yield f"nothing found in {len(report.packages) - len(packages)} further packages"


def _format_counts(package: PackageReport) -> str:
    counts = (
        (sum(finding.severity is severity for finding in package.findings), severity.value)
        for severity in (Severity.ERROR, Severity.WARNING)
    )
    return ", ".join(_pluralize(count, name) for count, name in counts if count) or "fine"


def _pluralize(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"


def format_summary(report: Report) -> str:
    counts = [
        _pluralize(count, name)
        for count, name in ((report.errors, "error"), (report.warnings, "warning"))
        if count
    ]
    total = " and ".join(counts) or "nothing found"
    notes = [f"{total} in {_pluralize(len(report.packages), 'package')}"]
    notes += [f"not evaluated: {reason}" for reason in report.not_evaluated]
    if report.suppressed:
        notes.append(f"{report.suppressed} suppressed by comments")
    if report.baselined:
        notes.append(f"{report.baselined} hidden by the baseline")
    safe, all_ = report.fixable(), report.fixable(unsafe=True)
    if safe:
        notes.append(f"{safe} can be fixed with --fix")
    if all_ > safe:
        notes.append(f"{all_ - safe} {'more ' if safe else 'can be fixed '}with --fix --unsafe-fixes")
    return "; ".join(notes)


class CheckArguments(Struct, frozen=True, kw_only=True):
    """What was written on the command line, before settings fill in what was not."""

    paths: tuple[Path, ...]
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    extend_select: tuple[str, ...]
    scope: tuple[str, ...]
    rules: tuple[str, ...]
    exclude: tuple[str, ...]
    search_path: tuple[str, ...]
    imports: tuple[str, ...]
    deployment: str | None
    inputs: Mapping[str, Any]
    overrides: Mapping[str, Any]
    strict: bool
    language: str | None
    watch: bool
    jobs: int | None
    executor: str | None
    form: str | None
    outputs: tuple[str, ...]
    statistics: bool
    color: ColorChoice
    quiet: bool
    fix: bool
    diff: bool
    unsafe_fixes: bool
    baseline: Path | None
    update_baseline: bool
    no_suppressions: bool
    require_reason: bool
    config: Path | None
    no_config: bool
    trust: tuple[str, ...] = ()
    limits: tuple[tuple[str, str], ...] = ()


class CheckRun(Struct, frozen=True, kw_only=True):
    """A check that is ready to run: every name in it is known to exist."""

    words: CheckArguments
    paths: tuple[Path, ...]
    """The packages: those named, and those in folders that were named."""
    options: CheckOptions
    form: str
    outputs: tuple[tuple[str, str], ...]
    """Format and file of each further report."""
    shown: FormatterOptions
    jobs: int
    baseline: Path | None

    @staticmethod
    def prepare(words: CheckArguments) -> CheckRun:
        settings = _load_settings(words)
        options = _build_options(settings, words)
        reject_unknown_codes(options)
        _reject_missing(options)
        baseline = words.baseline or settings.baseline
        if words.update_baseline and baseline is None:
            raise UsageError("--update-baseline needs --baseline FILE")
        jobs = settings.jobs if words.jobs is None else words.jobs
        run = CheckRun(
            words=words,
            paths=_find_packages(words, options),
            options=options,
            form=words.form or settings.format or "text",
            outputs=tuple(map(_parse_output, words.outputs)),
            shown=FormatterOptions(
                color=wants_color(words.color), concise=words.quiet, statistics=words.statistics
            ),
            jobs=(os.cpu_count() or 1) if jobs == 0 else jobs or 1,
            baseline=baseline,
        )
        for form in (run.form, *(form for form, _ in run.outputs)):
            find_formatter(form)  # a misspelt format is to be known before the work, not after
        return run

    def execute(self) -> int:
        if self.words.diff:
            return self._show_diff()
        if self.words.watch:
            return self._watch()
        if self.words.fix:
            self._fix()
        with show_progress(quiet=self.words.quiet) as report:
            on_done = None if report is None else _build_counter(report, len(self.paths))
            result = check_paths(
                self.paths, self.options, jobs=self.jobs, executor=self.words.executor, on_done=on_done
            )
        return self._show(result)

    def _show(self, result: CheckResult) -> int:
        result = self._with_baseline(result)
        report = result.report
        text = find_formatter(self.form)(self.shown).format(report)
        write_text(text)
        plain = FormatterOptions(statistics=self.shown.statistics)
        for form, file in self.outputs:
            _write_output(file, find_formatter(form)(plain).format(report))
        for _, reason in result.refused:
            print_status(f"sabir: {reason}")
        if len(report.packages) > 1 and self.form == "text":
            print_status("\n".join(["", *package_lines(report)]), quiet=self.words.quiet)
        if not (result.refused and not report.packages):
            print_status(format_summary(report), quiet=self.words.quiet)
        return result.exit_status(strict=self.options.strict)

    def _with_baseline(self, result: CheckResult) -> CheckResult:
        if self.baseline is None:
            return result
        from sabir.checks.baseline import baseline_text, exclude_baseline, read_baseline
        from sabir.operations.files import write_atomically

        if self.words.update_baseline:
            write_atomically(self.baseline, baseline_text(result.report).encode("utf-8"))
            print_status(
                f"wrote {sum(1 for _ in result.report.findings())} findings to {self.baseline}",
                quiet=self.words.quiet,
            )
        accepted = read_baseline(self.baseline)
        return CheckResult(report=exclude_baseline(result.report, accepted), refused=result.refused)

    def _fix(self) -> None:
        from sabir.operations.fix import fix_paths

        done = fix_paths(self.paths, self.options, unsafe=self.words.unsafe_fixes)
        if done.applied:
            files = "file" if len(done.files) == 1 else "files"
            print_status(f"fixed {done.applied} in {len(done.files)} {files}", quiet=self.words.quiet)

    def _show_diff(self) -> int:
        from sabir.operations.fix import fix_diff

        diff = fix_diff(self.paths, self.options, unsafe=self.words.unsafe_fixes)
        write_text(diff)
        return int(bool(diff))

    def _watch(self) -> int:
        from sabir.operations.watch import Watch

        try:
            for result in Watch(self.paths, self.options).results():
                clear_screen()
                self._show(result)
                sys.stdout.flush()
        except KeyboardInterrupt:
            print_status("", quiet=self.words.quiet)
        return 0


def _load_settings(words: CheckArguments) -> CheckSettings:
    if words.config is not None:
        if not words.config.is_file():
            raise UsageError(f"no settings file {str(words.config)!r}")
        return read_settings(words.config)
    if words.no_config:
        return CheckSettings()
    first = words.paths[0] if words.paths else Path.cwd()
    return find_settings(first if first.exists() else Path.cwd())


def _build_options(settings: CheckSettings, words: CheckArguments) -> CheckOptions:
    """The settings, except for what the command line says otherwise."""
    written: dict[str, Any] = {
        "select": words.select,
        "ignore": words.ignore,
        "extend-select": words.extend_select,
        "scope": words.scope,
        "rules": words.rules,
        "exclude": words.exclude,
        "search-path": words.search_path,
        "imports": words.imports,
        "deployment": words.deployment,
        "strict": words.strict,
        "language": words.language,
        "require-reason": words.require_reason,
    }
    said = {name: value for name, value in written.items() if value}
    if words.no_suppressions:
        said["suppressions"] = False
    options = CheckOptions.of({**settings.check, **said})
    return replace(
        options,
        inputs=words.inputs,
        overrides=words.overrides,
        session=command_session(words.trust, limits=words.limits),
    )


def _reject_missing(options: CheckOptions) -> None:
    for path in (*options.search_path, *filter(None, [options.deployment])):
        if not Path(path).exists():
            raise UsageError(f"no such path {path!r}")
    ImportCatalog.of(options.imports, ())  # refuses words that are none, before anything is checked


def _find_packages(words: CheckArguments, options: CheckOptions) -> tuple[Path, ...]:
    paths = words.paths or (Path("."),)
    if words.fix and any(map(is_stream, paths)):
        raise UsageError("--fix cannot write into a pipe; --diff shows what it would change")
    if options.language is not None:
        return paths
    limits = options.session.limits.package
    expanded = (
        package for path in paths for package in packages_at(path, exclude=options.exclude, limits=limits)
    )
    return tuple(expanded)


def _build_counter(report: ProgressReport, total: int) -> Callable[[int], None]:
    return lambda done: report("checking packages", done, total)


def _parse_output(word: str) -> tuple[str, str]:
    """`FORMAT=FILE`, or a FILE whose suffix names the format."""
    form, equals, file = word.partition("=")
    if equals and file:
        return form, file
    suffix = Path(word).suffix.lstrip(".").lower()
    form = {"yml": "yaml", "xml": "junit", "txt": "text"}.get(suffix, suffix)
    if not suffix:
        raise UsageError(f"--output {word!r}: write it as FORMAT=FILE")
    return form, word


def _write_output(file: str, text: str) -> None:
    from sabir.operations.files import write_atomically

    if file == "-":
        write_text(text)
    else:
        write_atomically(Path(file), text.encode("utf-8"))
