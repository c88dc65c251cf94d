"""The validators of the manifest and of the package root (spec 001, "Manifest validation").

A manifest that cannot be used, or whose format is not MuranoPL, gives one finding: the rest of such a package
cannot be judged.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Set
from typing import ClassVar, Final

from msgspec.structs import replace

from sabir.checks.form import yaml_findings
from sabir.checks.selection import FileSelection
from sabir.diagnostics.finding import Edit, Finding, Fix
from sabir.diagnostics.rules import Rule
from sabir.languages.muranopl.check.manifest_keys import (
    FULL_NAME_CASE,
    check_classes,
    check_keys,
    is_class_file,
)
from sabir.languages.muranopl.check.names import HEAT
from sabir.languages.muranopl.check.validator import ViewValidator
from sabir.languages.muranopl.check.view import MANIFEST
from sabir.languages.muranopl.examples import package_rule
from sabir.languages.muranopl.syntax.report import FileReporter, kind_of, quote_node
from sabir.languages.muranopl.syntax.values import NO_MAPPING, SECOND_DOCUMENT, is_null
from sabir.source.yaml.nodes import YamlMapping, YamlNode, text_of
from sabir.text import Place, Span

_OFF_BY_DEFAULT: Final = frozenset({FULL_NAME_CASE.code})
_PNG: Final = b"\x89PNG\r\n\x1a\n"

NO_MANIFEST: Final = package_rule(
    "E001",
    "the package has no manifest",
    "manifest.yaml in the root says what the package is and which classes it has; without it nothing else can be "
    "checked or loaded. An archive that wraps the package in a folder of its own has no manifest in its root.",
)
NO_CLASS_FILE: Final = package_rule(
    "MAN:E050",
    "a listed class file does not exist",
    "Classes maps each class to a file below the folder Classes/. A missing one is found only when somebody deploys "
    "the class.",
    fixable=True,
)
UNLISTED_CLASS_FILE: Final = package_rule(
    "MAN:W020",
    "a class file that the manifest does not list",
    "The engine loads only what the manifest lists, so the classes of this file do not exist for it.",
    fixable=True,
)
NO_USER_INTERFACE: Final = package_rule(
    "MAN:W073",
    "an application without its user interface",
    "The catalogue shows UI/ui.yaml (or the file that UI names) to whoever adds the application. Without it nobody "
    "can fill in its properties.",
)
NO_LOGO: Final = package_rule(
    "MAN:W074",
    "an application without its logo",
    "The catalogue shows logo.png (or the file that Logo names).",
)
LOGO_FORMAT: Final = package_rule(
    "MAN:W075",
    "the logo is no PNG image",
    "The catalogue serves the logo as PNG; browsers will not show another format.",
)


class ManifestValidator(ViewValidator):
    """Checks `manifest.yaml`: its form, its keys, and the files it names."""

    short_name: ClassVar[str] = "MAN"
    long_name: ClassVar[str] = "manifest"
    quiet: ClassVar[Set[str]] = _OFF_BY_DEFAULT

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        if self.package.single_file and not self.package.exists(MANIFEST):
            return
        yield from FileSelection.of(files).only(self._findings())

    def _findings(self) -> Iterator[Finding]:
        yield from self._form()
        manifest = self._view.manifest
        if manifest is None:
            return
        report = FileReporter(self._view.manifest_source)
        foreign = not self._view.is_checked_language
        yield from check_keys(report, manifest, foreign=foreign)
        if foreign:
            # One finding reports the foreign format; its other keys and files have a meaning that sabir does not know.
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
            yield NO_MANIFEST.about_file(MANIFEST, "the package has no manifest.yaml in its root", hint=hint)
            return
        yield from yaml_findings(file)
        if file.yaml.broken:
            return
        documents = file.yaml.documents
        if not documents or not isinstance(documents[0], YamlMapping):
            what = kind_of(documents[0]) if documents and documents[0] is not None else "empty"
            yield FileReporter(file.source).whole(
                NO_MAPPING, f"the manifest must be a mapping of keys, it is {what}"
            )
        elif sum(document is not None for document in documents) > 1:
            yield FileReporter(file.source).whole(
                SECOND_DOCUMENT, "the manifest must be one YAML document; there is a second one"
            )

    def _class_files(self, report: FileReporter, classes: YamlNode | None) -> Iterator[Finding]:
        if not isinstance(classes, YamlMapping):
            if classes is None or is_null(classes):
                yield from self._report_unlisted_files(frozenset(), None)
            return
        named = [
            (key, value, posixpath.normpath(posixpath.join("Classes", text_of(value) or "")))
            for key, value in classes.items()
            if text_of(value) is not None
        ]
        listed = {path for _, _, path in named}
        # Compared without their common extension, or every name would resemble every other.
        free = [
            name.removeprefix("Classes/").removesuffix(".yaml")
            for name in self.package.list("Classes")
            if name not in listed
        ]
        for key, value, path in named:
            if is_class_file(value) and not self.package.exists(path):
                name = text_of(value) or ""
                message = f"the file {name!r} of class {quote_node(key)} is not under Classes/"
                short = name.removesuffix(".yaml")
                meant = report.near(short, free)
                fix = None
                if meant.only and short != name:
                    fix = report.build_replace_fix(value, f"{meant.only}.yaml")
                yield report.at(value, NO_CLASS_FILE, message, hint=meant.hint, fix=fix)
        if all(is_class_file(value) for value in classes.values()):
            yield from self._report_unlisted_files(listed, classes)

    def _report_unlisted_files(self, listed: Iterable[str], classes: YamlMapping | None) -> Iterator[Finding]:
        for name in self.package.list("Classes"):
            if name not in listed:
                short = name.removeprefix("Classes/")
                message = f"{short!r} lies under Classes/ but the manifest does not list it"
                hint = "list it under Classes, or remove it from the package"
                unlisted = UNLISTED_CLASS_FILE.about_file(name, message, hint=hint)
                fix = self._listing(name, classes) if classes is not None else None
                yield replace(unlisted, fix=fix) if fix else unlisted

    def _listing(self, path: str, classes: YamlMapping) -> Fix | None:
        """Build the fix that lists the classes of a file after the last line of `Classes`; None for a flow
        mapping.
        """
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

    def _ui_file(self, report: FileReporter, manifest: YamlMapping) -> Iterator[Finding]:
        if self._view.format_name == HEAT or text_of(manifest.get("Type")) != "Application":
            return
        value = manifest.get("UI")
        if value is not None and not is_null(value) and text_of(value) is None:
            return
        if self._view.ui_file is None:
            name = text_of(value) or "ui.yaml"
            message = f"an application needs its user interface, but there is no file UI/{name}"
            yield self._about(report, value, NO_USER_INTERFACE, message)

    def _logo_file(self, report: FileReporter, manifest: YamlMapping) -> Iterator[Finding]:
        value = manifest.get("Logo")
        if value is not None and not is_null(value) and text_of(value) is None:
            return
        logo = self._view.logo_file
        if logo is None:
            name = text_of(value)
            if text_of(manifest.get("Type")) == "Application":
                message = f"there is no logo file {name or 'logo.png'}"
                yield self._about(report, value, NO_LOGO, message)
            return
        file = self.package.get_file(logo)
        if file is not None and not file.raw().startswith(_PNG):
            yield LOGO_FORMAT.about_file(logo, f"the logo {logo!r} is no PNG image")

    @staticmethod
    def _about(report: FileReporter, value: YamlNode | None, rule: Rule, message: str) -> Finding:
        return (
            report.whole(rule, message)
            if value is None or is_null(value)
            else report.at(value, rule, message)
        )


# `sabir run` and `sabir compile` use a model in the root when none is named.
_MODELS: Final = ("model.yaml", "model.yml", "model.json")
_ROOT_FILES: Final = frozenset({MANIFEST, "LICENSE", "README.rst", "images.lst", *_MODELS})

STRAY_FILE: Final = package_rule(
    "PKG:W120",
    "a file in the root that is no part of a package",
    "The root of a package holds manifest.yaml, LICENSE, README.rst, images.lst and the logo. Files that the "
    "application uses belong to Resources/; others only make the archive larger.",
)
NO_LICENCE: Final = package_rule(
    "PKG:W121",
    "no licence file",
    "Without a file LICENSE nobody who finds the package knows what may be done with it.",
)


class PackageValidator(ViewValidator):
    """Checks the files in the root of the package (spec 001, "Package structure reference")."""

    short_name: ClassVar[str] = "PKG"
    long_name: ClassVar[str] = "package"

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        yield from FileSelection.of(files).only(self._findings())

    def _findings(self) -> Iterator[Finding]:
        # An unusable manifest is the only finding of the run (E001, E002 and E007 come from its validator).
        if self.package.single_file or self._view.manifest is None:
            return
        if not self._view.is_checked_language:
            return
        names = [name for name in self.package.list() if "/" not in name]
        if "LICENSE" not in names:
            hint = "add a file LICENSE, so that users know what they may do with the package"
            yield NO_LICENCE.about_file("LICENSE", "the package has no LICENSE file", hint=hint)
        view = self._view
        expected = {*_ROOT_FILES, view.logo_file or "logo.png", view.supplier_logo, view.ui_file}
        if self._view.format_name == HEAT:
            from sabir.languages.muranopl.model.heat_templates import TEMPLATE, read_template

            expected.add(TEMPLATE)
            template = read_template(self.package)
            if isinstance(template, Finding):
                yield template
        for name in names:
            if name not in expected:
                hint = "move it to Resources/ when the application uses it, else remove it"
                yield STRAY_FILE.about_file(name, f"{name!r} is no part of a package", hint=hint)
