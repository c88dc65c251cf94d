"""Fix: apply the fixes of findings to files, or show them as a diff."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from sabir.checks.fixes import apply_fixes
from sabir.checks.options import CheckOptions
from sabir.checks.report import Report
from sabir.errors import SabirError, UsageError
from sabir.operations.check import check_package
from sabir.operations.files import write_atomically
from sabir.source.packages import LoadedPackage, load_package
from sabir.source.packages.limits import NOT_UTF8
from sabir.source.packages.views import EditedPackage
from sabir.source.yaml.defects import NOT_YAML, UNBOUNDED

_BOM: Final = b"\xef\xbb\xbf"
# A fix may cause another finding with a fix; the limit stops fixes that undo each other.
_ROUNDS: Final = 10
_UNREADABLE: Final = frozenset(rule.code for rule in (NOT_YAML, NOT_UTF8, UNBOUNDED))


class FixResult(Struct, frozen=True, kw_only=True):
    """The number of applied fixes and the files that were written."""

    applied: int = 0
    files: tuple[Path, ...] = ()
    """The files that were written."""


class _FixedFile(Struct, frozen=True, kw_only=True):
    """One file on disk, before and after."""

    path: Path
    before: str
    after: str
    applied: int


def fix_paths(paths: Sequence[Path], options: CheckOptions, *, unsafe: bool = False) -> FixResult:
    """Apply the fixes of all findings until none is left, and write the files."""
    applied = 0
    files: dict[Path, None] = {}
    for mended in _fix_packages(paths, options, unsafe=unsafe):
        write_atomically(mended.path, _encode_file(mended))
        applied += mended.applied
        files[mended.path] = None
    return FixResult(applied=applied, files=tuple(files))


def fix_diff(paths: Sequence[Path], options: CheckOptions, *, unsafe: bool = False) -> str:
    """Return what `fix_paths` would change as a unified diff; nothing is written."""
    from difflib import unified_diff

    parts: list[str] = []
    for mended in _fix_packages(paths, options, unsafe=unsafe):
        before = mended.before.splitlines(keepends=True)
        after = mended.after.splitlines(keepends=True)
        name = mended.path.as_posix()
        lines = unified_diff(before, after, f"a/{name}", f"b/{name}")
        parts.extend(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
        )
    return "".join(parts)


def _fix_packages(paths: Sequence[Path], options: CheckOptions, *, unsafe: bool) -> Iterator[_FixedFile]:
    for path in paths:
        try:
            package = load_package(path, options.session.limits.package)
            if package.single_file or os.path.isdir(path):  # what lives in an archive is not rewritten
                yield from _fix_package(package, path, options, unsafe=unsafe)
        except UsageError:
            raise
        except SabirError:
            continue  # the check that follows says why


def _fix_package(
    package: LoadedPackage, path: Path, options: CheckOptions, *, unsafe: bool
) -> Iterator[_FixedFile]:
    for name, mended in fix_texts(package, options, unsafe=unsafe).items():
        file = package.get_file(name)
        if file is not None:
            place = path if package.single_file else path / name
            yield _FixedFile(path=place, before=file.source.text, after=mended.text, applied=mended.applied)


class FixedFileText(Struct, frozen=True, kw_only=True):
    """The fixed text of one file."""

    text: str
    applied: int
    """The number of fixes applied to it."""


def fix_texts(
    package: LoadedPackage, options: CheckOptions, *, unsafe: bool = False
) -> dict[str, FixedFileText]:
    """Return the files that fixes change, by name. Nothing is written, so the package may be an archive."""
    texts: dict[str, str] = {}
    applied: dict[str, int] = {}
    report = check_package(package, options)
    for _ in range(_ROUNDS):
        findings = [finding for _, finding in report.findings()]
        changes = [
            fixed for fixed in apply_fixes(findings, unsafe=unsafe) if package.exists(fixed.source.name)
        ]
        wanted = {fixed.source.name: fixed.text for fixed in changes if fixed.text != fixed.source.text}
        if not wanted:
            break
        after = check_package(EditedPackage(package, {**texts, **wanted}), options)
        if _find_unreadable(after) - _find_unreadable(report):
            break  # a fix that makes the file invalid is discarded
        for fixed in changes:
            name = fixed.source.name
            applied[name] = applied.get(name, 0) + len(fixed.applied)
        texts.update(wanted)
        report = after
    return {name: FixedFileText(text=text, applied=applied[name]) for name, text in texts.items()}


def _find_unreadable(report: Report) -> set[str]:
    return {finding.filename for _, finding in report.findings() if finding.code in _UNREADABLE}


def _encode_file(mended: _FixedFile) -> bytes:
    mark = _BOM if mended.path.read_bytes()[:3] == _BOM else b""
    return mark + mended.after.encode("utf-8")
