"""Manifests: what a package is called, in which format it is written, what it needs, where its classes are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.languages.muranopl.syntax.defects import Defects
from sabir.languages.muranopl.syntax.failures import failure_rule
from sabir.languages.muranopl.syntax.names import is_qualified_name
from sabir.languages.muranopl.syntax.nodes import Value
from sabir.languages.muranopl.syntax.values import read_value
from sabir.languages.muranopl.syntax.versions import (
    NO_VERSION,
    InvalidVersion,
    Version,
    VersionSpec,
    read_version,
    read_version_spec,
)
from sabir.source.packages import LoadedPackage
from sabir.source.yaml import YamlMapping, YamlNode, YamlScalar
from sabir.source.yaml.nodes import text_of
from sabir.text import Span

__all__ = ["FORMATS", "MANIFEST", "Manifest", "read_manifest"]

MANIFEST: Final = "manifest.yaml"
FORMATS: Final = ("1.0", "1.1", "1.2", "1.3", "1.4")

MISSING_PACKAGE: Final = failure_rule(
    "NoPackageFound",
    "MRUN:E006",
    "a package or a file of it that is missing",
    "The manifest names what a package needs: class files below Classes/, and other packages in Require.",
)


class Manifest(Struct, frozen=True, kw_only=True):
    """`format` is the MuranoPL version; `classes` maps full class names to files below `Classes/`."""

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
    """The manifest of a package, as far as it can be read, and what is wrong with it."""
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
    name = _name(document, defects)
    if name is None:
        return None, tuple(defects.findings)
    format_name, version = package.format()
    classes = _classes(document, defects)
    manifest = Manifest(
        name=name,
        version=_version(document.get("Version"), defects),
        format=_format(version),
        format_name=format_name,
        type=text_of(document.get("Type")) or "Application",
        require=_require(document.get("Require"), defects),
        classes={key: value for key, (value, _) in classes.items()},
        class_spans={key: span for key, (_, span) in classes.items()},
        meta=None if (meta := document.get("Meta")) is None else read_value(meta),
    )
    return manifest, tuple(defects.findings)


def _name(document: YamlMapping, defects: Defects) -> str | None:
    node = document.get("FullName")
    name = text_of(node)
    if node is None:
        defects.add("the manifest has no FullName", Span(0, 0))
    elif name is None or not is_qualified_name(name):
        defects.add(f"{name!r} is no package name", node.span)
        return None
    return name


def _format(version: str) -> str:
    parts = [*version.split("."), "0"][:2]
    return ".".join(parts)


def _version(node: YamlNode | None, defects: Defects) -> Version:
    if node is None:
        return NO_VERSION
    try:
        return read_version(node)
    except InvalidVersion as error:
        defects.add(f"Version: {error}", node.span)
        return NO_VERSION


def _require(node: YamlNode | None, defects: Defects) -> dict[str, VersionSpec]:
    required: dict[str, VersionSpec] = {}
    for key, value in _entries(node, "Require must be a mapping of packages to versions", defects):
        name = text_of(key)
        if name is None or not is_qualified_name(name):
            defects.add("a key of Require is the name of a package", key.span)
            continue
        try:
            required[name] = read_version_spec(value)
        except InvalidVersion as error:
            defects.add(f"Require of {name}: {error}", value.span)
    return required


def _classes(document: YamlMapping, defects: Defects) -> dict[str, tuple[str, Span]]:
    classes: dict[str, tuple[str, Span]] = {}
    expected = "Classes must be a mapping of class names to files"
    for key, value in _entries(document.get("Classes"), expected, defects):
        name, file = text_of(key), text_of(value)
        if name is None or not is_qualified_name(name):
            defects.add("a key of Classes is a full class name", key.span)
        elif file is None:
            defects.add(f"the file of class {name} is a text", value.span)
        else:
            classes[name] = (file, value.span)
    return classes


def _entries(node: YamlNode | None, expected: str, defects: Defects) -> Iterable[tuple[YamlNode, YamlNode]]:
    if node is None or (isinstance(node, YamlScalar) and node.value is None):
        return ()
    if not isinstance(node, YamlMapping):
        defects.add(expected, node.span)
        return ()
    return node.items()
