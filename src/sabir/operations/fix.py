"""Mend what can be mended mechanically, or show how it would be."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from sabir.check.fixes import FixedText, fixed_texts
from sabir.check.options import CheckOptions
from sabir.check.report import PackageReport
from sabir.dataclasses import dataclass
from sabir.operations.check import check_paths
from sabir.operations.files import write_atomically

__all__ = ["FixResult", "fix_diff", "fix_paths"]

_BOM: Final = b"\xef\xbb\xbf"
# A fix may bring forth another finding with a fix; fixes that undo each other must not go on for ever.
_ROUNDS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class FixResult:
    applied: int = 0
    files: tuple[Path, ...] = ()
    """What was written."""


def fix_paths(paths: Sequence[Path], options: CheckOptions, *, unsafe: bool = False) -> FixResult:
    """Apply the fixes of all findings and write the files, until nothing is left to mend."""
    applied = 0
    files: dict[Path, None] = {}
    for _ in range(_ROUNDS):
        changes = [*_changes(paths, options, unsafe=unsafe)]
        if not changes:
            break
        for path, fixed in changes:
            write_atomically(path, _encoded(path, fixed))
            applied += len(fixed.applied)
            files[path] = None
    return FixResult(applied=applied, files=tuple(files))


def fix_diff(paths: Sequence[Path], options: CheckOptions, *, unsafe: bool = False) -> str:
    """What the fixes would change, as a unified diff; nothing is written."""
    from difflib import unified_diff

    parts: list[str] = []
    for path, fixed in _changes(paths, options, unsafe=unsafe):
        before = fixed.source.text.splitlines(keepends=True)
        after = fixed.text.splitlines(keepends=True)
        lines = unified_diff(before, after, f"a/{path.as_posix()}", f"b/{path.as_posix()}")
        parts.extend(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
        )
    return "".join(parts)


def _changes(
    paths: Sequence[Path], options: CheckOptions, *, unsafe: bool
) -> Iterator[tuple[Path, FixedText]]:
    for package in check_paths(paths, options).report.packages:
        for fixed in fixed_texts(package.findings, unsafe=unsafe):
            path = _path_of(package, fixed.source.name)
            if path is not None and fixed.text != fixed.source.text:
                yield path, fixed


def _path_of(package: PackageReport, file: str) -> Path | None:
    """The file on the disk, or None for what lives in an archive, which is not rewritten."""
    if not package.path:
        return None
    root = Path(package.path)
    if package.single_file:
        return root
    return root / file if os.path.isdir(root) else None


def _encoded(path: Path, fixed: FixedText) -> bytes:
    mark = _BOM if path.read_bytes()[:3] == _BOM else b""
    return mark + fixed.text.encode("utf-8")
