"""A run of `sabir check`: options and settings put together, the check called, its report shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sabir.check.formatters.formatter import FormatterOptions, find_formatter
from sabir.check.options import CheckOptions
from sabir.check.report import Report
from sabir.check.settings import Settings, find_settings, read_settings
from sabir.cli.terminal import ColorChoice, clear, say, wants_color, write
from sabir.dataclasses import dataclass
from sabir.errors import UsageError
from sabir.operations.check import CheckResult, check_paths, reject_unknown_codes

__all__ = ["CheckRun", "summary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRun:
    paths: tuple[Path, ...]
    options: CheckOptions
    form: str
    outputs: tuple[tuple[str, str], ...]
    """Format and file of each further report."""
    shown: FormatterOptions
    jobs: int
    baseline: Path | None
    update_baseline: bool
    fix: bool
    diff: bool
    unsafe: bool
    watch: bool
    quiet: bool

    @staticmethod
    def prepare(
        paths: tuple[Path, ...], given: Mapping[str, Any], *, color: ColorChoice, quiet: bool
    ) -> CheckRun:
        settings = _settings(paths, given)
        options = _options(settings, given)
        reject_unknown_codes(options)
        form = given["form"] or settings.format or "text"
        baseline: Path | None = given["baseline"] or settings.baseline
        if given["update_baseline"] and baseline is None:
            raise UsageError("--update-baseline needs --baseline FILE")
        jobs = settings.jobs if given["jobs"] is None else given["jobs"]
        run = CheckRun(
            paths=paths,
            options=options,
            form=form,
            outputs=tuple(_output(word) for word in given["outputs"]),
            shown=FormatterOptions(color=wants_color(color), concise=quiet, statistics=given["statistics"]),
            jobs=(os.cpu_count() or 1) if jobs == 0 else jobs or 1,
            baseline=baseline,
            update_baseline=given["update_baseline"],
            fix=given["fix"],
            diff=given["diff"],
            unsafe=given["unsafe_fixes"],
            watch=given["watch"],
            quiet=quiet,
        )
        for name in (form, *(form for form, _ in run.outputs)):
            find_formatter(name)  # a misspelt format is to be known before the work, not after
        return run

    def execute(self) -> int:
        if self.diff:
            return self._show_diff()
        if self.watch:
            return self._watch()
        if self.fix:
            self._fix()
        return self._show(check_paths(self.paths, self.options, jobs=self.jobs))

    def _show(self, result: CheckResult) -> int:
        result = self._with_baseline(result)
        report = result.report
        text = find_formatter(self.form)(self.shown).format(report)
        write(text)
        plain = FormatterOptions(statistics=self.shown.statistics)
        for form, file in self.outputs:
            _write(file, find_formatter(form)(plain).format(report))
        for _, reason in result.refused:
            say(f"sabir: {reason}")
        if not (result.refused and not report.packages):
            say(summary(report), quiet=self.quiet)
        return result.exit_status(strict=self.options.strict)

    def _with_baseline(self, result: CheckResult) -> CheckResult:
        if self.baseline is None:
            return result
        from sabir.check.baseline import baseline_text, read_baseline, without_known
        from sabir.operations.files import write_atomically

        if self.update_baseline:
            write_atomically(self.baseline, baseline_text(result.report).encode("utf-8"))
            say(
                f"wrote {sum(1 for _ in result.report.findings())} findings to {self.baseline}",
                quiet=self.quiet,
            )
        known = read_baseline(self.baseline)
        return CheckResult(report=without_known(result.report, known), refused=result.refused)

    def _fix(self) -> None:
        from sabir.operations.fix import fix_paths

        done = fix_paths(self.paths, self.options, unsafe=self.unsafe)
        if done.applied:
            files = "file" if len(done.files) == 1 else "files"
            say(f"mended {done.applied} in {len(done.files)} {files}", quiet=self.quiet)

    def _show_diff(self) -> int:
        from sabir.operations.fix import fix_diff

        diff = fix_diff(self.paths, self.options, unsafe=self.unsafe)
        write(diff)
        return int(bool(diff))

    def _watch(self) -> int:
        from sabir.operations.watch import Watch

        try:
            for result in Watch(self.paths, self.options).results():
                clear()
                self._show(result)
                sys.stdout.flush()
        except KeyboardInterrupt:
            say("", quiet=self.quiet)
        return 0


def _settings(paths: tuple[Path, ...], given: Mapping[str, Any]) -> Settings:
    config: Path | None = given["config"]
    if config is not None:
        if not config.is_file():
            raise UsageError(f"no settings file {str(config)!r}")
        return read_settings(config)
    if given["no_config"]:
        return Settings()
    return find_settings(paths[0] if paths[0].exists() else Path.cwd())


def _options(settings: Settings, given: Mapping[str, Any]) -> CheckOptions:
    words: dict[str, Any] = {
        name: given[name.replace("-", "_")] or None
        for name in (
            "select",
            "ignore",
            "extend-select",
            "scope",
            "rules",
            "strict",
            "language",
            "require-reason",
        )
    }
    if given["no_suppressions"]:
        words["suppressions"] = False
    own = {name: value for name, value in words.items() if value is not None}
    return CheckOptions.of({**settings.check, **own})


def _output(word: str) -> tuple[str, str]:
    """`FORMAT=FILE`, or a FILE whose suffix names the format."""
    form, equals, file = word.partition("=")
    if equals and file:
        return form, file
    suffix = Path(word).suffix.lstrip(".").lower()
    form = {"yml": "yaml", "xml": "junit", "txt": "text"}.get(suffix, suffix)
    if not suffix:
        raise UsageError(f"--output {word!r}: write it as FORMAT=FILE")
    return form, word


def _write(file: str, text: str) -> None:
    from sabir.operations.files import write_atomically

    if file == "-":
        write(text)
    else:
        write_atomically(Path(file), text.encode("utf-8"))


def summary(report: Report) -> str:
    counts = [
        f"{count} {name}{'' if count == 1 else 's'}"
        for count, name in ((report.errors, "error"), (report.warnings, "warning"))
        if count
    ]
    packages = len(report.packages)
    found = " and ".join(counts) or "nothing found"
    notes = [f"{found} in {packages} package{'' if packages == 1 else 's'}"]
    if report.suppressed:
        notes.append(f"{report.suppressed} excused by comments")
    if report.baselined:
        notes.append(f"{report.baselined} hidden by the baseline")
    safe, all_ = report.fixable(), report.fixable(unsafe=True)
    if safe:
        notes.append(f"{safe} can be mended with --fix")
    if all_ > safe:
        notes.append(f"{all_ - safe} {'more ' if safe else 'can be mended '}with --fix --unsafe-fixes")
    return "; ".join(notes)
