"""References to classes: the prefix is declared, and the class exists as far as that can be decided.

A class may come from a required package. Such packages are searched next to the checked package, as in a
repository of packages, and in the directories of the search path. If a required package is not found, its
classes are assumed to exist: a false error costs more than a missed one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from sabir.diagnostics.finding import Finding, Fix
from sabir.errors import InputError
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
    """Report a class reference whose prefix is not declared or whose class certainly does not exist."""
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
    """Build the fix that corrects the last part of a class name; None if the suggested class is in another
    namespace.
    """
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
    """Packages in the directories around the checked ones, read once for all packages of a session."""

    def __init__(self) -> None:
        self._named: dict[Path, tuple[int, Mapping[str, Path]]] = {}
        self._listed: dict[Path, tuple[int, frozenset[bytes]]] = {}

    def find_packages(self, folder: Path) -> Mapping[str, Path]:
        """Return the packages in the subdirectories of a directory, by full name."""
        changed, known = _read_change_time(folder), self._named.get(folder)
        if known is None or known[0] != changed:
            named: dict[str, Path] = {}
            for name, root in _find_packages(folder):
                named.setdefault(name, root)
            known = self._named[folder] = changed, named
        return known[1]

    def find_listed_names(self, folder: Path) -> frozenset[bytes]:
        """Return the class names that the manifests in a directory list, found by a scan of their lines."""
        changed, known = _read_change_time(folder), self._listed.get(folder)
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
    """Return those of the named packages that are next to this one or on the search path.

    Repositories with the layout `NAME/package/` are searched as well.
    """
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
            except InputError:
                continue
    return packages


def is_class_beside(package: LoadedPackage, name: str, neighbours: Neighbours) -> bool:
    """Tell whether a package next to this one lists a class.

    Formats without `Require` found such a class without a declaration, so it is not reported as missing.
    """
    if package.path is None or package.single_file:
        return False
    return name.encode() in neighbours.find_listed_names(_neighbor_directory(package.path.absolute()))


def _neighbor_directory(path: Path) -> Path:
    return path.parent.parent if path.name == "package" else path.parent


def _read_change_time(folder: Path) -> int:
    """Return when an entry of a directory was last created or deleted; 0 if that cannot be read."""
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0


def _find_packages(folder: Path) -> Iterator[tuple[str, Path]]:
    """Return the full names and directories of packages. Only the first part of each manifest is read."""
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
    """Return the beginning of the manifest; empty if there is none."""
    try:
        with (root / "manifest.yaml").open("rb") as file:
            return file.read(size)
    except OSError:
        return b""
