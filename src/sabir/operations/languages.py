"""Which languages there are, and which one a package is written in."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from msgspec import Struct

from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import UnusableInput, UsageError
from sabir.plugins import LANGUAGES, PluginFailure, load_plugins

if TYPE_CHECKING:
    from sabir.languages.language import Language
    from sabir.source.packages import LoadedPackage

__all__ = ["Languages", "find_language", "installed_languages", "recognised_languages"]


class Languages(Struct, frozen=True, kw_only=True):
    """The installed languages by name, and the plug-ins that should have been languages but failed to load."""

    by_name: dict[str, Language]
    failures: tuple[PluginFailure, ...] = ()


def installed_languages() -> Languages:
    """Everything under the entry point group `sabir.languages`: ours and those of others."""
    plugins = load_plugins(LANGUAGES)
    languages = {name: cast("Language", plugin) for name, plugin in plugins.loaded.items()}
    return Languages(by_name=languages, failures=plugins.failures)


def find_language(package: LoadedPackage, name: str | None = None) -> Language:
    """The language of a package: the named one, else the only one that recognises its files."""
    languages = installed_languages()
    if name is not None:
        return _named(name, languages)
    matches = recognised_languages(package, languages)
    if len(matches) == 1:
        return matches[0]
    if matches:
        names = " or ".join(language.name for language in matches)
        raise UnusableInput(f"{package.name} could be {names}: say which with --language")
    raise UnusableInput(
        f"{package.name} is in none of the languages known here ({_listed(languages)}): "
        "is it the right path? --language NAME overrides"
    )


def recognised_languages(package: LoadedPackage, languages: Languages | None = None) -> tuple[Language, ...]:
    """All languages that take the package for theirs, by its files alone."""
    by_name = (languages or installed_languages()).by_name
    # An environment holds packages of other languages, which would recognise their files in it.
    environment = by_name.get("environment")
    if environment is not None and environment.recognises(package):
        return (environment,)
    return tuple(language for language in by_name.values() if language.recognises(package))


def _named(name: str, languages: Languages) -> Language:
    language = languages.by_name.get(name.lower())
    if language is not None:
        return language
    broken = next((failure for failure in languages.failures if failure.name == name.lower()), None)
    if broken is not None:
        raise UsageError(str(broken))
    hint = did_you_mean(name, languages.by_name)
    raise UsageError(f"no language {name!r}: " + (hint or f"there are {_listed(languages)}"))


def _listed(languages: Languages) -> str:
    return ", ".join(languages.by_name) or "none is installed"
