"""The validator of UI definitions (spec 001, "UI validation"), and the checks of their expressions.

Expressions must parse, and the forms, fields, templates and parameters that they name must exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar, Final

from msgspec import Struct

from sabir.checks.selection import FileSelection
from sabir.diagnostics.finding import Finding
from sabir.expressions.yaql.nodes import Binary, Call, Index, Node, Variable, Word, child_nodes
from sabir.languages.muranopl.check.class_view import PackageClasses
from sabir.languages.muranopl.check.code import binds_names
from sabir.languages.muranopl.check.core_library import LAMBDA_FUNCTIONS
from sabir.languages.muranopl.check.ui_forms import check_application, check_forms, form_fields
from sabir.languages.muranopl.check.validator import ViewValidator
from sabir.languages.muranopl.examples import package_rule
from sabir.languages.muranopl.syntax.expressions import (
    ExpressionText,
    is_expression_scalar,
    looks_like_code,
    parse_error_finding,
    parse_scalar,
    walk_scalars,
)
from sabir.languages.muranopl.syntax.report import FileReporter, kind_of, quote_node
from sabir.languages.muranopl.syntax.values import (
    MISSING_KEY,
    NO_MAPPING,
    SECOND_DOCUMENT,
    UNKNOWN_SECTION,
    is_null,
    report_unknown_keys,
)
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of

Fields = Mapping[str, frozenset[str] | None]
# The dashboard adds this form to every application.
_BUILT_IN_FORMS: Final = frozenset({"workflowManagement"})
# `$forms` holds all entered values, `$index` is the current iteration of a template under `repeat`.
_BUILT_IN_VALUES: Final = ("forms", "index")

UNKNOWN_FIELD: Final = package_rule(
    "UI:E089",
    "a reference to a form or field that does not exist",
    "Expressions reach the fields as $.form.field. An unknown name gives nothing, and the property stays empty.",
    fixable=True,
)
UNPARSABLE_UI_EXPRESSION: Final = package_rule(
    "UI:W202",
    "an expression that does not parse",
    "Text that does not parse is no expression: the property gets the text itself.",
)


class _Names(Struct, frozen=True):
    """The names that an expression may use: forms with their fields, and values by `$name`. None means unknown."""

    fields: Fields | None
    values: frozenset[str] | None


def check_expressions(report: FileReporter, ui: YamlMapping, fields: Fields | None) -> Iterator[Finding]:
    """Check the expressions of Application, Templates, Parameters and of validators."""
    names = _Names(fields, _find_value_names(ui))
    for section in ("Application", "Templates", "Parameters"):
        node = ui.get(section)
        if node is not None:
            for scalar in walk_scalars(node):
                if is_expression_scalar(scalar):
                    yield from _check_expression(report, scalar, names, sure=scalar.tag == "!yaql")
    for scalar in _form_validators(ui.get("Forms")):
        yield from _check_expression(report, scalar, names, sure=True)
    for scalar in _field_validators(ui.get("Forms")):
        # In a validator `$` is the value of the field.
        yield from _check_expression(report, scalar, _Names(None, None), sure=True)


def _find_value_names(ui: YamlMapping) -> frozenset[str] | None:
    """Return the possible `$name` values: templates and parameters; None if a method of the application adds
    more.
    """
    if ui.get("ParametersSource") is not None:
        return None
    names: set[str] = set(_BUILT_IN_VALUES)
    for section in ("Templates", "Parameters"):
        node = ui.get(section)
        if isinstance(node, YamlMapping):
            names.update(name for name in map(text_of, node) if name is not None)
        elif node is not None and not is_null(node):
            return None
    return frozenset(names)


def _check_expression(
    report: FileReporter, scalar: YamlScalar, names: _Names, *, sure: bool
) -> Iterator[Finding]:
    parsed = parse_scalar(report, scalar)
    if not isinstance(parsed, ExpressionText):
        if sure or looks_like_code(scalar.text):
            yield parse_error_finding(report, scalar, parsed, UNPARSABLE_UI_EXPRESSION)
        return
    if names.fields is not None:
        yield from _check_references(report, parsed, parsed.tree, names.fields)
    if names.values is not None and not binds_names(parsed.tree):
        yield from _check_values(report, parsed, names.values)


def _check_values(
    report: FileReporter, expression: ExpressionText, values: frozenset[str]
) -> Iterator[Finding]:
    """Report `$name` and `ref(name)` without a template or parameter of that name."""
    waiting: list[Node] = [expression.tree]
    while waiting:
        node = waiting.pop()
        named: Node | None = None
        match node:
            case Variable(name=name) if name and not name.isdigit():
                named = node
            case Call(name="ref", arguments=(Word(value=name) as named, *_)):
                pass
            case _:
                name = ""
        if named is not None and name not in values:
            sign = "$" if isinstance(named, Variable) else ""
            span, meant = expression.span(named), report.near(name, values, sign=sign)
            hint = meant.hint or "declare it under Templates or Parameters"
            fix = report.build_rename_fix(span, sign + name, meant.only)
            yield report.at(
                span, UNKNOWN_FIELD, f"there is no template or parameter {name!r}", hint=hint, fix=fix
            )
        waiting.extend(reversed(child_nodes(node)))


def _list_forms(forms: YamlNode | None) -> Iterator[YamlMapping]:
    for form in forms.items if isinstance(forms, YamlSequence) else ():
        for declared in form.values() if isinstance(form, YamlMapping) else ():
            if isinstance(declared, YamlMapping):
                yield declared


def _form_validators(forms: YamlNode | None) -> Iterator[YamlScalar]:
    for form in _list_forms(forms):
        yield from _expressions_of(form.get("validators"))


def _field_validators(forms: YamlNode | None) -> Iterator[YamlScalar]:
    for form in _list_forms(forms):
        fields = form.get("fields")
        for field in fields.items if isinstance(fields, YamlSequence) else ():
            if isinstance(field, YamlMapping):
                yield from _expressions_of(field.get("validators"))


def _expressions_of(validators: YamlNode | None) -> Iterator[YamlScalar]:
    for validator in validators.items if isinstance(validators, YamlSequence) else ():
        expression = validator.get("expr") if isinstance(validator, YamlMapping) else None
        if expression is not None and text_of(expression) is not None and is_expression_scalar(expression):
            yield from walk_scalars(expression)


def _check_references(
    report: FileReporter, expression: ExpressionText, node: Node, fields: Fields
) -> Iterator[Finding]:
    """Check `$.form.field` outside lambdas; inside one, `$` would be an item."""
    match node:
        case Binary(
            operator=".",
            left=Binary(operator=".", left=Variable(name=""), right=Word() as form),
            right=Word() as field,
        ):
            yield from _check_reference(report, expression, form, field, fields)
        case Binary(operator=".", left=Variable(name=""), right=Word() as form):
            yield from _check_reference(report, expression, form, None, fields)
        case Call(name=name) if name in LAMBDA_FUNCTIONS:
            return
        case Index(value=inner) | Binary(operator="->", left=inner):
            yield from _check_references(report, expression, inner, fields)
        case _:
            for child in child_nodes(node):
                yield from _check_references(report, expression, child, fields)


def _check_reference(
    report: FileReporter, expression: ExpressionText, form: Word, field: Word | None, fields: Fields
) -> Iterator[Finding]:
    if form.value in _BUILT_IN_FORMS:
        return
    if form.value not in fields:
        span, meant = expression.span(form), report.near(form.value, fields)
        fix = report.build_rename_fix(span, form.value, meant.only)
        yield report.at(span, UNKNOWN_FIELD, f"there is no form {form.value!r}", hint=meant.hint, fix=fix)
        return
    declared = fields[form.value]
    if field is not None and declared is not None and field.value not in declared:
        message = f"form {form.value!r} has no field {field.value!r}"
        span, meant = expression.span(field), report.near(field.value, declared)
        fix = report.build_rename_fix(span, field.value, meant.only)
        yield report.at(span, UNKNOWN_FIELD, message, hint=meant.hint, fix=fix)


UI_SECTIONS: Final = ("Version", "Templates", "Application", "Forms", "Parameters", "ParametersSource")
_VERSIONS: Final = frozenset({"1", "1.0", "2", "2.0", "2.1", "2.2", "2.3", "2.4"})

UI_VERSION: Final = package_rule(
    "UI:W082",
    "an unknown version of the UI format",
    "Known are 1, 2 and 2.0 to 2.4. A dashboard refuses what it does not know.",
)


class UiValidator(ViewValidator):
    """Checks the UI definition, the form that asks a user for the values of an application."""

    short_name: ClassVar[str] = "UI"
    long_name: ClassVar[str] = "ui"

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        path = self._path()
        if path is None or path not in FileSelection.of(files):
            return
        file = yield from self._readable(path)
        if file is None:
            return
        report = FileReporter(file.source)
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

    def _definition(self, report: FileReporter, ui: YamlMapping) -> Iterator[Finding]:
        yield from report_unknown_keys(report, ui, UI_SECTIONS, code=UNKNOWN_SECTION, what="a UI definition")
        for section in ("Application", "Forms"):
            if ui.get(section) is None:
                yield report.whole(MISSING_KEY, f"the UI definition lacks its section {section}")
        yield from check_version(report, ui.get("Version"))
        yield from check_application(report, ui, self._view, PackageClasses(self._view))
        yield from check_forms(report, ui.get("Forms"))
        yield from check_expressions(report, ui, form_fields(ui.get("Forms")))


def check_version(report: FileReporter, value: YamlNode | None) -> Iterator[Finding]:
    """Report a `Version` of the UI definition that is not a known version of the format."""
    if value is None or is_null(value):
        return
    if not isinstance(value, YamlScalar) or value.text not in _VERSIONS:
        hint = f"the versions are {', '.join(sorted(_VERSIONS))}"
        yield report.at(value, UI_VERSION, f"{quote_node(value)} is no version of the UI format", hint=hint)
