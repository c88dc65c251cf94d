"""Files that an expression may reach: those below the project's directories, and nothing else."""

from __future__ import annotations

import atexit
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from sabir.expressions.query.errors import REFUSED, TOO_MUCH, expression_rule
from sabir.source.packages.file_access import open_below, read_regular_file
from sabir.source.packages.limits import TOO_MUCH as PACKAGE_TOO_MUCH
from sabir.source.packages.limits import PackageLimits, PackageReadError

if TYPE_CHECKING:
    from sabir.expressions.query.context import QueryContext
    from sabir.expressions.query.functions.call import FunctionCall


FILE_NOT_FOUND: Final = expression_rule(
    "EXPR:E009",
    title="a file that is not there",
    why="The path is relative to the directory of the template.",
)

_LIMITS: Final = PackageLimits()


@cache
def temporary_directory() -> Path:
    """A directory of this process alone, removed when it ends."""
    import shutil
    import tempfile

    made = Path(tempfile.mkdtemp(prefix="sabir-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def _is_temporary(path: Path) -> bool:
    return any(path.is_relative_to(directory) for directory in _existing_temporary_directory())


def _existing_temporary_directory() -> tuple[Path, ...]:
    """Return the temporary directory if there is one yet. A process that is killed would leave it behind."""
    return (temporary_directory(),) if temporary_directory.cache_info().currsize else ()


def base_directory(context: QueryContext) -> Path:
    """What a relative path is relative to: the ensemble's directory, failing that the current one."""
    return context.session.project.directory or Path.cwd()


def normalize_path(path: str, base: Path) -> Path:
    """The path without `.` and `..`; links are left alone, nothing needs to exist."""
    return Path(os.path.normpath(base / path))


def require_reachable(path: Path, call: FunctionCall, context: QueryContext) -> Path:
    """The path itself if it lies below a directory of the project; else the call is refused."""
    if "\0" in str(path):
        call.fail(context, "a path cannot hold a null character")
    if context.session.project.directory is None and not _is_temporary(path):
        raise call.error(
            context,
            f"{call.function.name} cannot reach {str(path)!r}: this description lies in no directory",
            FILE_NOT_FOUND,
        )
    if context.session.work.trust.outside or real_place(path, context).root is not None:
        return path
    raise call.error(
        context,
        f"{call.function.name} may not reach {str(path)!r}: it is outside the project",
        REFUSED,
        "move the file below the project's directory, or allow it with --trust outside",
    )


class RealPlace(NamedTuple):
    """Where a path leads when it is looked at: below a directory of the project, or outside of all."""

    path: Path
    root: Path | None

    def open(self, flags: int, *, make: bool = False) -> int:
        """A descriptor of what is there. Links that were put on the way since are not followed."""
        root = self.path.parent if self.root is None else self.root
        return open_below(root, self.path.relative_to(root), flags, make=make)


def real_place(path: Path, context: QueryContext) -> RealPlace:
    real = Path(os.path.realpath(path))
    roots = (Path(os.path.realpath(root)) for root in _list_roots(context))
    return RealPlace(real, next((root for root in roots if real.is_relative_to(root)), None))


def _list_roots(context: QueryContext) -> list[Path]:
    project = context.session.project
    known = [project.root, project.directory, project.home, *project.repositories.values()]
    return [*(one for one in known if one is not None), *_existing_temporary_directory()]


def may_write(path: Path, call: FunctionCall, context: QueryContext) -> Path:
    """The path, if it may be written; temporary files always may."""
    if not context.session.work.trust.write_files and not _is_temporary(path):
        call.fail(
            context,
            f"{call.function.name} may not write {str(path)!r}: the project is not trusted to write files",
            REFUSED,
            "allow it with --trust write-files, if you know where this description comes from",
        )
    return require_reachable(path, call, context)


def read_bytes(path: Path, call: FunctionCall, context: QueryContext) -> bytes | None:
    """The contents of a file; None when there is no such file."""
    require_reachable(path, call, context)
    if not os.path.exists(path):
        return None
    place = real_place(path, context)
    if place.root is None:
        require_reachable(path, call, context)  # it led elsewhere just now
    try:
        return read_regular_file(place.path, _LIMITS, place.root)
    except PackageReadError as error:
        call.fail(
            context,
            f"{str(path)!r} {error}",
            TOO_MUCH if error.rule is PACKAGE_TOO_MUCH else FILE_NOT_FOUND,
        )


def read_text(written: str, call: FunctionCall, context: QueryContext) -> str:
    """The text of a file that must be there."""
    base = context.directory or base_directory(context)
    path = normalize_path(written, base)
    raw = read_bytes(path, call, context)
    if raw is None and context.directory is not None:
        path = normalize_path(written, base_directory(context))
        raw = read_bytes(path, call, context)
    if raw is None:
        call.fail(context, f"there is no file {str(path)!r}", FILE_NOT_FOUND)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        call.fail(context, f"{str(path)!r} is not UTF-8 text", FILE_NOT_FOUND)
