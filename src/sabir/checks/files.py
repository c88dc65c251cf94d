"""Which files of a package a check is asked about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from sabir.diagnostics.finding import Finding

__all__ = ["FileSelection"]


class FileSelection(Struct, frozen=True):
    """The files whose findings are asked for: those that are named, or all of the package."""

    names: frozenset[str] | None = None
    """None: all, also files that the package does not have (a manifest that is missing is reported, too)."""

    @staticmethod
    def of(files: Iterable[str] | None) -> FileSelection:
        return FileSelection(None if files is None else frozenset(files))

    def __contains__(self, name: str) -> bool:
        return self.names is None or name in self.names

    def only(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Those of the findings that are about a selected file. For checks that must read all files to judge one."""
        return (finding for finding in findings if finding.filename in self)
