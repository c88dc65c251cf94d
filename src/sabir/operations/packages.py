"""Languages, and the packages in a directory such as a repository.

A directory is a package if a language recognizes the files in it, including those in the subdirectories that
the language uses (`folders`). Everything inside a package belongs to it. A directory that is not a package is
searched. If everything in it is of one language, and that language accepts the directory as a whole
(components of CCP, templates of TOSCA), it is one package after all.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from msgspec import Struct

from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import InputError, SabirError, UsageError
from sabir.plugins import LANGUAGES, PluginFailure, load_plugins
from sabir.source.packages import LoadedPackage, PackageFile, load_package
from sabir.source.packages.file_access import NOISE, read_regular_file
from sabir.source.packages.limits import DEFAULT_LIMITS, PackageLimits
from sabir.source.packages.package import FileTable

if TYPE_CHECKING:
    from sabir.languages.language import Language


class Languages(Struct, frozen=True, kw_only=True):
    """The installed languages by name, and the plugins that failed to load."""

    by_name: dict[str, Language]
    failures: tuple[PluginFailure, ...] = ()


def load_languages() -> Languages:
    """Load the entry point group `sabir.languages`: bundled languages and third-party plugins."""
    plugins = load_plugins(LANGUAGES)
    languages = {name: cast("Language", plugin) for name, plugin in plugins.loaded.items()}
    return Languages(by_name=languages, failures=plugins.failures)


def find_language(package: LoadedPackage, name: str | None = None) -> Language:
    """Return the named language, or the only one that recognizes the files of a package."""
    languages = load_languages()
    if name is not None:
        return _find_by_name(name, languages)
    matches = recognize_languages(package, languages)
    if len(matches) == 1:
        return matches[0]
    if matches:
        names = " or ".join(language.name for language in matches)
        raise InputError(f"{package.name} could be {names}: say which with --language")
    raise InputError(
        f"{package.name} is in none of the languages known here ({_join_names(languages)}): "
        "is it the right path? --language NAME overrides"
    )


def recognize_languages(package: LoadedPackage, languages: Languages | None = None) -> tuple[Language, ...]:
    """Return all languages that recognize the package by its file names."""
    by_name = (languages or load_languages()).by_name
    # An environment contains packages of other languages, which would recognize their files in it.
    environment = by_name.get("environment")
    if environment is not None and environment.recognises(package):
        return (environment,)
    return tuple(language for language in by_name.values() if language.recognises(package))


def _find_by_name(name: str, languages: Languages) -> Language:
    language = languages.by_name.get(name.lower())
    if language is not None:
        return language
    broken = next((failure for failure in languages.failures if failure.name == name.lower()), None)
    if broken is not None:
        raise UsageError(str(broken))
    hint = did_you_mean(name, languages.by_name)
    raise UsageError(f"no language {name!r}: " + (hint or f"there are {_join_names(languages)}"))


def _join_names(languages: Languages) -> str:
    return ", ".join(languages.by_name) or "none is installed"


_ARCHIVES: Final = (".zip", ".csar")
_MOST_FOLDERS: Final = 50_000


class DiscoveredPackage(Struct, frozen=True):
    """A package that was found in a directory."""

    path: Path
    languages: tuple[str, ...]
    """The names of the languages that recognize it; more than one if only the user can decide."""


def packages_at(
    path: Path, *, exclude: Sequence[str] = (), limits: PackageLimits = DEFAULT_LIMITS
) -> list[Path]:
    """Return the path itself if it is a package, else the packages in it; a path without any stands for
    itself.
    """
    if not os.path.isdir(path):
        return [path]
    packages = [*discover_packages(path, exclude=exclude, limits=limits)]
    if not exclude and _is_one(path, packages, limits):
        return [path]
    return [package.path for package in packages] or [path]


def discover_packages(
    folder: Path, *, exclude: Sequence[str] = (), limits: PackageLimits = DEFAULT_LIMITS
) -> Iterator[DiscoveredPackage]:
    """Yield the packages in a directory, sorted by name. `exclude` has patterns of names or relative
    paths.
    """
    languages = load_languages()
    waiting = [folder]
    for _ in range(_MOST_FOLDERS):
        if not waiting:
            return
        place = waiting.pop()
        listing = _Listing.of(place, limits)
        names = _recognize_listing(listing, languages)
        if names:
            yield DiscoveredPackage(place, names)
            continue
        for archive in listing.archives:
            names = _archive_languages(archive, limits, languages)
            if names and not _is_excluded(archive, folder, exclude):
                yield DiscoveredPackage(archive, names)
        waiting += [below for below in reversed(listing.folders) if not _is_excluded(below, folder, exclude)]


def recognize_folder(folder: Path, limits: PackageLimits = DEFAULT_LIMITS) -> tuple[str, ...]:
    """Return the names of the languages that recognize a directory by its own files, without searching
    further.
    """
    return _recognize_listing(_Listing.of(folder, limits), load_languages())


def _is_one(folder: Path, packages: Sequence[DiscoveredPackage], limits: PackageLimits) -> bool:
    names = {name for package in packages for name in package.languages}
    if len(packages) < 2 or len(names) > 1:
        return len(packages) == 1 and packages[0].path == folder
    return [language.name for language in recognize_languages(load_package(folder, limits))] == [*names]


def _is_excluded(path: Path, folder: Path, patterns: Sequence[str]) -> bool:
    shown = path.relative_to(folder).as_posix()
    return any(fnmatchcase(name, pattern.rstrip("/")) for pattern in patterns for name in (shown, path.name))


class _Listing(Struct, frozen=True, kw_only=True):
    """The entries of one directory, without those of its subdirectories."""

    place: Path
    files: dict[str, PackageFile]
    folders: list[Path]
    limits: PackageLimits

    @classmethod
    def of(cls, place: Path, limits: PackageLimits) -> _Listing:
        files: dict[str, PackageFile] = {}
        folders: list[Path] = []
        try:
            with os.scandir(place) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except OSError:
            entries = []
        for entry in entries:
            if entry.is_file():
                reader = partial(read_regular_file, Path(os.path.realpath(entry.path)), limits)
                files[entry.name] = PackageFile(entry.name, reader)
            elif entry.is_dir(follow_symlinks=False) and _is_walked(entry):
                folders.append(place / entry.name)
        return cls(place=place, files=files, folders=folders, limits=limits)

    @property
    def archives(self) -> list[Path]:
        return [self.place / name for name in self.files if name.lower().endswith(_ARCHIVES)]

    def view_for(self, language: Language) -> LoadedPackage:
        """Return the directory with only the subdirectories that the language uses."""
        files = dict(self.files)
        for folder in self.folders:
            if folder.name in getattr(language, "folders", ()):
                inner = _Listing.of(folder, self.limits).files
                files |= {f"{folder.name}/{name}": file for name, file in inner.items()}
        package = FileTable(files)
        package.path = self.place
        return package


def _is_walked(entry: os.DirEntry[str]) -> bool:
    return (
        entry.name not in NOISE
        and not entry.name.startswith(".")
        and not os.path.exists(os.path.join(entry.path, "pyvenv.cfg"))
    )


def _recognize_listing(listing: _Listing, languages: Languages) -> tuple[str, ...]:
    if not listing.files and not listing.folders:
        return ()
    environment = languages.by_name.get("environment")
    # An environment contains packages of other languages, which would recognize their files in it.
    if environment is not None and environment.recognises(listing.view_for(environment)):
        return (environment.name,)
    return tuple(
        name
        for name, language in languages.by_name.items()
        if language is not environment and language.recognises(listing.view_for(language))
    )


def _archive_languages(path: Path, limits: PackageLimits, languages: Languages) -> tuple[str, ...]:
    try:
        package = load_package(path, limits)
    except SabirError:
        return ()
    return tuple(language.name for language in recognize_languages(package, languages))
