"""Local copies of remote files: directories of a catalog, and single URLs with their copies."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct

from sabir.errors import UsageError
from sabir.source.packages import PackageFile
from sabir.source.packages.file_access import is_below, read_named_file
from sabir.source.packages.limits import PackageReadError

_MOST_FILES: Final = 400
_MOST_FOLDERS: Final = 2000
_DOCUMENTS: Final = (".yaml", ".yml", ".tosca")


class ImportCatalog(Struct, frozen=True):
    """Local copies by absolute path. Nothing outside its directories is read, whatever a document names."""

    folders: tuple[str, ...] = ()
    copies: tuple[tuple[str, str], ...] = ()
    """An address with the path of its copy; of a folder, when it ends in `/`."""

    @classmethod
    def of(cls, words: Iterable[str], folders: Iterable[Path | str]) -> ImportCatalog:
        """Parse the values of `--import` (`URL=PATH`) and the directories of the search path."""
        copies: list[tuple[str, str]] = []
        for word in words:
            url, equals, path = word.rpartition("=")
            if not equals or not url or not path:
                raise UsageError(f"--import {word!r}: write it as URL=PATH")
            if not os.path.exists(path):
                raise UsageError(f"--import {word!r}: no such path {path!r}")
            copies.append((url, os.path.abspath(path)))
        return cls(tuple(os.path.abspath(str(folder)) for folder in folders), tuple(copies))

    def __bool__(self) -> bool:
        return bool(self.folders or self.copies)

    def path_of(self, url: str) -> str | None:
        """The copy of an address: the one that was named, else the file of a folder whose path ends as the address does.

        `https://example.org/types/v1/base.yaml` is `example.org/types/v1/base.yaml` in a folder, or `types/v1/base.yaml`, or
        `v1/base.yaml`, or `base.yaml`, the longest first.
        """
        for address, path in self.copies:
            if url == address:
                return path
            if (
                address.endswith("/")
                and url.startswith(address)
                and self._is_file(copy := _join_path(path, url[len(address) :]))
            ):
                return copy
        parts = [
            part for part in posixpath.normpath(_host_and_path(url)).split("/") if part not in ("", "..")
        ]
        for start in range(len(parts)):
            for folder in self.folders:
                if self._is_file(path := posixpath.join(folder, *parts[start:])):
                    return path
        return None

    def read(self, path: str) -> PackageFile | None:
        """A file of the catalogue by its path."""
        if not self._is_file(path):
            return None
        try:
            return PackageFile(path, read_named_file(Path(path)))
        except PackageReadError:
            return None

    def documents(self) -> Iterator[str]:
        """The documents in its folders, at any depth."""
        places = (place for folder in self.folders for place in os.walk(folder))
        documents = (
            posixpath.join(folder, name)
            for folder, _, names in islice(places, _MOST_FOLDERS)
            for name in sorted(names)
            if name.endswith(_DOCUMENTS)
        )
        return islice(documents, _MOST_FILES)

    def _is_file(self, path: str) -> bool:
        return any(is_below(Path(path), root) for root in self._roots) and os.path.isfile(path)

    @property
    def _roots(self) -> Iterator[Path]:
        yield from map(Path, self.folders)
        for _, path in self.copies:
            yield Path(path) if os.path.isdir(path) else Path(path).parent


def _host_and_path(url: str) -> str:
    split = urlsplit(url)
    return f"{split.hostname or ''}/{split.path}"


def _join_path(folder: str, rest: str) -> str:
    return posixpath.normpath(posixpath.join(folder, rest.lstrip("/")))
