"""The manifest (spec 001, "Manifest validation" and "Manifest structure")."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Set
from typing import ClassVar, Final

from msgspec.structs import replace

from sabir.checks.files import FileSelection
from sabir.checks.form import yaml_findings
from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Edit, Finding, Fix
from sabir.diagnostics.rules import Rule
from sabir.languages.muranopl.check.names import FORMATS, is_dotted_name, is_identifier, is_lower_camel
from sabir.languages.muranopl.check.view import MANIFEST, PackageView
from sabir.languages.muranopl.syntax.report import Report, kind_of, shown
from sabir.languages.muranopl.syntax.shapes import (
    is_null,
    meta_shape,
    one_of,
    quoting,
    string_value,
    unknown_keys,
)
from sabir.languages.muranopl.syntax.versions import InvalidVersion, read_version, read_version_spec
from sabir.source.packages import LoadedPackage
from sabir.source.packages.names import name_defect
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of
from sabir.text import Place, Span

__all__ = ["ManifestValidator"]

# The engine also reads Supplier (who offers the application); the document does not list it.
_KEYS: Final = frozenset(
    [
        "Format",
        "Type",
        "Name",
        "FullName",
        "Version",
        "Description",
        "Author",
        "Tags",
        "Classes",
        "Require",
        "UI",
        "Logo",
        "Meta",
        "Supplier",
    ]
)
_OFF_BY_DEFAULT: Final = frozenset({"MAN:W080"})
_TYPES: Final = ("Application", "Library")
_PNG: Final = b"\x89PNG\r\n\x1a\n"


class ManifestValidator(BaseValidator):
    """`manifest.yaml`: its form, its keys, and the files it names."""

    short_name: ClassVar[str] = "MAN"
    long_name: ClassVar[str] = "manifest"

    def __init__(self, loaded_package: LoadedPackage) -> None:
        super().__init__(loaded_package)
        self._view = PackageView.of(loaded_package)

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        from sabir.languages.muranopl.check.codes.manifest import CODES

        return CODES

    @classmethod
    def off_by_default(cls) -> Set[str]:
        return _OFF_BY_DEFAULT

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        if self.package.single_file and not self.package.exists(MANIFEST):
            return
        yield from FileSelection.of(files).only(self._findings())

    def _findings(self) -> Iterator[Finding]:
        yield from self._form()
        manifest = self._view.manifest
        if manifest is None:
            return
        report = Report(self._view.manifest_source)
        foreign = not self._view.is_checked_language
        yield from check_keys(report, manifest, foreign=foreign)
        if foreign:
            # One finding says that the format is not ours; what its other keys and files mean is not ours to judge.
            return
        yield from check_classes(report, manifest.get("Classes"))
        if self.package.single_file:
            return
        yield from self._class_files(report, manifest.get("Classes"))
        yield from self._ui_file(report, manifest)
        yield from self._logo_file(report, manifest)

    def _form(self) -> Iterator[Finding]:
        file = self.package.get_file(MANIFEST)
        if file is None:
            hint = "give the folder or archive in whose root manifest.yaml lies"
            yield Finding.about_file(
                "E001", "the package has no manifest.yaml in its root", MANIFEST, hint=hint
            )
            return
        yield from yaml_findings(file)
        if file.yaml.broken:
            return
        documents = file.yaml.documents
        if not documents or not isinstance(documents[0], YamlMapping):
            what = kind_of(documents[0]) if documents and documents[0] is not None else "empty"
            yield Report(file.source).whole("E007", f"the manifest must be a mapping of keys, it is {what}")
        elif sum(document is not None for document in documents) > 1:
            yield Report(file.source).whole(
                "E005", "the manifest must be one YAML document; there is a second one"
            )

    def _class_files(self, report: Report, classes: YamlNode | None) -> Iterator[Finding]:
        if not isinstance(classes, YamlMapping):
            if classes is None or is_null(classes):
                yield from self._unlisted(frozenset(), None)
            return
        named = [
            (key, value, posixpath.normpath(posixpath.join("Classes", text_of(value) or "")))
            for key, value in classes.items()
            if text_of(value) is not None
        ]
        listed = {path for _, _, path in named}
        # Without their common ending, or every name would look like every other.
        free = [
            name.removeprefix("Classes/").removesuffix(".yaml")
            for name in self.package.list("Classes")
            if name not in listed
        ]
        for key, value, path in named:
            if _is_class_file(value) and not self.package.exists(path):
                name = text_of(value) or ""
                message = f"the file {name!r} of class {shown(key)} is not under Classes/"
                short = name.removesuffix(".yaml")
                meant = report.near(short, free)
                fix = None
                if meant.only and short != name:
                    fix = report.replacing(value, f"{meant.only}.yaml")
                yield report.at(value, "MAN:E050", message, hint=meant.hint, fix=fix)
        if all(_is_class_file(value) for value in classes.values()):
            yield from self._unlisted(listed, classes)

    def _unlisted(self, listed: Iterable[str], classes: YamlMapping | None) -> Iterator[Finding]:
        for name in self.package.list("Classes"):
            if name not in listed:
                short = name.removeprefix("Classes/")
                message = f"{short!r} lies under Classes/ but the manifest does not list it"
                hint = "list it under Classes, or remove it from the package"
                found = Finding.about_file("MAN:W020", message, name, hint=hint)
                fix = self._listing(name, classes) if classes is not None else None
                yield replace(found, fix=fix) if fix else found

    def _listing(self, path: str, classes: YamlMapping) -> Fix | None:
        """Lists the classes of a file below the last line of `Classes`, when that is written in lines."""
        from sabir.languages.muranopl.check.class_view import class_documents

        source = self._view.manifest_source
        names = [document.name for document in class_documents(self._view, path)]
        if not names or None in names or not classes.entries or source.text[classes.span.start] == "{":
            return None
        first, last = classes.entries[0].key.span.start, classes.entries[-1].value.span.end
        indent = " " * (first - source.text.rfind("\n", 0, first) - 1)
        lines = "".join(f"\n{indent}{name}: {path.removeprefix('Classes/')}" for name in names)
        edit = Edit(place=Place(source, Span(last, last)), text=lines)
        return Fix(title="list it in the manifest", edits=(edit,), safe=False)

    def _ui_file(self, report: Report, manifest: YamlMapping) -> Iterator[Finding]:
        if self._view.format_name == "Heat.HOT" or text_of(manifest.get("Type")) != "Application":
            return
        value = manifest.get("UI")
        if value is not None and not is_null(value) and text_of(value) is None:
            return
        if self._view.ui_file is None:
            name = text_of(value) or "ui.yaml"
            message = f"an application needs its user interface, but there is no file UI/{name}"
            yield self._about(report, value, "MAN:W073", message)

    def _logo_file(self, report: Report, manifest: YamlMapping) -> Iterator[Finding]:
        value = manifest.get("Logo")
        if value is not None and not is_null(value) and text_of(value) is None:
            return
        logo = self._view.logo_file
        if logo is None:
            name = text_of(value)
            if text_of(manifest.get("Type")) == "Application":
                message = f"there is no logo file {name or 'logo.png'}"
                yield self._about(report, value, "MAN:W074", message)
            return
        file = self.package.get_file(logo)
        if file is not None and not file.raw().startswith(_PNG):
            yield Finding.about_file("MAN:W075", f"the logo {logo!r} is no PNG image", logo)

    @staticmethod
    def _about(report: Report, value: YamlNode | None, code: str, message: str) -> Finding:
        return (
            report.whole(code, message)
            if value is None or is_null(value)
            else report.at(value, code, message)
        )


def check_keys(report: Report, manifest: YamlMapping, *, foreign: bool = False) -> Iterator[Finding]:
    """The keys of the manifest and the form of their values."""
    if not foreign:
        yield from unknown_keys(report, manifest, _KEYS, code="W010", what="a manifest")
    for key in ("Type", "FullName"):
        if manifest.get(key) is None:
            yield report.whole("E020", f"the manifest lacks its key {key}")
    yield from check_format(report, manifest.get("Format"))
    yield from one_of(report, manifest.get("Type"), _TYPES, code="MAN:E071", what="Type", required=True)
    for key, code in (
        ("Name", "E040"),
        ("Author", "E040"),
        ("Description", "MAN:E030"),
        ("UI", "MAN:E072"),
        ("Logo", "MAN:E074"),
    ):
        yield from string_value(report, manifest, key, code=code)
    yield from check_full_name(report, manifest.get("FullName"))
    yield from check_version(report, manifest.get("Version"))
    yield from check_tags(report, manifest.get("Tags"))
    yield from check_require(report, manifest.get("Require"))
    yield from meta_shape(report, manifest, code="MAN:E078")


def check_format(report: Report, value: YamlNode | None) -> Iterator[Finding]:
    """`Format` is one that is known; a bare number is a version of MuranoPL."""
    if value is None or is_null(value):
        return
    text = value.text if isinstance(value, YamlScalar) else ""
    name, slash, version = text.partition("/")
    if not slash and re.fullmatch(r"[0-9.]+", name):
        name, slash, version = "MuranoPL", "/", name
    if name not in FORMATS:
        message = f"{shown(value)} is no format that is known here; the classes and forms of the package are not checked"
        known = [f"{known}/{version or '1.0'}" for known in FORMATS]
        yield report.unknown(value, "MAN:W030", message, known)
    elif slash and tuple(version.split(".")) not in {tuple(map(str, one)) for one in FORMATS[name]} | {
        ("1",)
    }:
        newest = ".".join(map(str, FORMATS[name][-1]))
        message = f"{name} has no version {version!r}; the package is checked as version {newest}"
        yield report.at(value, "MAN:W030", message, hint=f"the versions go up to {newest}")


def check_full_name(report: Report, value: YamlNode | None) -> Iterator[Finding]:
    if value is None:
        return
    text = text_of(value)
    if text is None or not is_dotted_name(text):
        hint = "write names separated by dots, as in com.example.web.Site"
        yield report.at(value, "MAN:E073", f"FullName cannot be {shown(value)}", hint=hint)
    elif not is_lower_camel(text):
        hint = "begin every part with a small letter"
        yield report.at(value, "MAN:W080", f"FullName {text!r} is not in lowerCamelCase", hint=hint)


def check_version(report: Report, value: YamlNode | None) -> Iterator[Finding]:
    """SemVer; short forms are completed (S-23), so a number will do as well."""
    if value is None or is_null(value):
        return
    try:
        read_version(value)
    except InvalidVersion:
        hint = "write MAJOR.MINOR.PATCH, as in 1.2.0"
        yield report.at(value, "MAN:E071", f"Version cannot be {shown(value)}", hint=hint)


def check_tags(report: Report, value: YamlNode | None) -> Iterator[Finding]:
    if value is None or is_null(value):
        return
    if not isinstance(value, YamlSequence):
        message = f"Tags must be a list, not {kind_of(value)}"
        fix = None
        if is_identifier(text_of(value) or ""):
            fix = report.replacing(value, f"[{text_of(value)}]", title="make it a list", safe=True)
        yield report.at(value, "MAN:E070", message, hint="write Tags: [one, two]", fix=fix)
        return
    for item in value.items:
        if text_of(item) is None:
            message = f"a tag must be a text, not {kind_of(item)}"
            yield report.at(item, "MAN:E075", message, fix=quoting(report, item))


def check_require(report: Report, value: YamlNode | None) -> Iterator[Finding]:
    if value is None or is_null(value):
        return
    if not isinstance(value, YamlMapping):
        hint = "write Require as package names with their versions: {com.example.lib: 1.2}"
        yield report.at(value, "MAN:E005", f"Require must be a mapping, not {kind_of(value)}", hint=hint)
        return
    for key, wanted in value.items():
        name = text_of(key)
        if name is None or not is_dotted_name(name):
            yield report.at(key, "MAN:E005", f"{shown(key)} is no name of a package")
        else:
            yield from check_version_spec(report, name, wanted)


def check_version_spec(report: Report, name: str, value: YamlNode) -> Iterator[Finding]:
    try:
        read_version_spec(value)
    except InvalidVersion:
        hint = "leave it empty, or write a version (1.2) or a range (>=1.2,<2)"
        yield report.at(value, "MAN:E076", f"{shown(value)} is no version of {name}", hint=hint)


def check_classes(report: Report, value: YamlNode | None) -> Iterator[Finding]:
    """The form of `Classes`: qualified names and files below `Classes/`."""
    if value is None or is_null(value):
        return
    if not isinstance(value, YamlMapping):
        hint = "write class names with their files: {com.example.Site: Site.yaml}"
        yield report.at(value, "MAN:E074", f"Classes must be a mapping, not {kind_of(value)}", hint=hint)
        return
    for key, file in value.items():
        name, path = text_of(key), text_of(file)
        if name is None or not is_dotted_name(name):
            yield report.at(key, "MAN:E077", f"{shown(key)} is no qualified class name")
        if path is None:
            yield report.at(
                file, "MAN:E077", f"the file of class {shown(key)} must be a text, not {kind_of(file)}"
            )
        elif not _is_class_file(file):
            yield report.at(file, "MAN:E079", f"the class file {path!r} leaves the folder Classes/")


def _is_class_file(value: YamlNode) -> bool:
    """Whether a value of `Classes` names a file below `Classes/`, be it there or not."""
    path = text_of(value)
    if path is None or name_defect(path) == "is absolute":
        return False
    return posixpath.normpath(posixpath.join("Classes", path.replace("\\", "/"))).startswith("Classes/")
