"""What comes through a pipe: `-` is the standard input, `<(command)` of a shell an open pipe."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Final

from sabir.errors import UnusableInput
from sabir.source.packages.limits import DEFAULT_LIMITS, PackageLimits
from sabir.source.packages.loader import PackageLoader
from sabir.source.packages.package import FileTable, LoadedPackage, PackageFile
from sabir.source.packages.reading import read_at_most, read_named_file

__all__ = ["STANDARD_INPUT", "StreamLoader", "is_stream", "read_given"]

STANDARD_INPUT: Final = Path("-")
_OPEN_FILES: Final = ("/dev/fd/", "/proc/self/fd/")


def is_stream(path: Path) -> bool:
    """Whether a path that somebody named is to be read to its end, once.

    A shell hands `<(command)` over as a file that is open already. Any other pipe may wait for a writer for ever.
    """
    if path == STANDARD_INPUT:
        return True
    if not str(path).startswith(_OPEN_FILES):
        return False
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def read_given(path: Path, limits: PackageLimits = DEFAULT_LIMITS) -> bytes:
    """The bytes of a file that somebody named, or of an open pipe; `ReadProblem` for what might never end."""
    return _read(path, limits) if is_stream(path) else read_named_file(path, limits)


class StreamLoader(PackageLoader):
    """Takes a pipe that is open already; others are left alone."""

    @classmethod
    def try_load(cls, path: str | Path, *options: PackageLimits) -> LoadedPackage | None:
        place = Path(path)
        if not is_stream(place):
            return None
        raw = _read(place, options[0] if options else DEFAULT_LIMITS)
        name = f"{'<stdin>' if place == STANDARD_INPUT else '<pipe>'}{_suffix(raw)}"
        package = FileTable({name: PackageFile(name, raw)})
        package.single_file = True
        return package


def _read(place: Path, limits: PackageLimits) -> bytes:
    source = 0 if place == STANDARD_INPUT else place
    try:
        with open(source, "rb", closefd=source != 0) as stream:
            raw = read_at_most(stream, limits.file + 1)
    except OSError as error:
        raise UnusableInput(f"cannot read {str(place)!r}: {error.strerror or error}") from error
    if len(raw) > limits.file:
        raise UnusableInput(
            f"{str(place)!r} gives more than {limits.file:,} bytes, which is too much to read"
        )
    return raw


def _suffix(raw: bytes) -> str:
    """A text without a name is told by its words: statements of an Inmanta model, JSON, or else YAML."""
    if raw.lstrip()[:1] == b"{":
        return ".json"
    statement = (
        rb"^(?:import [\w:]+|entity \w+.*:|implementation \w+.*:|implement [\w:]+ using|typedef \w+ as)"
    )
    is_model = re.search(statement, raw, re.MULTILINE) is not None
    return ".cf" if is_model else ".yaml"
