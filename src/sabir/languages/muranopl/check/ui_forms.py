"""Checks of forms and their fields, and of the Application section with the object model that they fill in.

Spec 001, "UI validation", requires them; the Dynamic UI reference of Murano describes the form itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from sabir.diagnostics.finding import Finding, Fix
from sabir.languages.muranopl.check.class_view import ClassDocument, PackageClasses
from sabir.languages.muranopl.check.names import is_dotted_name, is_identifier
from sabir.languages.muranopl.check.view import PackageView
from sabir.languages.muranopl.examples import package_rule
from sabir.languages.muranopl.syntax.report import FileReporter, kind_of, quote_node
from sabir.languages.muranopl.syntax.values import (
    NO_TEXT,
    UNKNOWN_KEY,
    build_quote_fix,
    is_null,
    report_unknown_keys,
)
from sabir.lazy import lazy_pattern
from sabir.source.yaml.nodes import Style, YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of
from sabir.text import Span

# The dashboard also reads region; spec 001 does not list it.
_FORM_KEYS: Final = frozenset({"fields", "validators", "region"})
FIELD_TYPES: Final = frozenset(
    [
        "string",
        "boolean",
        "text",
        "integer",
        "password",
        "clusterip",
        "floatingip",
        "domain",
        "databaselist",
        "table",
        "flavor",
        "keypair",
        "image",
        "azone",
        "psqlDatabase",
        "network",
        "choice",
        "volume",
        "zone",
        # Newer than the list of spec 001; the dashboard has it since its format 2.3.
        "securitygroup",
    ]
)
_TEXTS: Final = ("name", "label", "description", "descriptionTitle", "helpText", "regexpValidator")
_FLAGS: Final = ("required", "hidden")
_NUMBERS: Final = ("minLength", "maxLength", "minValue", "maxValue")
FIELD_KEYS: Final = (*_TEXTS, *_FLAGS, *_NUMBERS, "type", "initial", "errorMessages", "validators")

FLAG_FORM: Final = package_rule(
    "UI:E081",
    "required or hidden is no boolean",
    "A field is required, or hidden, or not: true or false without quotes.",
    fixable=True,
)
LIMIT_FORM: Final = package_rule(
    "UI:E082",
    "a length or limit is no integer",
    "minLength, maxLength, minValue and maxValue are integers without quotes.",
    fixable=True,
)
FORM_SHAPE: Final = package_rule(
    "UI:E085",
    "a malformed form",
    "Forms is a list; each form is one name with a list of fields; each field is a mapping.",
)
FIELD_TWICE: Final = package_rule(
    "UI:E086",
    "two fields with one name",
    "The second field overwrites the value of the first.",
)
FIELD_TYPE_FORM: Final = package_rule(
    "UI:E100",
    "a malformed type of a field",
    "The type is one of the simple types or the full name of a class.",
)
UNKNOWN_FIELD_TYPE: Final = package_rule(
    "UI:W100",
    "an unknown type of a field",
    "Most often a typing error. A dashboard shows nothing for a type it does not know.",
    fixable=True,
)

_number_text_pattern: Final = lazy_pattern("0|[1-9][0-9]*")
_flag_text_pattern: Final = lazy_pattern("true|false", re.IGNORECASE)


def form_fields(forms: YamlNode | None) -> Mapping[str, frozenset[str] | None] | None:
    """Return the names of the forms with the names of their fields; None where they are unknown."""
    if not isinstance(forms, YamlSequence):
        return None
    fields_of: dict[str, frozenset[str] | None] = {}
    for form in forms.items:
        if not isinstance(form, YamlMapping) or len(form) != 1:
            return None
        ((key, declared),) = form.items()
        name = text_of(key)
        if name is None:
            return None
        fields = declared.get("fields") if isinstance(declared, YamlMapping) else None
        names = _field_names(fields) if isinstance(fields, YamlSequence) else None
        before = fields_of.get(name, frozenset())  # two forms with the same name fill in the same value
        fields_of[name] = None if names is None or before is None else names | before
    return fields_of


def _field_names(fields: YamlSequence) -> frozenset[str] | None:
    names = [text_of(field.get("name")) if isinstance(field, YamlMapping) else None for field in fields.items]
    texts = frozenset(name for name in names if name is not None)
    return texts if len(texts) and None not in names else None


def check_forms(report: FileReporter, forms: YamlNode | None) -> Iterator[Finding]:
    """Report forms and fields whose shape, keys, types or values are not allowed."""
    if forms is None:
        return
    if not isinstance(forms, YamlSequence):
        yield report.at(forms, FORM_SHAPE, f"Forms must be a list of forms, not {kind_of(forms)}")
        return
    for form in forms.items:
        if not isinstance(form, YamlMapping) or len(form) != 1:
            hint = "begin each form with a dash: - name: {fields: […]}"
            yield report.at(
                form, FORM_SHAPE, f"a form is one name with its fields, not {_form_kind(form)}", hint=hint
            )
            continue
        ((name, declared),) = form.items()
        yield from _check_form(report, name, declared)


def _form_kind(form: YamlNode) -> str:
    return f"a mapping of {len(form)} names" if isinstance(form, YamlMapping) else kind_of(form)


def _check_form(report: FileReporter, name: YamlNode, form: YamlNode) -> Iterator[Finding]:
    fields = form.get("fields") if isinstance(form, YamlMapping) else None
    if isinstance(form, YamlMapping):
        yield from report_unknown_keys(
            report, form, _FORM_KEYS, code=UNKNOWN_KEY, what=f"form {quote_node(name)}"
        )
    if not isinstance(fields, YamlSequence) or not len(fields):
        yield report.at(name, FORM_SHAPE, f"form {quote_node(name)} has no list of fields")
        return
    seen: dict[str, YamlNode] = {}
    for field in fields.items:
        if not isinstance(field, YamlMapping):
            yield report.at(field, FORM_SHAPE, f"a field must be a mapping, not {kind_of(field)}")
            continue
        yield from _check_field(report, field)
        title = field.get("name")
        written = text_of(title)
        if title is not None and written is not None and seen.setdefault(written, title) is not title:
            message = f"form {quote_node(name)} has a field {written!r} already"
            yield report.at(field, FIELD_TWICE, message, related=((seen[written], "the first one"),))


def _check_field(report: FileReporter, field: YamlMapping) -> Iterator[Finding]:
    for key in _TEXTS:
        value = field.get(key)
        if value is not None and not is_null(value) and text_of(value) is None:
            message = f"{key} must be a text, not {kind_of(value)}"
            yield report.at(_find_key_node(field, key), NO_TEXT, message, fix=build_quote_fix(report, value))
    for key in _FLAGS:
        if not _is_scalar_of(field.get(key), bool):
            message = f"{key} must be true or false, not {_format_value(field, key)}"
            fix = _build_unquote_fix(report, field.get(key), _flag_text_pattern())
            yield report.at(_find_key_node(field, key), FLAG_FORM, message, fix=fix)
    for key in _NUMBERS:
        if not _is_scalar_of(field.get(key), int):
            message = f"{key} must be an integer, not {_format_value(field, key)}"
            fix = _build_unquote_fix(report, field.get(key), _number_text_pattern())
            yield report.at(_find_key_node(field, key), LIMIT_FORM, message, fix=fix)
    yield from _check_type(report, field.get("type"))


def _check_type(report: FileReporter, value: YamlNode | None) -> Iterator[Finding]:
    if value is None or is_null(value):
        return
    if isinstance(value, YamlSequence) and len(value):
        # A list offers the objects of several classes.
        for item in value.items:
            yield from _check_type(report, item)
        return
    name = text_of(value)
    if name is None or not is_dotted_name(name):
        yield report.at(
            value, FIELD_TYPE_FORM, f"{quote_node(value)} is neither a type of field nor the name of a class"
        )
    elif is_identifier(name) and name not in FIELD_TYPES:
        meant = report.near(name, FIELD_TYPES)
        hint = meant.hint or f"the simple types are {', '.join(sorted(FIELD_TYPES))}"
        fix = report.build_replace_fix(value, meant.only) if meant.only else None
        yield report.at(value, UNKNOWN_FIELD_TYPE, f"there is no type of field {name!r}", hint=hint, fix=fix)


def _build_unquote_fix(report: FileReporter, value: YamlNode | None, form: re.Pattern[str]) -> Fix | None:
    """Build the fix that removes the quotes of a number or boolean."""
    text = text_of(value)
    if value is None or text is None or not form.fullmatch(text):
        return None
    return report.build_replace_fix(value, text.lower(), title="remove the quotes", safe=True)


def _is_scalar_of(value: YamlNode | None, kind: type) -> bool:
    """Tell whether a value is absent, is of the type, or is an expression that may give a value of it."""
    if value is None or is_null(value):
        return True
    if not isinstance(value, YamlScalar):
        return False
    if isinstance(value.value, str):
        return value.tag == "!yaql" or value.text.startswith("$")
    return isinstance(value.value, kind) and (kind is bool or not isinstance(value.value, bool))


def _find_key_node(field: YamlMapping, key: str) -> YamlNode:
    entry = field.entry(key)
    return entry.key if entry else field


def _format_value(field: YamlMapping, key: str) -> str:
    value = field.get(key)
    return "nothing" if value is None else quote_node(value) if text_of(value) is not None else kind_of(value)


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
    report: FileReporter, ui: YamlMapping, view: PackageView, table: PackageClasses
) -> Iterator[Finding]:
    """Check Application and the objects in it and in Templates: their types and properties."""
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


def _property_names(report: FileReporter, application: YamlMapping) -> Iterator[Finding]:
    for key in application:
        name = text_of(key)
        if name != "?" and (name is None or not is_identifier(name)):
            hint = "letters, digits and _ only"
            yield report.at(
                key, PROPERTY_NAME, f"{quote_node(key)} cannot be the name of a property", hint=hint
            )


def _object_models(node: YamlNode) -> Iterator[YamlMapping]:
    """Return all mappings with a `?` header."""
    if isinstance(node, YamlSequence):
        for item in node.items:
            yield from _object_models(item)
    elif isinstance(node, YamlMapping):
        if node.get("?") is not None:
            yield node
        for value in node.values():
            yield from _object_models(value)


def _check_object(
    report: FileReporter, model: YamlMapping, view: PackageView, table: PackageClasses, *, whole: bool
) -> Iterator[Finding]:
    """Check the class of an object model.

    `whole`: it is the application itself, which the package has to define. Its parts may be objects of other
    packages, which often share a namespace with this one. For these only a misspelled class is certain to be
    missing.
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
            fix = report.build_rename_fix(_inner_span(written), name, meant)
            message = f"the package has no class {name!r}"
            yield report.at(written, UNKNOWN_OBJECT_CLASS, message, hint=hint, fix=fix)
        return
    document = table.classes.get(name)
    if document is not None:
        yield from _check_properties(report, model, table, document)


def _check_properties(
    report: FileReporter, model: YamlMapping, table: PackageClasses, document: ClassDocument
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
            fix = report.build_rename_fix(_inner_span(key), name, meant.only if free else None)
            yield report.at(key, UNKNOWN_OBJECT_PROPERTY, message, hint=meant.hint, fix=fix)


def _inner_span(node: YamlNode) -> Span:
    """Return the span of a string without its quotes."""
    quoted = isinstance(node, YamlScalar) and node.style is Style.QUOTED
    return Span(node.span.start + quoted, node.span.end)
