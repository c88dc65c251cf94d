"""What a deployment keeps of the files that it was asked for with: those of the description, and those that were named beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from sabir.languages.language import IncludesFiles
from sabir.operations.deploying import FOLDER
from sabir.operations.languages import installed_languages
from sabir.source.packages import is_below
from sabir.text import Source

__all__ = ["Named", "contents_below"]

_LEFT_OUT: Final = frozenset({FOLDER, ".git", ".venv", "node_modules", "__pycache__"})
_MOST_FILES: Final = 5000
_MOST_BYTES: Final = 64 * 1024 * 1024


class Named(Struct, frozen=True, kw_only=True):
    """A file or folder that was named beside the description: a model, a configuration."""

    name: str | None = None
    """Where it is among the files that are kept."""
    contents: Mapping[str, bytes] = {}
    """Of what lies outside of the description: without it the past would be asked with another configuration, or none."""
    missing: str | None = None
    lost_includes: tuple[str, ...] = ()
    """Files that a configuration takes in from outside of its folder: they are left where they are."""

    @staticmethod
    def of(path: Path | None, root: Path, label: str) -> Named:
        if path is None:
            return Named()
        place = Path(os.path.abspath(path))
        inside = Path(os.path.relpath(place, root.absolute())).parts
        if not inside or inside[0] not in ("..", *_LEFT_OUT):
            return Named(name=str(Path(*inside)))
        # Files below this folder are no part of a description, so that the name is free.
        name = f"{FOLDER}/{label}/{place.name}"
        if os.path.isdir(place):
            contents, missing = contents_below(place)
            return Named(
                name=name,
                contents={f"{name}/{file}": data for file, data in contents.items()},
                missing=missing,
            )
        if not os.path.isfile(place):
            return Named(missing=f"{str(path)!r} was no file")
        contents, lost = _with_included(place)
        below = f"{FOLDER}/{label}"
        return Named(
            name=name,
            contents={f"{below}/{file}": data for file, data in contents.items()},
            lost_includes=lost,
        )


def _with_included(file: Path) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """A configuration with the files that it takes in, by their names from its folder; and what lies outside of that."""
    contents: dict[str, bytes] = {}
    lost: dict[str, None] = {}
    queue = [file]
    for included in queue:
        name = os.path.relpath(included, file.parent)
        if name in contents or not os.path.isfile(included):
            continue
        if not is_below(included, file.parent):
            lost[name] = None
            continue
        contents[name] = included.read_bytes()
        queue += [
            included.parent / other
            for other in _includes(Source(name, contents[name].decode("utf-8", "replace")))
        ]
    return contents, tuple(lost)


def _includes(configuration: Source) -> Iterator[str]:
    """A configuration does not say which language it is for: whoever takes files in by it names them."""
    for language in installed_languages().by_name.values():
        if isinstance(language, IncludesFiles):
            yield from language.included_files(configuration)


def contents_below(root: Path) -> tuple[dict[str, bytes], str | None]:
    """The files below a folder; a reason when there are too many to keep."""
    contents: dict[str, bytes] = {}
    size = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        for name in sorted(names):
            file = Path(folder, name)
            if file.is_symlink() or not file.is_file():
                continue
            size += file.stat().st_size
            if len(contents) >= _MOST_FILES or size > _MOST_BYTES:
                return {}, f"there are more than {_MOST_FILES} files, or {_MOST_BYTES >> 20} MB, beside it"
            contents[str(file.relative_to(root))] = file.read_bytes()
    return contents, None
