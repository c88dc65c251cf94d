"""A loaded package, its files, and the interface of loaders (spec 001, "Loaded package", "Package loaders")."""

from __future__ import annotations

import builtins
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from sabir.diagnostics.finding import Finding
from sabir.source.packages.file_access import name_defect, normal_name
from sabir.source.packages.limits import (
    DEFAULT_LIMITS,
    NOT_UTF8,
    TOO_MUCH,
    NodeBudget,
    PackageLimits,
    PackageReadError,
)
from sabir.text import Place, Source, Span

if TYPE_CHECKING:
    from sabir.source.yaml import YamlStream
    from sabir.source.yaml.nodes import Data


Attached = TypeVar("Attached")
YAQL_TAG: Final = frozenset({"!yaql"})


class PackageFile:
    """One file: `raw()` is its bytes, `parsed()` its data. Reading and parsing happen once, when first asked for."""

    def __init__(self, name: str, raw: bytes | Callable[[], bytes], budget: NodeBudget | None = None) -> None:
        """`budget`: shared by the files of a package."""
        self.name = name
        self._content = raw
        self._budget = budget or NodeBudget(DEFAULT_LIMITS.nodes)

    def raw(self) -> bytes:
        """The bytes of the file; empty when it cannot be read, `defect` tells why."""
        return self._read[0]

    @property
    def defect(self) -> Finding | None:
        """Set when the file cannot be read, is too large, or is no UTF-8 text (E003)."""
        return self._decoded[1]

    @property
    def source(self) -> Source:
        """The text of the file; broken bytes are replaced, `defect` tells."""
        return self._decoded[0]

    @property
    def is_opened(self) -> bool:
        """Whether anybody has looked at its text yet."""
        return "_decoded" in self.__dict__

    @cached_property
    def _read(self) -> tuple[bytes, Finding | None]:
        if isinstance(self._content, bytes):
            return self._content, None
        try:
            return self._content(), None
        except PackageReadError as error:
            return b"", error.rule.about_file(self.name, str(error))

    @cached_property
    def _decoded(self) -> tuple[Source, Finding | None]:
        raw, unreadable = self._read
        if unreadable is not None:
            return unreadable.place.source, unreadable
        if len(raw) > DEFAULT_LIMITS.text:
            source = Source(self.name, "")
            message = f"{len(raw):,} bytes are too much for one text: the limit is {DEFAULT_LIMITS.text:,}"
            return source, TOO_MUCH.about_file(source, message)
        try:
            return Source(self.name, raw.decode("utf-8-sig")), None
        except UnicodeDecodeError as error:
            source = Source(self.name, raw.decode("utf-8", errors="replace"))
            offset = len(raw[: error.start].decode("utf-8", errors="replace"))
            message = f"not UTF-8 text: byte 0x{raw[error.start]:02x} at position {error.start}"
            return source, NOT_UTF8.at(Place(source, Span(offset, offset + 1)), message)

    @cached_property
    def yaml(self) -> YamlStream:
        """The file as YAML with places; a file that is no text has no documents and the finding E003."""
        from sabir.source.yaml import YamlLimits, YamlStream, compose

        if self.defect is not None:
            return YamlStream(source=self.source, documents=(), findings=(self.defect,))
        budget = self._budget
        if budget.left == 0:
            message = f"not read: the files of this package have more than {budget.whole:,} nodes together"
            finding = TOO_MUCH.about_file(self.source, message)
            return YamlStream(source=self.source, documents=(), findings=(finding,))
        stream = compose(
            self.source, tags=YAQL_TAG, limits=YamlLimits(nodes=min(DEFAULT_LIMITS.nodes, budget.left))
        )
        budget.spend(stream.nodes)
        return stream

    def parsed(self) -> Data:
        """The first document as plain data; None when there is none or the file cannot be read."""
        from sabir.source.yaml import plain_data

        documents = self.yaml.documents
        return plain_data(documents[0]) if documents and documents[0] is not None else None


class LoadedPackage(ABC):
    """The files of a package, whatever it was loaded from. Names are relative to its root, with `/`."""

    path: Path | None = None
    """Where it came from; None when it only lives in memory."""
    single_file: bool = False
    """True when one file was given, which is to be checked alone."""
    wrapping: LoadedPackage | None = None
    """The archive around it, which holds nothing else but its signature and certificate."""
    findings: tuple[Finding, ...] = ()
    """What is wrong with the container itself: hostile member names, duplicates, broken limits (E008, E009)."""

    @abstractmethod
    def list(self, subdir: str | None = None) -> builtins.list[str]:
        """The names of all files, or of those below a subdirectory, sorted."""

    @abstractmethod
    def get_file(self, name: str) -> PackageFile | None:
        """The file of this name, or None. The same name gives the same object."""

    def exists(self, name: str) -> bool:
        """Whether there is a file of this name; it is not read for that."""
        return self.get_file(name) is not None

    def attached(self, kind: Callable[[LoadedPackage], Attached]) -> Attached:
        """Return the one `kind(package)` of this package, which lives as long as the package does.

        What is derived from a package usually refers to it, so a dictionary with weak keys would keep both forever.
        """
        found = self._attached.get(kind)
        if found is None:
            found = self._attached.setdefault(kind, kind(self))
        return found  # type: ignore[return-value]  # the key created it

    @cached_property
    def _attached(self) -> dict[Callable[[LoadedPackage], object], object]:
        return {}

    def search_for(self, regex: str = ".*", subdir: str | None = None) -> Iterator[str]:
        """The names that match a regular expression from their beginning."""
        pattern = re.compile(regex)
        return (name for name in self.list(subdir) if pattern.match(name))

    def list_opened(self) -> Iterator[PackageFile]:
        """The files whose text somebody has looked at, by name. Nothing is read for that."""
        return iter(())

    @property
    def name(self) -> str:
        """How to speak of the package."""
        if self.path is not None:
            return self.path.name or str(self.path.absolute())
        return next(iter(self.list()), "<memory>") if self.single_file else "<memory>"

    def format(self) -> tuple[str, str]:
        """Name and version of the package format, from `Format` of its manifest (spec 001, S-35)."""
        written = self._manifest_value("Format")
        if written is None:
            return "MuranoPL", "1.0"
        name, _, version = str(written).partition("/")
        if not version and re.fullmatch(r"[0-9.]+", name):
            return "MuranoPL", name
        return name, version or "1.0"

    @property
    def version(self) -> str:
        """`Version` of the manifest, `0.0.0` when it gives none (spec 001, "Manifest structure")."""
        written = self._manifest_value("Version")
        return "0.0.0" if written is None else str(written)

    def _manifest_value(self, key: str) -> Data:
        manifest = self.get_file("manifest.yaml")
        data = manifest.parsed() if manifest else None
        return data.get(key) if isinstance(data, dict) else None


class FileTable(LoadedPackage):
    """A package whose files are known by name from the start; the three loaders and memory share it."""

    def __init__(self, files: Mapping[str, PackageFile]) -> None:
        self._files = dict(sorted(files.items()))

    def list(self, subdir: str | None = None) -> builtins.list[str]:
        if subdir is None:
            return [*self._files]
        prefix = normal_name(subdir) + "/"
        return [name for name in self._files if name.startswith(prefix)]

    def get_file(self, name: str) -> PackageFile | None:
        file = self._files.get(name)
        if file is None and name_defect(name) is None:
            file = self._files.get(normal_name(name))
        return file

    def list_opened(self) -> Iterator[PackageFile]:
        return (file for file in self._files.values() if file.is_opened)


class PackageLoader(ABC):
    """Knows one form in which packages come."""

    @classmethod
    @abstractmethod
    def try_load(cls, path: str | Path, *options: PackageLimits) -> LoadedPackage | None:
        """The package at a path, or None when it does not come in this loader's form. Never raises for what is there.

        The one option that loaders know is a `PackageLimits`.
        """
