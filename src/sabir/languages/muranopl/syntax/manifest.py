"""Manifests: name, format, requirements and classes of a package; versions and version ranges.

Checks and loading share this reader. `semantic_version.SimpleSpec` (the library that spec 001 names) decides
which ranges are valid and which versions they allow; blanks are removed first, and an empty range means any
version. Importing the library costs more than checking a small package, so the usual spellings are recognized
without it; only the comparison of versions always needs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.errors import SabirError
from sabir.languages.muranopl.syntax.defects import Defects
from sabir.languages.muranopl.syntax.names import is_qualified_name
from sabir.languages.muranopl.syntax.nodes import Value
from sabir.languages.muranopl.syntax.rules import failure_rule
from sabir.languages.muranopl.syntax.values import read_value
from sabir.lazy import lazy_pattern
from sabir.source.packages import LoadedPackage
from sabir.source.yaml import YamlMapping
from sabir.source.yaml.nodes import YamlNode, YamlScalar, text_of
from sabir.text import Span

if TYPE_CHECKING:
    from semantic_version import SimpleSpec  # type: ignore[import-untyped]  # ships no types
    from semantic_version import Version as SemanticVersion


_NUMBER: Final = r"(?:0|[1-9][0-9]{0,8})"
_LABEL: Final = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
# A pre-release or build metadata is only allowed after all three numbers (V-057).
_version_pattern: Final = lazy_pattern(
    rf"([0-9]{{1,100}})(?:\.([0-9]{{1,100}})(?:\.([0-9]{{1,100}})(?:-({_LABEL}))?(?:\+({_LABEL}))?)?)?"
)


@cache
def _usual_range_pattern() -> re.Pattern[str]:
    """Return the pattern of ranges that SimpleSpec certainly accepts."""
    clause = rf"(?:==?|>=?|<=?|!=|\^|~=?)?{_NUMBER}(?:\.{_NUMBER}){{0,2}}"
    return re.compile(rf"{clause}(?:,{clause})*")


class VersionError(SabirError, ValueError):
    """A version or version range that cannot be parsed."""


class Version(Struct, frozen=True):
    """Major, minor, patch, pre-release; `build` counts only if a range asks for it."""

    major: int
    minor: int
    patch: int
    pre: str = ""
    build: str = ""

    @staticmethod
    def parse(text: str) -> Version:
        """Parse a version; short ones are completed: `1.2` is 1.2.0 (S-23)."""
        match = _version_pattern().fullmatch(text.strip())
        if match is None or _has_leading_zero(match[4] or ""):
            raise VersionError(f"{text!r} is no version: as in 1.2.3")
        return Version(int(match[1]), int(match[2] or 0), int(match[3] or 0), match[4] or "", match[5] or "")

    @property
    def precedence(self) -> Any:
        """The key by which versions are ordered."""
        return self.semantic().precedence_key

    def semantic(self) -> SemanticVersion:
        from semantic_version import Version as SemanticVersion

        return SemanticVersion(f"{self}+{self.build}" if self.build else str(self))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}" + (f"-{self.pre}" if self.pre else "")


def _has_leading_zero(labels: str) -> bool:
    return any(len(label) > 1 and label[0] == "0" and label.isdigit() for label in labels.split("."))


class VersionSpec(Struct, frozen=True):
    """A range of versions; the empty string allows every version."""

    text: str

    @staticmethod
    def parse(text: str) -> VersionSpec:
        compact = "".join(text.split())
        if not compact:
            return ANY_VERSION
        if not _usual_range_pattern().fullmatch(compact):
            _simple_spec(compact)
        return VersionSpec(compact)

    def allows(self, version: Version) -> bool:
        return not self.text or bool(_simple_spec(self.text).match(version.semantic()))

    def __str__(self) -> str:
        return self.text or "*"


@lru_cache(maxsize=1024)
def _simple_spec(text: str) -> SimpleSpec:
    from semantic_version import SimpleSpec

    try:
        return SimpleSpec(text)
    except ValueError:
        raise VersionError(f"{text!r} is no range of versions: as in 1.2 or >=1.2,<2") from None


ANY_VERSION: Final = VersionSpec("")
NO_VERSION: Final = Version(0, 0, 0)


def read_version(node: YamlNode) -> Version:
    """Return the value of `Version`, which may be a number; null is 0.0.0."""
    if not isinstance(node, YamlScalar):
        raise VersionError("a version is a text: as in 1.2.3")
    return NO_VERSION if node.value is None else Version.parse(node.text)


def read_version_spec(node: YamlNode) -> VersionSpec:
    """Return a value of `Require`; null is any version."""
    if not isinstance(node, YamlScalar):
        raise VersionError("a version or a range of versions is wanted")
    return ANY_VERSION if node.value is None else VersionSpec.parse(node.text)


MANIFEST: Final = "manifest.yaml"
FORMATS: Final = ("1.0", "1.1", "1.2", "1.3", "1.4")

MISSING_PACKAGE: Final = failure_rule(
    "NoPackageFound",
    "MRUN:E006",
    "a package or a file of it that is missing",
    "The manifest names what a package needs: class files below Classes/, and other packages in Require.",
)


class Manifest(Struct, frozen=True, kw_only=True):
    """The content of a manifest. `format` is the MuranoPL version; `classes` maps names to files under `Classes/`."""

    name: str
    version: Version = NO_VERSION
    format: str = "1.0"
    format_name: str = "MuranoPL"
    type: str = "Application"
    require: Mapping[str, VersionSpec] = {}
    classes: Mapping[str, str] = {}
    class_spans: Mapping[str, Span] = {}
    meta: Value | None = None


def read_manifest(package: LoadedPackage) -> tuple[Manifest | None, tuple[Finding, ...]]:
    """Return the manifest of a package, as far as it can be read, and its defects."""
    file = package.get_file(MANIFEST)
    if file is None:
        finding = MISSING_PACKAGE.about_file(
            MANIFEST, f"{package.name} has no {MANIFEST}", hint="is it the root of a package?"
        )
        return None, (finding,)
    defects = Defects(file.source)
    defects.findings.extend(file.yaml.findings)
    document = file.yaml.documents[0] if file.yaml.documents else None
    if not isinstance(document, YamlMapping):
        if not defects.findings:
            defects.add("the manifest must be a mapping", Span(0, 0))
        return None, tuple(defects.findings)
    name = _read_name(document, defects)
    if name is None:
        return None, tuple(defects.findings)
    format_name, version = package.format()
    classes = _read_classes(document, defects)
    manifest = Manifest(
        name=name,
        version=_read_package_version(document.get("Version"), defects),
        format=_truncate_version(version),
        format_name=format_name,
        type=text_of(document.get("Type")) or "Application",
        require=_read_requirements(document.get("Require"), defects),
        classes={key: value for key, (value, _) in classes.items()},
        class_spans={key: span for key, (_, span) in classes.items()},
        meta=None if (meta := document.get("Meta")) is None else read_value(meta),
    )
    return manifest, tuple(defects.findings)


def _read_name(document: YamlMapping, defects: Defects) -> str | None:
    node = document.get("FullName")
    name = text_of(node)
    if node is None:
        defects.add("the manifest has no FullName", Span(0, 0))
    elif name is None or not is_qualified_name(name):
        defects.add(f"{name!r} is no package name", node.span)
        return None
    return name


def _truncate_version(version: str) -> str:
    parts = [*version.split("."), "0"][:2]
    return ".".join(parts)


def _read_package_version(node: YamlNode | None, defects: Defects) -> Version:
    if node is None:
        return NO_VERSION
    try:
        return read_version(node)
    except VersionError as error:
        defects.add(f"Version: {error}", node.span)
        return NO_VERSION


def _read_requirements(node: YamlNode | None, defects: Defects) -> dict[str, VersionSpec]:
    required: dict[str, VersionSpec] = {}
    for key, value in _mapping_entries(node, "Require must be a mapping of packages to versions", defects):
        name = text_of(key)
        if name is None or not is_qualified_name(name):
            defects.add("a key of Require is the name of a package", key.span)
            continue
        try:
            required[name] = read_version_spec(value)
        except VersionError as error:
            defects.add(f"Require of {name}: {error}", value.span)
    return required


def _read_classes(document: YamlMapping, defects: Defects) -> dict[str, tuple[str, Span]]:
    classes: dict[str, tuple[str, Span]] = {}
    expected = "Classes must be a mapping of class names to files"
    for key, value in _mapping_entries(document.get("Classes"), expected, defects):
        name, file = text_of(key), text_of(value)
        if name is None or not is_qualified_name(name):
            defects.add("a key of Classes is a full class name", key.span)
        elif file is None:
            defects.add(f"the file of class {name} is a text", value.span)
        else:
            classes[name] = (file, value.span)
    return classes


def _mapping_entries(
    node: YamlNode | None, expected: str, defects: Defects
) -> Iterable[tuple[YamlNode, YamlNode]]:
    if node is None or (isinstance(node, YamlScalar) and node.value is None):
        return ()
    if not isinstance(node, YamlMapping):
        defects.add(expected, node.span)
        return ()
    return node.items()
