"""What may be written next in a definition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from sabir.languages.ccp.syntax.containers import COMMAND_KEYS, CONTAINER_KEYS, VOLUME_KEYS
from sabir.languages.ccp.syntax.sections import FILE_KEYS, SERVICE_KEYS, TOP_KEYS
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.source.symbols import Candidate, SymbolKind
from sabir.source.yaml.cursor import typed_place

__all__ = ["candidates", "wanted_keys"]

_KEYS: Final[Mapping[tuple[str, ...], tuple[str, ...]]] = {
    (): TOP_KEYS,
    ("service",): SERVICE_KEYS,
    ("containers",): CONTAINER_KEYS,
    ("daemon",): COMMAND_KEYS,
    ("pre",): COMMAND_KEYS,
    ("post",): COMMAND_KEYS,
    ("volumes",): VOLUME_KEYS,
}


def candidates(package: LoadedPackage, file: PackageFile, offset: int) -> Sequence[Candidate]:
    place = typed_place(file.source, offset)
    if _in_expression(file, offset) or file.name.endswith(".j2"):
        return ()
    if place.key == "content":
        folder = "service/files"
        return _listed((name.removeprefix(f"{folder}/") for name in package.list(folder)), SymbolKind.FILE)
    if not place.is_key:
        return ()
    if place.path[:1] == ("files",) and len(place.path) == 2:
        return _listed(FILE_KEYS, SymbolKind.KEYWORD)
    return _listed(_KEYS.get(place.path[-1:], ()), SymbolKind.KEYWORD)


def wanted_keys(file: PackageFile, offset: int) -> Sequence[str]:
    if _in_expression(file, offset):
        return ("setting ",)
    place = typed_place(file.source, offset)
    if place.path[-1:] == ("files",) and len(place.path) > 1:
        return ("file ",)
    return ("service ", "command ") if place.path[-1:] == ("dependencies",) else ()


def _in_expression(file: PackageFile, offset: int) -> bool:
    before = file.source.text[max(0, offset - 500) : offset]
    return before.rfind("{{") > before.rfind("}}") or before.rfind("{%") > before.rfind("%}")


def _listed(names: Iterable[str], kind: SymbolKind) -> Sequence[Candidate]:
    return [Candidate(text=name, kind=kind) for name in sorted(names)]
