"""A package in a directory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.source.packages.file_access import NOISE, read_regular_file
from sabir.source.packages.limits import (
    DEFAULT_LIMITS,
    LEADS_OUT,
    TOO_MUCH,
    UNREADABLE,
    NodeBudget,
    PackageLimits,
)
from sabir.source.packages.package import FileTable, LoadedPackage, PackageFile, PackageLoader


class DirectoryLoader(PackageLoader):
    """Takes a directory. Files are listed at once and read when asked for; symlinks must stay inside."""

    @classmethod
    def try_load(cls, path: str | Path, *options: PackageLimits) -> LoadedPackage | None:
        root = Path(path)
        if not os.path.isdir(root):
            return None
        walk = _Walk(root=root, limits=options[0] if options else DEFAULT_LIMITS)
        budget = NodeBudget.of(walk.limits)
        package = FileTable({name: PackageFile(name, reader, budget) for name, reader in walk.files()})
        package.path = root
        package.findings = tuple(sorted(walk.findings, key=lambda finding: finding.filename))
        return package


class _Walk:
    """One pass over the tree. Linked folders are not entered: what is inside the package is listed by its own name."""

    def __init__(self, root: Path, limits: PackageLimits) -> None:
        self.root = root
        self.real_root = Path(os.path.realpath(root))
        self.limits = limits
        self.findings: list[Finding] = []
        self._count = 0

    def files(self) -> Iterator[tuple[str, partial[bytes]]]:
        pending = [("", 0)]
        while pending:
            folder, depth = pending.pop()
            for entry in self._entries(folder):
                name = f"{folder}{entry.name}"
                self._count += 1
                if self._count > self.limits.entries:
                    self._note(
                        TOO_MUCH, name, f"more than {self.limits.entries:,} files; the rest is left out"
                    )
                    return
                if entry.is_symlink():
                    target = self._link_target(name, entry)
                elif entry.is_dir(follow_symlinks=False):
                    if self._is_wanted(entry, name, depth):
                        pending.append((name + "/", depth + 1))
                    continue
                else:
                    target = self.real_root / name if entry.is_file(follow_symlinks=False) else None
                    if target is None:
                        self._note(UNREADABLE, name, "left out: it is neither file nor folder")
                if target is not None:
                    yield name, partial(read_regular_file, target, self.limits, self.real_root)

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self.root / folder) as found:
                return [entry for entry in found if _is_text(entry.name)]
        except OSError as error:
            self._note(UNREADABLE, folder.rstrip("/") or ".", f"cannot be read: {error.strerror or error}")
            return []

    def _is_wanted(self, entry: os.DirEntry[str], name: str, depth: int) -> bool:
        if entry.name in NOISE or os.path.exists(os.path.join(entry.path, "pyvenv.cfg")):
            return False
        if depth >= self.limits.depth:
            self._note(TOO_MUCH, name, f"folders nested deeper than {self.limits.depth} levels; left out")
            return False
        return True

    def _link_target(self, name: str, entry: os.DirEntry[str]) -> Path | None:
        """The regular file inside the package that a link leads to; anything outside is a problem."""
        target = os.path.realpath(entry.path)
        if not Path(target).is_relative_to(self.real_root):
            self._note(
                LEADS_OUT, name, f"symlink out of the package, to {os.readlink(entry.path)!r}; not followed"
            )
            return None
        return Path(target) if os.path.isfile(target) else None

    def _note(self, rule: Rule, name: str, message: str) -> None:
        self.findings.append(rule.about_file(name, message))


def _is_text(name: str) -> bool:
    """File systems allow names that are no text; they could not be printed, named in a manifest, or matched."""
    return name.isprintable() or not any(0xDC80 <= ord(char) <= 0xDCFF for char in name)
