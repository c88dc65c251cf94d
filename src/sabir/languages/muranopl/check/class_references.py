"""References to classes: the prefix is declared, and the class exists as far as that can be known.

Packages that a package requires and that lie beside it, as they do in a repository of packages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from sabir.diagnostics.finding import Finding, Fix
from sabir.errors import UnusableInput
from sabir.languages.muranopl.check.class_view import ClassDocument, PackageClasses
from sabir.languages.muranopl.check.repairs import build_prefix_fix
from sabir.languages.muranopl.examples import package_rule
from sabir.languages.muranopl.syntax.report import FileReporter
from sabir.lazy import lazy_pattern
from sabir.source.packages import LoadedPackage, load_package
from sabir.text import Span

UNDECLARED_PREFIX: Final = package_rule(
    "MPL:E110",
    "an undeclared namespace prefix",
    "Every prefix is declared under Namespaces of the class file.",
    fixable=True,
)
UNKNOWN_CLASS: Final = package_rule(
    "MPL:E111",
    "a class that does not exist",
    "The class belongs to a namespace of this package or of the core library, but neither has it. Classes of other "
    "packages are not reported here.",
    fixable=True,
)


def check_class_reference(
    report: FileReporter, table: PackageClasses, document: ClassDocument, span: Span, written: str
) -> Iterator[Finding]:
    """A class reference: its prefix is declared, and the class exists as far as that can be known."""
    name = document.resolve(written)
    if name is None:
        prefix = written.partition(":")[0]
        meant = report.near(prefix, document.namespaces)
        hint = meant.hint or "declare it under Namespaces"
        fix = report.build_rename_fix(span, prefix, meant.only) or build_prefix_fix(
            report, document.node.get("Namespaces"), prefix, written.partition(":")[2]
        )
        message = f"the namespace prefix {prefix!r} of {written!r} is not declared"
        yield report.at(span, UNDECLARED_PREFIX, message, hint=hint, fix=fix)
    elif table.exists(name) is False:
        other = table.near_class(name)
        did = f"did you mean {other!r}?" if other else None
        yield report.at(
            span,
            UNKNOWN_CLASS,
            f"there is no class {name!r}",
            hint=did,
            fix=_build_spelling_fix(report, span, name, other),
        )


def _build_spelling_fix(report: FileReporter, span: Span, name: str, meant: str | None) -> Fix | None:
    """Another last part of a class name, when the class that was meant is of the same namespace."""
    if meant is None or meant.rpartition(".")[0] != name.rpartition(".")[0]:
        return None
    last = name.rpartition(".")[2]
    start = report.source.text.rfind(last, span.start, span.end)
    return (
        report.build_rename_fix(Span(start, span.end), last, meant.rpartition(".")[2]) if start >= 0 else None
    )


_MOST_FOLDERS: Final = 2000
_HEAD: Final = 8192
_MOST_OF_A_MANIFEST: Final = 1 << 16
_listed_pattern: Final = lazy_pattern(rb"""^[ \t]+["']?([\w.]+)["']?[ \t]*:""", re.MULTILINE)
_full_name_pattern: Final = lazy_pattern(rb"""^FullName:[ \t]*["']?([\w.]+)""", re.MULTILINE)


class Neighbours:
    """What lies in the folders around packages, read once for all packages of a session that lie there."""

    def __init__(self) -> None:
        self._named: dict[Path, tuple[int, Mapping[str, Path]]] = {}
        self._listed: dict[Path, tuple[int, frozenset[bytes]]] = {}

    def find_packages(self, folder: Path) -> Mapping[str, Path]:
        """The packages in the folders of a folder, by full name."""
        changed, known = _changed_at(folder), self._named.get(folder)
        if known is None or known[0] != changed:
            named: dict[str, Path] = {}
            for name, root in _find_packages(folder):
                named.setdefault(name, root)
            known = self._named[folder] = changed, named
        return known[1]

    def find_listed_names(self, folder: Path) -> frozenset[bytes]:
        """What the manifests of the packages in a folder list, as far as it can be told from their lines."""
        changed, known = _changed_at(folder), self._listed.get(folder)
        if known is None or known[0] != changed:
            lines = (
                _read_manifest_head(root, _MOST_OF_A_MANIFEST) for root in self.find_packages(folder).values()
            )
            names = frozenset(name for text in lines for name in _listed_pattern().findall(text))
            known = self._listed[folder] = changed, names
        return known[1]


def packages_beside(
    package: LoadedPackage, names: Iterable[str], neighbours: Neighbours, search_path: Iterable[Path] = ()
) -> dict[str, LoadedPackage]:
    """Those of the named packages that lie in a folder beside this one or in one of the search path, also in repositories
    of `NAME/package/`."""
    wanted = set(names)
    packages: dict[str, LoadedPackage] = {}
    if not wanted or package.path is None or package.single_file:
        return packages
    path = package.path.absolute()
    folders = [_neighbor_directory(path), *(folder.absolute() for folder in search_path)]
    for name, root in (pair for folder in folders for pair in neighbours.find_packages(folder).items()):
        if name in wanted and name not in packages and root != path:
            try:
                packages[name] = load_package(root)
            except UnusableInput:
                continue
    return packages


def is_class_beside(package: LoadedPackage, name: str, neighbours: Neighbours) -> bool:
    """Whether a package beside this one lists a class. Before there was `Require` such a class was simply found."""
    if package.path is None or package.single_file:
        return False
    return name.encode() in neighbours.find_listed_names(_neighbor_directory(package.path.absolute()))


def _neighbor_directory(path: Path) -> Path:
    return path.parent.parent if path.name == "package" else path.parent


def _changed_at(folder: Path) -> int:
    """Return when an entry of a directory was last created or deleted; 0 if that cannot be read."""
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0


def _find_packages(folder: Path) -> Iterator[tuple[str, Path]]:
    """The full names and folders of packages; only the heads of their manifests are read."""
    try:
        entries = sorted(folder.iterdir())[:_MOST_FOLDERS]
    except OSError:
        return
    for entry in (folder, *entries):
        for root in (entry, entry / "package"):
            match = _full_name_pattern().search(_read_manifest_head(root, _HEAD))
            if match is not None:
                yield match[1].decode("ascii", "replace"), root


def _read_manifest_head(root: Path, size: int) -> bytes:
    """The beginning of the manifest; empty when there is none."""
    try:
        with (root / "manifest.yaml").open("rb") as file:
            return file.read(size)
    except OSError:
        return b""
