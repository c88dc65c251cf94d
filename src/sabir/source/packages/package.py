"""A loaded package and its files, by the names of spec 001, "Loaded package"."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Final

from sabir.source.problem import Problem
from sabir.source.text import Source, Span
from sabir.source.yaml import YamlStream, compose, plain_data
from sabir.source.yaml.nodes import Data

__all__ = ["LoadedPackage", "PackageFile"]

YAQL_TAG: Final = frozenset({"!yaql"})


class PackageFile:
    """One file: `raw()` is its bytes, `parsed()` its data. Reading and parsing happen once, when first asked for."""

    def __init__(self, name: str, raw: bytes) -> None:
        self.name = name
        self._raw = raw

    def raw(self) -> bytes:
        return self._raw

    @cached_property
    def problem(self) -> Problem | None:
        """Set when the file is no UTF-8 text (E003)."""
        return self._decoded[1]

    @property
    def source(self) -> Source:
        """The text of the file; broken bytes are replaced, `problem` tells."""
        return self._decoded[0]

    @cached_property
    def _decoded(self) -> tuple[Source, Problem | None]:
        try:
            return Source(self.name, self._raw.decode("utf-8-sig")), None
        except UnicodeDecodeError as error:
            source = Source(self.name, self._raw.decode("utf-8", errors="replace"))
            offset = len(self._raw[: error.start].decode("utf-8", errors="replace"))
            message = f"not UTF-8 text: byte 0x{self._raw[error.start]:02x} at position {error.start}"
            return source, Problem(code="E003", message=message, source=source, span=Span(offset, offset + 1))

    @cached_property
    def yaml(self) -> YamlStream:
        """The file as YAML with places; a file that is no text has no documents and the problem E003."""
        if self.problem is not None:
            return YamlStream(source=self.source, documents=(), problems=(self.problem,))
        return compose(self.source, tags=YAQL_TAG)

    def parsed(self) -> Data:
        """The first document as plain data; None when there is none or the file cannot be read."""
        documents = self.yaml.documents
        return plain_data(documents[0]) if documents and documents[0] is not None else None


class LoadedPackage(ABC):
    """The files of a package, whatever it was loaded from. Names are relative to its root, with `/`."""

    path: Path | None = None
    """Where it came from; None when it only lives in memory."""
    single_file: bool = False
    """True when one file was given, which is to be checked alone."""
    problems: tuple[Problem, ...] = ()
    """What is wrong with the container itself: hostile member names, duplicates, broken limits (E008, E009)."""

    @abstractmethod
    def list(self, subdir: str | None = None) -> list[str]:
        """The names of all files, or of those below a subdirectory, sorted."""

    @abstractmethod
    def get_file(self, name: str) -> PackageFile | None:
        """The file of this name, or None. The same name gives the same object."""

    def exists(self, name: str) -> bool:
        return self.get_file(name) is not None

    def search_for(self, regex: str = ".*", subdir: str | None = None) -> Iterator[str]:
        """The names that match a regular expression from their beginning."""
        pattern = re.compile(regex)
        return (name for name in self.list(subdir) if pattern.match(name))

    @property
    def name(self) -> str:
        """How to speak of the package."""
        return self.path.name if self.path is not None else "<memory>"

    def format(self) -> tuple[str, str]:
        """Name and version of the package format, from `Format` of its manifest (spec 001, S-35)."""
        manifest = self.get_file("manifest.yaml")
        data = manifest.parsed() if manifest else None
        written = data.get("Format") if isinstance(data, dict) else None
        if written is None:
            return "MuranoPL", "1.0"
        name, _, version = str(written).partition("/")
        if not version and re.fullmatch(r"[0-9.]+", name):
            return "MuranoPL", name
        return name, version or "1.0"
