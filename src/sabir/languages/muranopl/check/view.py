"""One package as its validators see it: the manifest, and the role of each file. Created once per package."""

from __future__ import annotations

import posixpath
import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from sabir.languages.muranopl.check.names import FORMATS, LATEST, Version, is_dotted_name
from sabir.lazy import lazy_pattern
from sabir.session import Session
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.source.yaml.nodes import YamlMapping, YamlScalar, text_of
from sabir.text import Source

if TYPE_CHECKING:
    from sabir.languages.muranopl.check.class_view import ClassFileView


MANIFEST: Final = "manifest.yaml"
_CORE_PACKAGES: Final = frozenset({"io.murano", "io.murano.applications"})
# Keys that only a class file has.
_CLASS_MARKS: Final = frozenset({"Namespaces", "Extends", "Methods", "Workflow", "Properties"})
_tosca_pattern: Final = lazy_pattern(
    rb"^(?:\xef\xbb\xbf)?[\"']?tosca_definitions_version[\"']?[ \t]*:", re.MULTILINE
)


class ListedClass(Struct, frozen=True):
    """A class that the manifest lists: its qualified name and the path of its file."""

    name: str
    path: str


class PackageView:
    """A package with its parsed manifest and the files that the manifest names; everything is read on demand."""

    def __init__(self, package: LoadedPackage) -> None:
        self.package = package
        self.search_path: tuple[Path, ...] = ()
        """Folders in which required packages are looked for, too."""
        self.session = Session()
        self.class_file_cache: dict[str, ClassFileView] = {}

    @staticmethod
    def of(package: LoadedPackage) -> PackageView:
        return package.attached(PackageView)

    @cached_property
    def _manifest_file(self) -> PackageFile | None:
        return self.package.get_file(MANIFEST)

    @property
    def manifest_source(self) -> Source:
        file = self._manifest_file
        return file.source if file else Source(MANIFEST, "")

    @cached_property
    def manifest(self) -> YamlMapping | None:
        """The manifest, if it can be used."""
        file = self._manifest_file
        if file is None or file.yaml.broken or not file.yaml.documents:
            return None
        first = file.yaml.documents[0]
        return first if isinstance(first, YamlMapping) else None

    @cached_property
    def _format(self) -> tuple[str, Version]:
        value = self.manifest.get("Format") if self.manifest else None
        text = value.text if isinstance(value, YamlScalar) and value.value is not None else "1.0"
        name, _, version = text.partition("/")
        if not version and re.fullmatch(r"[0-9.]+", name):
            name, version = "MuranoPL", name
        match = re.fullmatch(r"(\d{1,9})(?:\.(\d{1,9}))?", version or "1.0")
        number = (int(match[1]), int(match[2] or 0)) if match else LATEST
        return name, number if number in FORMATS.get(name, ()) else LATEST

    @property
    def format_name(self) -> str:
        return self._format[0]

    @property
    def format_version(self) -> Version:
        """The version for version-gated checks; an unknown version counts as the newest."""
        return self._format[1]

    @property
    def is_checked_language(self) -> bool:
        """False for a foreign format, whose other files sabir cannot judge."""
        return self.format_name in FORMATS

    @cached_property
    def listed_classes(self) -> tuple[ListedClass, ...] | None:
        """The classes of the manifest; None if the list is malformed, so that dependent checks are skipped."""
        if self.manifest is None:
            return None
        classes = self.manifest.get("Classes")
        if classes is None or (isinstance(classes, YamlScalar) and classes.value is None):
            return ()
        if not isinstance(classes, YamlMapping):
            return None
        found: list[ListedClass] = []
        for key, value in classes.items():
            name, path = text_of(key), text_of(value)
            if name is not None and path is not None and is_dotted_name(name):
                found.append(ListedClass(name, posixpath.normpath(posixpath.join("Classes", path))))
        return tuple(found)

    @cached_property
    def listed_names(self) -> frozenset[str]:
        """The classes that the manifest lists, including those with a malformed file name."""
        classes = self.manifest.get("Classes") if self.manifest else None
        names = map(text_of, classes) if isinstance(classes, YamlMapping) else ()
        return frozenset(name for name in names if name is not None and is_dotted_name(name))

    @cached_property
    def class_files(self) -> tuple[str, ...]:
        """Paths of the existing class files, sorted by name."""
        if self.package.single_file:
            return tuple(
                name for name in self.package.list() if name != MANIFEST and not _is_ui(self.package, name)
            )
        listed = {one.path for one in self.listed_classes or ()}
        return tuple(name for name in self.package.list("Classes") if name in listed)

    @cached_property
    def own_namespaces(self) -> frozenset[str]:
        return frozenset(name.rpartition(".")[0] for name in self.listed_names)

    @cached_property
    def _required_names(self) -> frozenset[str]:
        """The packages that the manifest requires, without the core library."""
        require = self.manifest.get("Require") if self.manifest else None
        names = (text_of(key) for key in require) if isinstance(require, YamlMapping) else ()
        return frozenset(name or "" for name in names) - _CORE_PACKAGES

    @cached_property
    def required(self) -> tuple[PackageView, ...]:
        """The required packages that are available: next to this one, or on the search path."""
        if not self._required_names:
            return ()
        from sabir.languages.muranopl.check.class_references import Neighbours, packages_beside

        neighbours = self.session.cache(Neighbours)
        beside = packages_beside(self.package, self._required_names, neighbours, self.search_path)
        return tuple(map(PackageView.of, beside.values()))

    @cached_property
    def requires_others(self) -> bool:
        """Tell whether classes may come from packages that are not available."""
        if len(self.required) < len(self._required_names):
            return True
        # Requirements of requirements are not followed, since two packages may require each other.
        own = text_of(self.manifest.get("FullName")) if self.manifest else None
        return any(one._required_names - self._required_names - {own} for one in self.required)

    @cached_property
    def ui_file(self) -> str | None:
        """The path of the UI definition: `UI/<name>`, or `<name>` from the root (S-20)."""
        if self.package.single_file:
            return next((name for name in self.package.list() if _is_ui(self.package, name)), None)
        return self._find_referenced_file("UI", "ui.yaml", folders=("UI", ""))

    @cached_property
    def logo_file(self) -> str | None:
        return self._find_referenced_file("Logo", "logo.png", folders=("", "UI"))

    @property
    def supplier_logo(self) -> str | None:
        """The logo of the vendor, which the engine shows next to the logo of the package."""
        supplier = self.manifest.get("Supplier") if self.manifest else None
        return text_of(supplier.get("Logo")) if isinstance(supplier, YamlMapping) else None

    def _find_referenced_file(self, key: str, default: str, *, folders: tuple[str, str]) -> str | None:
        value = self.manifest.get(key) if self.manifest else None
        name = text_of(value) or default
        for folder in folders if text_of(value) else folders[:1]:
            path = posixpath.normpath(posixpath.join(folder, name))
            if self.package.exists(path):
                return path
        return None


def _is_ui(package: LoadedPackage, name: str) -> bool:
    """Tell whether a single file is a UI definition, by its sections."""
    file = package.get_file(name)
    documents = file.yaml.documents if file else ()
    first = documents[0] if documents else None
    return isinstance(first, YamlMapping) and (
        first.get("Application") is not None or first.get("Forms") is not None
    )


def is_part_of_package(package: LoadedPackage) -> bool:
    """Tell whether a single file is a manifest, a class or a UI definition."""
    if package.exists(MANIFEST):
        return True
    for name in package.list():
        file = package.get_file(name)
        if file is None or not name.endswith((".yaml", ".yml")):
            return False
        if _tosca_pattern().search(file.raw()):
            # Decided by its text, so that a large template is not parsed as YAML a second time.
            return False
        if _is_ui(package, name):
            return True
        first = next((document for document in file.yaml.documents if document is not None), None)
        keys = {text_of(key) for key in first} if isinstance(first, YamlMapping) else set[str | None]()
        return bool(keys & _CLASS_MARKS)
    return False
