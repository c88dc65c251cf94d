"""The entry point to the checker (spec 001, "Application class").

The application finds the installed languages and validators, runs their checks, and filters the findings by the options.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final, Protocol, cast

from msgspec.structs import replace

from sabir.checks.check_task import CHECK_FAILED, CheckRunner, CheckTask, run_in_turn
from sabir.checks.form import container_findings
from sabir.checks.options import CheckOptions
from sabir.checks.report import PackageReport, sort_findings
from sabir.checks.selection import CodePattern, split_words
from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule, RuleRegistry, collect_rules, parse_code
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import UsageError
from sabir.plugins import LANGUAGES, VALIDATORS, PluginFailure, load_plugins
from sabir.source.packages import LoadedPackage
from sabir.text import Source


class CheckedLanguage(Protocol):
    """The part of a language that checking needs."""

    @property
    def name(self) -> str: ...
    def recognises(self, package: LoadedPackage) -> bool: ...
    def rules(self) -> Sequence[Rule]: ...
    def validators(self) -> Sequence[type[BaseValidator]]: ...


class InstalledPlugins:
    """The installed languages and validators, loaded on first use."""

    def __init__(self) -> None:
        self.failures: tuple[PluginFailure, ...] = ()
        """Plugins that could not be loaded."""
        self._validators: dict[str, type[BaseValidator]] | None = None
        self._languages: dict[str, CheckedLanguage] | None = None

    def languages(self) -> dict[str, CheckedLanguage]:
        """Return the installed languages by name."""
        if self._languages is None:
            plugins = load_plugins(LANGUAGES)
            self._languages = {name: cast(CheckedLanguage, plugin) for name, plugin in plugins.loaded.items()}
            self._note_failures(plugins.failures)
        return self._languages

    def validators(self) -> dict[str, type[BaseValidator]]:
        """Return the validators of third parties by name; invalid ones are recorded as failures."""
        if self._validators is None:
            plugins = load_plugins(VALIDATORS)
            self._note_failures(plugins.failures)
            self._validators = {}
            for name, plugin in plugins.loaded.items():
                defect = _validator_defect(plugin)
                if defect is None:
                    self._validators[name] = cast(type[BaseValidator], plugin)
                else:
                    self._note_failures([PluginFailure(group=VALIDATORS, name=name, reason=defect)])
        return self._validators

    def _note_failures(self, failures: Iterable[PluginFailure]) -> None:
        self.failures = tuple(dict.fromkeys([*self.failures, *failures]))

    def all_validators(self) -> list[type[BaseValidator]]:
        """Return the validators of the languages, then those of third parties."""
        validators = [
            validator for language in self.languages().values() for validator in language.validators()
        ]
        return [*dict.fromkeys([*validators, *self.validators().values()])]

    def validators_for(self, languages: Iterable[str]) -> list[type[BaseValidator]]:
        """Return the validators of third parties that check packages of these languages."""
        names = set(languages)
        return [
            validator
            for validator in self.validators().values()
            if not validator.languages or names & set(validator.languages)
        ]


def validator_names(validator: type[BaseValidator]) -> set[str]:
    """Return the names that `--scope` accepts for a validator, in lower case."""
    names = {validator.short_name, validator.long_name or validator.__name__.removesuffix("Validator")}
    return {name.lower() for name in names if name}


def describe_unknown_validator(name: str, validators: Iterable[type[BaseValidator]]) -> str:
    """Return the error message for an unknown validator, with a suggestion or all known names."""
    names = sorted(set[str]().union(*(validator_names(validator) for validator in validators)))
    return f"no validator {name!r}: " + (did_you_mean(name, names) or f"there are {', '.join(names)}")


def _validator_defect(plugin: object) -> str | None:
    if not (isinstance(plugin, type) and issubclass(plugin, BaseValidator)):
        return "it is no BaseValidator class"
    name = getattr(plugin, "short_name", "")
    if not (isinstance(name, str) and name.isascii() and name.isalpha() and name.isupper()):
        return f"its short_name {name!r} must be capital letters only"
    for code in plugin.rules():
        if parse_code(code.code).prefix not in ("", name):
            return f"its code {code.code} must have the prefix {name}"
    return None


Validators = Sequence[str | type[BaseValidator]]
PLUGIN_FAILED: Final = Rule(
    code="W903",
    title="plug-in cannot be loaded",
    why="An installed distribution offers a language, validator, formatter or driver that cannot be imported or breaks the "
    "interface, so what it would have found is missing from the report. Mend or remove the distribution.",
    examples="sabir.checks",
)

# Reported whatever was selected: some of the checks have not run.
_ALWAYS: Final = frozenset({CHECK_FAILED.code, PLUGIN_FAILED.code})


class Application:
    """Configuration, plugins, and running checks.

        application = Application({"ignore": "W010"})
        application.load_plugins()
        findings = application.run(load_package("my-package"))

    Plugins are loaded on first use; `load_plugins` may be called at any time, and more than once.
    """

    def __init__(self, options: CheckOptions | Mapping[str, Any] | None = None) -> None:
        self.options = CheckOptions.of(options)
        self._installed = InstalledPlugins()

    # Plug-ins

    def load_plugins(self) -> list[type[BaseValidator]]:
        """Load and return all installed validators, those of the languages first."""
        return self._installed.all_validators()

    @property
    def failures(self) -> tuple[PluginFailure, ...]:
        """Plugins that could not be loaded."""
        return self._installed.failures

    def plugin_findings(self) -> tuple[Finding, ...]:
        """Return a finding for each plugin that could not be loaded."""
        return tuple(
            PLUGIN_FAILED.about_file(
                f"<plug-in {failure.name}>",
                str(failure),
                hint="mend it or remove the distribution it came with",
            )
            for failure in self.failures
            if not self.options.selection.ignores(PLUGIN_FAILED.code)
        )

    # Codes

    def list_errors(self, filters: str | Iterable[str] | None = None) -> list[Rule]:
        """Return all rules of the installed validators, with their documentation.

        `filters` are code patterns, as in `--select`: `W` selects the warnings, `MPL` the codes of that validator.
        """
        words = split_words([filters] if isinstance(filters, str) else filters or ())
        patterns = [CodePattern.parse(word) for word in words]
        return [
            code
            for code in self.registry()
            if not patterns or any(pattern.matches(code.code) for pattern in patterns)
        ]

    def registry(self) -> RuleRegistry:
        """Return all rules: general ones, those of the languages, those of plugins."""
        registry = RuleRegistry()
        registry.register(general_rules())
        for language in self._installed.languages().values():
            registry.register(language.rules())
        for validator in self._installed.validators().values():
            registry.register(validator.rules())
        return registry

    # Running

    def prepare_check_suit(
        self,
        loaded_package: LoadedPackage,
        validator_list: Validators | None = None,
        files: Iterable[str] | None = None,
    ) -> list[CheckTask]:
        """Return the checks of the given validators for a package, ready to be called.

        Validators are classes or names (short or long, in any case). Without a list, the validators of the package's language and of
        plugins are used. `scope` of the options restricts both. Raises `UsageError` for an unknown name.
        """
        validators = self._in_scope(self._validators(loaded_package, validator_list))
        session = self.options.session
        suite = [
            check
            for validator in validators
            for check in _prepare_validator(validator, loaded_package, files, self.options)
        ]
        return [replace(check, debugging=True) for check in suite] if session.debugging else suite

    prepare_check_suite = prepare_check_suit

    def run(
        self,
        loaded_package: LoadedPackage,
        validator_list: Validators | None = None,
        files: Iterable[str] | None = None,
    ) -> list[Finding]:
        """Return the findings of a package, filtered by the options."""
        return [*self.check(loaded_package, validator_list, files).findings]

    def check(
        self,
        loaded_package: LoadedPackage,
        validator_list: Validators | None = None,
        files: Iterable[str] | None = None,
        *,
        run: CheckRunner | None = None,
    ) -> PackageReport:
        """Check a package like `run`, and return a report.

        `run` executes the checks, in turn by default.
        """
        wanted_files = None if files is None else tuple(files)
        validators = self._validators(loaded_package, validator_list)
        suite = self.prepare_check_suit(loaded_package, validators, wanted_files)
        findings = [*container_findings(loaded_package)]
        findings.extend((run or run_in_turn)(suite))
        narrowed = bool(self.options.scope) or wanted_files is not None
        selected = self._select_findings(findings, validators)
        report = PackageReport(
            path="" if loaded_package.path is None else str(loaded_package.path),
            single_file=loaded_package.single_file,
        )
        return self._build_report(report, loaded_package, selected, complete=not narrowed)

    def _build_report(
        self,
        report: PackageReport,
        package: LoadedPackage,
        selected: Iterable[Finding],
        *,
        complete: bool,
    ) -> PackageReport:
        findings = sort_findings(selected)
        hidden: tuple[Finding, ...] = ()
        if self.options.suppressions:
            findings, hidden = self._apply_suppressions(findings, package, complete=complete)
        if self.options.path_rules:
            findings = tuple(finding for finding in findings if not self._is_path_ignored(finding, report))
        if findings:
            from sabir.checks.secrecy import (
                without_secrets,
            )  # imports YAML, which a package without findings may not need

            findings = without_secrets(findings, package)
        return PackageReport(
            path=report.path,
            single_file=report.single_file,
            findings=findings,
            suppressed=len(hidden),
        )

    def _apply_suppressions(
        self, findings: tuple[Finding, ...], package: LoadedPackage, *, complete: bool
    ) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
        """Return the findings that remain after suppression comments, and the suppressed ones."""
        sources = [source for source in _collect_sources(package, findings) if "sabir:" in source.text]
        if not sources:
            return findings, ()
        from sabir.checks.suppression import apply_suppressions  # most packages have no such comment

        left = apply_suppressions(findings, sources, self.options.selection, complete=complete)
        return sort_findings(left.findings), left.hidden

    def _is_path_ignored(self, finding: Finding, report: PackageReport) -> bool:
        # A pattern may be relative to the package's root or to the current directory.
        files = (finding.filename, report.display_path(finding.filename))
        return any(
            any(fnmatchcase(file, pattern) for file in files)
            and any(code.matches(finding.code) for code in codes)
            for pattern, codes in self.options.path_rules
        )

    def _select_findings(
        self, findings: Sequence[Finding], validators: Iterable[type[BaseValidator]]
    ) -> list[Finding]:
        selection = self.options.selection
        off = {code for validator in validators for code in validator.off_by_default()} if findings else set()
        return [
            finding
            for finding in findings
            if selection.takes(finding.code, off_by_default=finding.code in off)
            or (finding.code in _ALWAYS and not selection.ignores(finding.code))
        ]

    def _validators(
        self, package: LoadedPackage, validator_list: Validators | None
    ) -> list[type[BaseValidator]]:
        if validator_list is not None:
            return [
                self._validator(choice) if isinstance(choice, str) else choice for choice in validator_list
            ]
        wanted = self.options.language
        languages = [
            language
            for name, language in self._installed.languages().items()
            if (name == wanted if wanted else language.recognises(package))
        ]
        validators = [validator for language in languages for validator in language.validators()]
        return [*validators, *self.validators_for({language.name for language in languages})]

    def validators_for(self, languages: Iterable[str]) -> list[type[BaseValidator]]:
        """Return the validators of third parties that check packages of these languages."""
        return self._installed.validators_for(languages)

    def _validator(self, name: str) -> type[BaseValidator]:
        installed = self.load_plugins()
        for validator in installed:
            if name.lower() in validator_names(validator):
                return validator
        raise UsageError(describe_unknown_validator(name, installed))

    def _in_scope(self, validators: Iterable[type[BaseValidator]]) -> list[type[BaseValidator]]:
        wanted = [*validators]
        scope = {word.lower() for word in self.options.scope}
        if not scope:
            return wanted
        unknown = sorted(scope.difference(*(validator_names(validator) for validator in wanted)))
        if unknown:
            installed = self.load_plugins()
            for word in unknown:
                if not any(word in validator_names(validator) for validator in installed):
                    raise UsageError(describe_unknown_validator(word, [*installed, *wanted]))
        return [validator for validator in wanted if scope & validator_names(validator)]


def general_rules() -> tuple[Rule, ...]:
    """Return the language-independent rules: the form of files, and checking itself.

    Numbers up to E009 follow the code list of the package checker; the nine hundreds are about checking.
    """
    packages = ("sabir.diagnostics", "sabir.source", "sabir.checks")
    return tuple(rule for package in packages for rule in collect_rules(package))


def _prepare_validator(
    validator: type[BaseValidator], package: LoadedPackage, files: Iterable[str] | None, options: CheckOptions
) -> list[CheckTask]:
    try:
        checks = validator(package)
        checks.options = options
        return [*checks.prepare_checks(files)]
    except Exception as error:  # noqa: BLE001  a validator that cannot be created is reported like a check that fails
        failure = error

        def fail() -> Iterable[Finding]:
            raise failure

        return [CheckTask(validator=validator.short_name, name=validator.__name__, call=fail)]


def _collect_sources(package: LoadedPackage, findings: Iterable[Finding]) -> list[Source]:
    """Return the texts that may contain comments: files that were opened, and those of findings."""
    texts = {file.name: file.source for file in package.list_opened()}
    for finding in findings:
        texts.setdefault(finding.filename, finding.place.source)
    return [*texts.values()]
