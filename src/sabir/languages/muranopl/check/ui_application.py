"""The Application section: the object model that the form fills in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.languages.muranopl.check.class_view import ClassDocument, ClassTable
from sabir.languages.muranopl.check.names import is_identifier
from sabir.languages.muranopl.check.view import PackageView
from sabir.languages.muranopl.examples.packages import package_rule
from sabir.languages.muranopl.syntax.report import Report, kind_of, shown
from sabir.source.yaml.nodes import Style, YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of
from sabir.text import Span

__all__ = ["check_application"]

PROPERTY_NAME: Final = package_rule(
    "UI:E083",
    "a malformed property name",
    "The keys of Application are names of properties of the class, and ? for the header.",
)
APPLICATION_FORM: Final = package_rule(
    "UI:E084",
    "Application is no mapping",
    "Application describes one object: its header ? with the type, and its properties.",
)
UNKNOWN_OBJECT_CLASS: Final = package_rule(
    "UI:E087",
    "an object of a class that the package does not have",
    "The type belongs to a namespace of this package, but no class of that name is listed in the manifest.",
    fixable=True,
)
UNKNOWN_OBJECT_PROPERTY: Final = package_rule(
    "UI:E088",
    "a property that the class does not have",
    "Neither the class nor any class it extends declares the property; the engine ignores or refuses it.",
    fixable=True,
)


def check_application(
    report: Report, ui: YamlMapping, view: PackageView, table: ClassTable
) -> Iterator[Finding]:
    """Application and the objects in it and in Templates: their types and properties."""
    application = ui.get("Application")
    if application is not None:
        if not isinstance(application, YamlMapping):
            message = f"Application must be a mapping, the object to make, not {kind_of(application)}"
            yield report.at(application, APPLICATION_FORM, message)
        else:
            yield from _property_names(report, application)
    for section in (application, ui.get("Templates")):
        if section is not None:
            for model in _object_models(section):
                yield from _check_object(report, model, view, table, whole=model is application)


def _property_names(report: Report, application: YamlMapping) -> Iterator[Finding]:
    for key in application:
        name = text_of(key)
        if name != "?" and (name is None or not is_identifier(name)):
            hint = "letters, digits and _ only"
            yield report.at(key, PROPERTY_NAME, f"{shown(key)} cannot be the name of a property", hint=hint)


def _object_models(node: YamlNode) -> Iterator[YamlMapping]:
    """All mappings with a `?` header."""
    if isinstance(node, YamlSequence):
        for item in node.items:
            yield from _object_models(item)
    elif isinstance(node, YamlMapping):
        if node.get("?") is not None:
            yield node
        for value in node.values():
            yield from _object_models(value)


def _check_object(
    report: Report, model: YamlMapping, view: PackageView, table: ClassTable, *, whole: bool
) -> Iterator[Finding]:
    """`whole`: it is the application itself, which the package has to define. Its parts may be objects of other
    packages, which often share a namespace with this one; there only a misspelt class is certain to be missing.
    """
    header = model.get("?")
    written = header.get("type") if isinstance(header, YamlMapping) else None
    name = text_of(written)
    if written is None or name is None or view.package.single_file or view.listed_classes is None:
        return
    name = name.partition("/")[0]
    if (
        name.rpartition(".")[0] in view.own_namespaces
        and not view.requires_others
        and name not in table.known_names
    ):
        meant = table.near_class(name)
        hint = f"did you mean {meant!r}?" if meant else None
        if whole or meant is not None:
            fix = report.renaming(_inner(written), name, meant)
            message = f"the package has no class {name!r}"
            yield report.at(written, UNKNOWN_OBJECT_CLASS, message, hint=hint, fix=fix)
        return
    document = table.classes.get(name)
    if document is not None:
        yield from _check_properties(report, model, table, document)


def _check_properties(
    report: Report, model: YamlMapping, table: ClassTable, document: ClassDocument
) -> Iterator[Finding]:
    lineage = table.lineage(document)
    if lineage is None:
        return
    declared = lineage.property_names
    for key in model:
        name = text_of(key)
        if name is not None and is_identifier(name) and name not in declared:
            message = f"the class {document.name} has no property {name!r}"
            meant = report.near(name, declared)
            free = meant.only is not None and meant.only not in map(text_of, model)
            fix = report.renaming(_inner(key), name, meant.only if free else None)
            yield report.at(key, UNKNOWN_OBJECT_PROPERTY, message, hint=meant.hint, fix=fix)


def _inner(node: YamlNode) -> Span:
    """The place of a text without its quotes."""
    quoted = isinstance(node, YamlScalar) and node.style is Style.QUOTED
    return Span(node.span.start + quoted, node.span.end)
