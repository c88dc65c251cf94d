"""Loader of the parts of an environment: their packages, languages and file names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.environment.examples import environment_rule
from sabir.environment.merge import PartPlaces
from sabir.environment.nodes import Environment, Part
from sabir.environment.references import is_expression
from sabir.errors import InputError
from sabir.languages.language import Language
from sabir.plugins import LANGUAGES, load_plugins
from sabir.session import Session
from sabir.source.packages import LoadedPackage, PackageFile, SubPackage, is_below, load_package
from sabir.source.packages.file_access import name_defect
from sabir.source.packages.views import EditedPackage
from sabir.source.yaml.nodes import YamlScalar
from sabir.text import Span

MISSING_PART: Final = environment_rule(
    "E004",
    "a part that is not there",
    "The path of a part is a folder, an archive or a file, from the folder of sabir.yaml.",
)
UNKNOWN_LANGUAGE: Final = environment_rule(
    "E005",
    "a part in no known language",
    "The language of a part is found from its files. Say it with language where they do not tell.",
)
OUTSIDE: Final = environment_rule(
    "E010",
    "a path that leads out of the environment",
    "What sabir.yaml names lies in its folder, so that whoever wrote it cannot have other files read. The operator can allow "
    "other places with --trust outside.",
)


class LoadedPart(Struct, frozen=True, eq=False, kw_only=True):
    """A part with its package and language, ready for evaluation."""

    part: Part
    folder: Path | None
    """The base of relative paths in `sabir.yaml`."""
    package: LoadedPackage
    language: Language
    places: PartPlaces


def load_parts(
    environment: Environment, package: LoadedPackage, session: Session
) -> tuple[tuple[LoadedPart, ...], tuple[Finding, ...]]:
    """Return the usable parts in the order of `sabir.yaml`, and findings about the others."""
    loaded: list[LoadedPart] = []
    findings: list[Finding] = []
    languages = {
        name: cast("Language", language) for name, language in load_plugins(LANGUAGES).loaded.items()
    }
    languages.pop(
        "environment", None
    )  # environments cannot be nested: an inner one is not a package of any language
    for part in environment.parts:
        outcome = _check_paths(environment, part, package, session) or _load_part(
            environment, part, package, languages, session
        )
        if isinstance(outcome, Finding):
            findings.append(outcome)
        else:
            loaded.append(outcome)
    return tuple(loaded), tuple(findings)


def _check_paths(
    environment: Environment, part: Part, package: LoadedPackage, session: Session
) -> Finding | None:
    """Report a path of a part that is outside the directory of `sabir.yaml`, unless the operator permits
    it.
    """
    folder = environment_folder(package)
    if folder is None:
        # Files in an archive have no paths on disk, and files next to the archive do not belong to it.
        named = (path for path in _list_paths(part) if path[0] != "path" or name_defect(path[1]) is not None)
        beside = next(named, None)
        return beside and _report_outside_path(
            environment, part, beside, "write it into sabir.yaml, or unpack the archive"
        )
    if session.trust.outside:
        return None
    hint = "move it below the folder of sabir.yaml, or allow it with --trust outside"
    leading = (path for path in _list_paths(part) if not is_below(folder / path[1], folder))
    return next((_report_outside_path(environment, part, path, hint) for path in leading), None)


def _report_outside_path(
    environment: Environment, part: Part, path: tuple[str, str, Span], hint: str
) -> Finding:
    key, written, span = path
    message = f"part {part.name!r}: {key} {written!r} leads out of the environment and is not followed"
    return OUTSIDE.at(environment.place(span), message, hint=hint)


def _list_paths(part: Part) -> Iterator[tuple[str, str, Span]]:
    """Yield every path that a part names: the key, the path as written, and its span."""
    yield "path", part.path, part.path_span
    for key, node in (("model", part.model), ("config", part.config)):
        if isinstance(node, YamlScalar) and isinstance(node.value, str) and not is_expression(node):
            yield key, node.value, node.span
    for written in part.search_path:
        yield "search_path", written, part.span


def _load_part(
    environment: Environment,
    part: Part,
    whole: LoadedPackage,
    languages: dict[str, Language],
    session: Session,
) -> LoadedPart | Finding:
    try:
        package = _load_part_package(whole, part.path, session)
    except InputError as error:
        return MISSING_PART.at(environment.place(part.path_span), f"part {part.name!r}: {error}")
    language = _find_language(environment, part, package, languages)
    if isinstance(language, Finding):
        return language
    prefix = _part_prefix(part.path, single_file=package.single_file)
    folder = environment_folder(whole)
    places = PartPlaces(prefix, own=environment.source, folder=folder)
    for key, written, span in _list_paths(part):
        if key in ("model", "config") and folder is not None and not os.path.exists(folder / written):
            message = f"part {part.name!r}: {key} file not found: {written!r}"
            return MISSING_PART.at(environment.place(span), message)
    return LoadedPart(part=part, folder=folder, package=package, language=language, places=places)


def environment_folder(package: LoadedPackage) -> Path | None:
    """Return the directory of `sabir.yaml`; None for an archive or an environment in memory."""
    if package.path is None:
        return None
    folder = package.path.parent if package.single_file else package.path
    return folder if folder.is_dir() else None


def _load_part_package(whole: LoadedPackage, path: str, session: Session) -> LoadedPackage:
    folder = environment_folder(whole)
    if folder is not None:
        part = load_package(folder / path, session.limits.package)
        texts = _select_edited_files(whole, _part_prefix(path, single_file=part.single_file))
        return EditedPackage(part, texts) if texts else part
    package = SubPackage(whole, path)
    if not package.list():
        raise InputError(f"no such path {path!r} in {whole.name}")
    return package


def _select_edited_files(whole: LoadedPackage, prefix: str) -> dict[str, str | PackageFile]:
    """Return the unsaved editor texts that belong to a part, by file name in the part."""
    edited = whole.edited if isinstance(whole, EditedPackage) else {}
    return {
        name.removeprefix(prefix): PackageFile(name.removeprefix(prefix), file.raw())
        for name, file in edited.items()
        if name.startswith(prefix)
    }


def list_configured_paths(environment: Environment, package: LoadedPackage) -> frozenset[Path]:
    """Return the packages that an environment configures: without it they are not complete."""
    folder = environment_folder(package)
    if folder is None:
        return frozenset()
    return frozenset((folder / part.path).resolve() for part in environment.parts if part.config is not None)


def _part_prefix(path: str, *, single_file: bool) -> str:
    """Return the prefix that turns file names of a part into names relative to the environment."""
    folder = path.rstrip("/").rpartition("/")[0] if single_file else path.rstrip("/")
    folder = folder.removeprefix("./")
    return "" if folder in ("", ".") else f"{folder}/"


def _find_language(
    environment: Environment, part: Part, package: LoadedPackage, languages: dict[str, Language]
) -> Language | Finding:
    if part.language is not None:
        language = languages.get(part.language)
        if language is not None:
            return language
        hint = did_you_mean(part.language, languages) or f"there are {', '.join(languages)}"
        message = f"part {part.name!r}: there is no language {part.language!r}"
        return UNKNOWN_LANGUAGE.at(environment.place(part.language_span or part.span), message, hint=hint)
    fitting = [language for language in languages.values() if language.recognises(package)]
    if len(fitting) == 1:
        return fitting[0]
    names = " or ".join(language.name for language in fitting)
    message = (
        f"part {part.name!r} could be {names}" if fitting else f"part {part.name!r} is in no known language"
    )
    return UNKNOWN_LANGUAGE.at(environment.place(part.path_span), message, hint="say which with language:")
