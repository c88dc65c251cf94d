"""User interface definitions (spec 001, "UI validation")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, Final

from sabir.checks.selection import FileSelection
from sabir.diagnostics.finding import Finding
from sabir.languages.muranopl.check.class_view import ClassTable
from sabir.languages.muranopl.check.ui_application import check_application
from sabir.languages.muranopl.check.ui_expressions import check_expressions
from sabir.languages.muranopl.check.ui_forms import check_forms, form_fields
from sabir.languages.muranopl.check.validator import ViewValidator
from sabir.languages.muranopl.examples.packages import package_rule
from sabir.languages.muranopl.syntax.report import Report, kind_of, shown
from sabir.languages.muranopl.syntax.shapes import (
    MISSING_KEY,
    NO_MAPPING,
    SECOND_DOCUMENT,
    UNKNOWN_SECTION,
    is_null,
    unknown_keys,
)
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, text_of

__all__ = ["UI_SECTIONS", "UiValidator"]

UI_SECTIONS: Final = ("Version", "Templates", "Application", "Forms", "Parameters", "ParametersSource")
_VERSIONS: Final = frozenset({"1", "1.0", "2", "2.0", "2.1", "2.2", "2.3", "2.4"})

UI_VERSION: Final = package_rule(
    "UI:W082",
    "an unknown version of the UI format",
    "Known are 1, 2 and 2.0 to 2.4. A dashboard refuses what it does not know.",
)


class UiValidator(ViewValidator):
    """The form that asks a user for the values of an application."""

    short_name: ClassVar[str] = "UI"
    long_name: ClassVar[str] = "ui"

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        path = self._path()
        if path is None or path not in FileSelection.of(files):
            return
        file = yield from self._readable(path)
        if file is None:
            return
        report = Report(file.source)
        documents = [document for document in file.yaml.documents if document is not None]
        first = documents[0] if documents else None
        if not isinstance(first, YamlMapping):
            kind = "empty" if first is None else kind_of(first)
            yield report.whole(NO_MAPPING, f"a UI definition must be a mapping of sections, it is {kind}")
            return
        if len(documents) > 1:
            yield report.whole(
                SECOND_DOCUMENT, "a UI definition must be one YAML document; there is a second one"
            )
        yield from self._definition(report, first)

    def _path(self) -> str | None:
        if self.package.single_file:
            return self._view.ui_file
        if self._view.manifest is None or not self._view.is_checked_language:
            return None
        ui = self._view.manifest.get("UI")
        return None if ui is not None and not is_null(ui) and text_of(ui) is None else self._view.ui_file

    def _definition(self, report: Report, ui: YamlMapping) -> Iterator[Finding]:
        yield from unknown_keys(report, ui, UI_SECTIONS, code=UNKNOWN_SECTION, what="a UI definition")
        for section in ("Application", "Forms"):
            if ui.get(section) is None:
                yield report.whole(MISSING_KEY, f"the UI definition lacks its section {section}")
        yield from check_version(report, ui.get("Version"))
        yield from check_application(report, ui, self._view, ClassTable(self._view))
        yield from check_forms(report, ui.get("Forms"))
        yield from check_expressions(report, ui, form_fields(ui.get("Forms")))


def check_version(report: Report, value: YamlNode | None) -> Iterator[Finding]:
    if value is None or is_null(value):
        return
    if not isinstance(value, YamlScalar) or value.text not in _VERSIONS:
        hint = f"the versions are {', '.join(sorted(_VERSIONS))}"
        yield report.at(value, UI_VERSION, f"{shown(value)} is no version of the UI format", hint=hint)
