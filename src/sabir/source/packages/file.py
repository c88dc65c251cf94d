"""A package of a single file, or of a text that comes through a pipe.

`-` is the standard input; `<(command)` of a shell is an open pipe.
"""

from __future__ import annotations

import os
import re
import stat
from functools import partial
from pathlib import Path
from typing import Final

from sabir.errors import InputError
from sabir.source.packages.file_access import read_at_most, read_named_file, read_regular_file
from sabir.source.packages.limits import DEFAULT_LIMITS, PackageLimits, PackageReadError
from sabir.source.packages.package import FileTable, LoadedPackage, PackageFile, PackageLoader

_TEXT_SUFFIXES: Final = frozenset({".yaml", ".yml", ".cf", ".json", ".tosca"})
"""Whatever is in a file of these names, its author meant it as text: broken bytes are then a finding."""
_ARCHIVE_SUFFIXES: Final = frozenset({".zip", ".csar", ".jar"})
_SNIFFED: Final = 8192


class FileLoader(PackageLoader):
    """Takes a regular file that is text, by its name or by its first bytes."""

    @classmethod
    def try_load(cls, path: str | Path, *options: PackageLimits) -> LoadedPackage | None:
        file = Path(path)
        if not os.path.isfile(file):
            return None
        suffix = file.suffix.lower()
        if suffix in _ARCHIVE_SUFFIXES or (suffix not in _TEXT_SUFFIXES and not _looks_like_text(file)):
            return None
        limits = options[0] if options else DEFAULT_LIMITS
        # A link that was named on purpose is followed; inside packages links are looked at with more care.
        reader = partial(read_regular_file, Path(os.path.realpath(file)), limits)
        try:
            content = reader()
        except PackageReadError:
            return None
        package = FileTable({file.name: PackageFile(file.name, content)})
        package.path = file
        package.single_file = True
        return package


def _looks_like_text(file: Path) -> bool:
    try:
        with open(file, "rb") as opened:
            head = opened.read(_SNIFFED)
    except OSError:
        return False
    if b"\0" in head:
        return False
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start >= len(head) - 4 and len(head) == _SNIFFED
    return True


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


def read_input(path: Path, limits: PackageLimits = DEFAULT_LIMITS) -> bytes:
    """The bytes of a file that somebody named, or of an open pipe; `ReadProblem` for what might never end."""
    return _read_stream(path, limits) if is_stream(path) else read_named_file(path, limits)


class StreamLoader(PackageLoader):
    """Takes a pipe that is open already; others are left alone."""

    @classmethod
    def try_load(cls, path: str | Path, *options: PackageLimits) -> LoadedPackage | None:
        place = Path(path)
        if not is_stream(place):
            return None
        raw = _read_stream(place, options[0] if options else DEFAULT_LIMITS)
        name = f"{'<stdin>' if place == STANDARD_INPUT else '<pipe>'}{_guess_suffix(raw)}"
        package = FileTable({name: PackageFile(name, raw)})
        package.single_file = True
        return package


def _read_stream(place: Path, limits: PackageLimits) -> bytes:
    source = 0 if place == STANDARD_INPUT else place
    try:
        with open(source, "rb", closefd=source != 0) as stream:
            raw = read_at_most(stream, limits.file + 1)
    except OSError as error:
        raise InputError(f"cannot read {str(place)!r}: {error.strerror or error}") from error
    if len(raw) > limits.file:
        raise InputError(f"{str(place)!r} gives more than {limits.file:,} bytes, which is too much to read")
    return raw


def _guess_suffix(raw: bytes) -> str:
    """A text without a name is told by its words: statements of an Inmanta model, JSON, or else YAML."""
    if raw.lstrip()[:1] == b"{":
        return ".json"
    statement = (
        rb"^(?:import [\w:]+|entity \w+.*:|implementation \w+.*:|implement [\w:]+ using|typedef \w+ as)"
    )
    is_model = re.search(statement, raw, re.MULTILINE) is not None
    return ".cf" if is_model else ".yaml"
