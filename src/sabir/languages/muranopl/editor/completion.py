"""Completion candidates in a class file, a manifest or a UI definition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sabir.languages.muranopl.check.contracts import CONTRACT_FUNCTIONS
from sabir.languages.muranopl.check.core_library import FUNCTIONS
from sabir.languages.muranopl.check.manifest_keys import MANIFEST_KEYS, MANIFEST_TYPES
from sabir.languages.muranopl.check.ui import UI_SECTIONS
from sabir.languages.muranopl.check.ui_forms import FIELD_KEYS, FIELD_TYPES
from sabir.languages.muranopl.syntax.declarations import ARGUMENT_KEYS, ARGUMENT_USAGES
from sabir.languages.muranopl.syntax.heads import CLASS_KEYS
from sabir.languages.muranopl.syntax.members import (
    METHOD_KEYS,
    METHOD_USAGES,
    PROPERTY_KEYS,
    PROPERTY_USAGES,
    SCOPES,
)
from sabir.languages.muranopl.syntax.statements import KEYWORDS
from sabir.lazy import lazy_pattern
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.source.symbols import Candidate, SymbolKind
from sabir.source.yaml.cursor import CursorContext, locate_cursor

_CODE: Final = frozenset({"Body", *KEYWORDS})
_reference_pattern: Final = lazy_pattern(
    r"(?:\b(?:new|class|template|find|cast|type)\(\s*|^|[\s(])(?:[\w=]+:)?\w*$"
)
"""A class is about to be named: behind a prefix, or in what takes a class."""
_member_pattern: Final = lazy_pattern(r"\$\w*(?:\??\.\w+(?:\([^()]*\))?)*\??\.\w*$")


def candidates(package: LoadedPackage, file: PackageFile, offset: int) -> Sequence[Candidate]:
    """Return the keywords, keys and file names that fit at an offset."""
    place = locate_cursor(file.source, offset)
    if file.name == "manifest.yaml":
        return [*_of_manifest(package, place)]
    if file.name.startswith("UI/"):
        return [*_of_ui(place)]
    return [*_of_class(place)]


def completion_keys(file: PackageFile, offset: int) -> Sequence[str]:
    """Return the prefixes of the symbol keys that fit at an offset: classes, members or packages."""
    place = locate_cursor(file.source, offset)
    if file.name == "manifest.yaml":
        return ["package "] if place.path[:1] == ("Require",) else []
    if file.name.startswith("UI/"):
        return ["class "] if place.key == "type" and "?" in place.path else []
    if place.key in ("Extends", "Import") or place.path[-1:] in (("Extends",), ("Import",)):
        return ["class "]
    if _member_pattern().search(place.before):
        return ["property ", "method "]
    return ["class "] if _reference_pattern().search(place.before) and _is_code(place) else []


def _is_code(place: CursorContext) -> bool:
    return place.key == "Contract" or any(key in _CODE or key == "Contract" for key in place.path)


def _of_class(place: CursorContext) -> Iterator[Candidate]:
    path = place.path
    if place.key == "Contract" or path[-1:] == ("Contract",):
        yield from _build_candidates(CONTRACT_FUNCTIONS, SymbolKind.FUNCTION)
    elif place.key == "Usage":
        usages = (
            ARGUMENT_USAGES
            if "Arguments" in path
            else METHOD_USAGES
            if "Methods" in path
            else PROPERTY_USAGES
        )
        yield from _build_candidates(usages, SymbolKind.VALUE)
    elif place.key == "Scope":
        yield from _build_candidates(SCOPES, SymbolKind.VALUE)
    elif _is_code(place):
        yield from _build_candidates(FUNCTIONS, SymbolKind.FUNCTION)
        if place.is_key:
            yield from _build_candidates(KEYWORDS, SymbolKind.KEYWORD)
    elif place.is_key:
        yield from _build_candidates(_keys_below(path), SymbolKind.KEYWORD)


def _keys_below(path: tuple[str, ...]) -> Iterable[str]:
    if "Arguments" in path:
        return ARGUMENT_KEYS
    match path:
        case ():
            return CLASS_KEYS
        case ("Properties", _):
            return PROPERTY_KEYS
        case ("Methods" | "Workflow", _):
            return METHOD_KEYS
        case _:
            return ()


def _of_manifest(package: LoadedPackage, place: CursorContext) -> Iterator[Candidate]:
    if place.is_key and not place.path:
        yield from _build_candidates(MANIFEST_KEYS, SymbolKind.KEYWORD)
    elif place.key == "Type":
        yield from _build_candidates(MANIFEST_TYPES, SymbolKind.VALUE)
    elif place.path[:1] == ("Classes",) and place.key is not None:
        yield from _build_candidates(_list_files_under("Classes", package), SymbolKind.FILE)
    elif place.key == "UI":
        yield from _build_candidates(_list_files_under("UI", package), SymbolKind.FILE)


def _list_files_under(folder: str, package: LoadedPackage) -> Iterator[str]:
    return (name.removeprefix(f"{folder}/") for name in package.list(folder))


def _of_ui(place: CursorContext) -> Iterator[Candidate]:
    if place.is_key and not place.path:
        yield from _build_candidates(UI_SECTIONS, SymbolKind.KEYWORD)
    elif place.path[-1:] == ("fields",):
        if place.key == "type":
            yield from _build_candidates(FIELD_TYPES, SymbolKind.VALUE)
        elif place.is_key:
            yield from _build_candidates(FIELD_KEYS, SymbolKind.KEYWORD)
    elif place.path[:1] in (("Application",), ("Templates",), ("Parameters",)) and place.key is not None:
        yield from _build_candidates(FUNCTIONS, SymbolKind.FUNCTION)


def _build_candidates(names: Iterable[str], kind: SymbolKind) -> Iterator[Candidate]:
    return (Candidate(text=name, kind=kind) for name in sorted(names))
