"""Loading the parts of an environment: their packages and languages."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.near import did_you_mean
from sabir.environment.merge import PartPlaces
from sabir.environment.nodes import Environment, Part
from sabir.errors import UnusableInput
from sabir.languages.language import Language
from sabir.plugins import LANGUAGES, load_plugins
from sabir.source.packages import LoadedPackage, SubPackage, load_package
from sabir.text import Span

__all__ = ["LoadedPart", "environment_folder", "load_parts"]


class LoadedPart(Struct, frozen=True, eq=False, kw_only=True):
    part: Part
    folder: Path | None
    """Where paths in `sabir.yaml` start from."""
    package: LoadedPackage
    language: Language
    places: PartPlaces


def load_parts(
    environment: Environment, package: LoadedPackage
) -> tuple[tuple[LoadedPart, ...], tuple[Finding, ...]]:
    """The parts that can be used, in the order they are written, and findings for the others."""
    loaded: list[LoadedPart] = []
    findings: list[Finding] = []
    languages = {name: cast("Language", one) for name, one in load_plugins(LANGUAGES).loaded.items()}
    languages.pop("environment", None)  # an environment inside another would be a package of no language
    for part in environment.parts:
        outcome = _load(environment, part, package, languages)
        if isinstance(outcome, Finding):
            findings.append(outcome)
        else:
            loaded.append(outcome)
    return tuple(loaded), tuple(findings)


def _load(
    environment: Environment, part: Part, whole: LoadedPackage, languages: dict[str, Language]
) -> LoadedPart | Finding:
    try:
        package = _package(whole, part.path)
    except UnusableInput as error:
        return _finding(environment, part.path_span, "ENV:E004", f"part {part.name!r}: {error}")
    language = _language(environment, part, package, languages)
    if isinstance(language, Finding):
        return language
    prefix = _prefix(part.path, single_file=package.single_file)
    places = PartPlaces(prefix, own=environment.source)
    return LoadedPart(
        part=part, folder=environment_folder(whole), package=package, language=language, places=places
    )


def environment_folder(package: LoadedPackage) -> Path | None:
    """The folder that paths in `sabir.yaml` start from; None for an archive or an environment in memory."""
    if package.path is None:
        return None
    folder = package.path.parent if package.single_file else package.path
    return folder if folder.is_dir() else None


def _package(whole: LoadedPackage, path: str) -> LoadedPackage:
    folder = environment_folder(whole)
    if folder is not None:
        return load_package(folder / path)
    package = SubPackage(whole, path)
    if not package.list():
        raise UnusableInput(f"no such path {path!r} in {whole.name}")
    return package


def _prefix(path: str, *, single_file: bool) -> str:
    """What goes before the names of a part's files to make them names from the environment's folder."""
    folder = path.rstrip("/").rpartition("/")[0] if single_file else path.rstrip("/")
    folder = folder.removeprefix("./")
    return "" if folder in ("", ".") else f"{folder}/"


def _language(
    environment: Environment, part: Part, package: LoadedPackage, languages: dict[str, Language]
) -> Language | Finding:
    if part.language is not None:
        language = languages.get(part.language)
        if language is not None:
            return language
        hint = did_you_mean(part.language, languages) or f"there are {', '.join(languages)}"
        message = f"part {part.name!r}: there is no language {part.language!r}"
        return _finding(environment, part.language_span or part.span, "ENV:E005", message, hint=hint)
    fitting = [language for language in languages.values() if language.recognises(package)]
    if len(fitting) == 1:
        return fitting[0]
    names = " or ".join(language.name for language in fitting)
    message = (
        f"part {part.name!r} could be {names}" if fitting else f"part {part.name!r} is in no known language"
    )
    return _finding(environment, part.path_span, "ENV:E005", message, hint="say which with language:")


def _finding(
    environment: Environment, span: Span, code: str, message: str, *, hint: str | None = None
) -> Finding:
    return Finding(code=code, message=message, place=environment.place(span), hint=hint)
