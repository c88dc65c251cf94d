"""The languages and validators that are installed: ours, and those of others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, cast

from sabir.checks.validator import BaseValidator
from sabir.diagnostics.rules import Rule, parse_code
from sabir.diagnostics.suggestions import did_you_mean
from sabir.plugins import LANGUAGES, VALIDATORS, PluginFailure, load_plugins
from sabir.source.packages import LoadedPackage

__all__ = ["Installed", "unknown_validator", "validator_names"]


class CheckedLanguage(Protocol):
    """As much of a language as checking needs."""

    @property
    def name(self) -> str: ...
    def recognises(self, package: LoadedPackage) -> bool: ...
    def rules(self) -> Sequence[Rule]: ...
    def validators(self) -> Sequence[type[BaseValidator]]: ...


class Installed:
    """Nothing is loaded before it is asked for."""

    def __init__(self) -> None:
        self.failures: tuple[PluginFailure, ...] = ()
        """Plug-ins that could not be loaded."""
        self._validators: dict[str, type[BaseValidator]] | None = None
        self._languages: dict[str, CheckedLanguage] | None = None

    def languages(self) -> dict[str, CheckedLanguage]:
        if self._languages is None:
            plugins = load_plugins(LANGUAGES)
            self._languages = {name: cast(CheckedLanguage, plugin) for name, plugin in plugins.loaded.items()}
            self._note_failures(plugins.failures)
        return self._languages

    def validators(self) -> dict[str, type[BaseValidator]]:
        """Those of third parties, by name."""
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
        """Those of the languages, then those of third parties."""
        validators = [
            validator for language in self.languages().values() for validator in language.validators()
        ]
        return [*dict.fromkeys([*validators, *self.validators().values()])]

    def validators_for(self, languages: Iterable[str]) -> list[type[BaseValidator]]:
        """The validators of third parties that look at packages of these languages."""
        names = set(languages)
        return [
            validator
            for validator in self.validators().values()
            if not validator.languages or names & set(validator.languages)
        ]


def validator_names(validator: type[BaseValidator]) -> set[str]:
    """The names by which `--scope` knows a validator, in small letters."""
    names = {validator.short_name, validator.long_name or validator.__name__.removesuffix("Validator")}
    return {name.lower() for name in names if name}


def unknown_validator(name: str, validators: Iterable[type[BaseValidator]]) -> str:
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
