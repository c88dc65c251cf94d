"""Forms and their fields (spec 001, "UI validation"; the form itself is described by the dynamic UI reference)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from sabir.diagnostics.finding import Finding, Fix
from sabir.languages.muranopl.check.names import is_dotted_name, is_identifier
from sabir.languages.muranopl.syntax.report import Report, kind_of, shown
from sabir.languages.muranopl.syntax.shapes import is_null, quoting, unknown_keys
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of

__all__ = ["check_forms", "form_fields"]

# The dashboard also reads region; the document does not list it.
_FORM_KEYS: Final = frozenset({"fields", "validators", "region"})
_SIMPLE_TYPES: Final = frozenset(
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
        # Newer than the list of the document; the dashboard has it since its format 2.3.
        "securitygroup",
    ]
)
_TEXTS: Final = ("name", "label", "description", "descriptionTitle", "helpText", "regexpValidator")
_FLAGS: Final = ("required", "hidden")
_NUMBERS: Final = ("minLength", "maxLength", "minValue", "maxValue")


@cache
def _number_text_pattern() -> re.Pattern[str]:
    return re.compile("0|[1-9][0-9]*")


@cache
def _flag_text_pattern() -> re.Pattern[str]:
    return re.compile("true|false", re.IGNORECASE)


def form_fields(forms: YamlNode | None) -> Mapping[str, frozenset[str] | None] | None:
    """Names of the forms with the names of their fields; None where they cannot be told."""
    if not isinstance(forms, YamlSequence):
        return None
    found: dict[str, frozenset[str] | None] = {}
    for form in forms.items:
        if not isinstance(form, YamlMapping) or len(form) != 1:
            return None
        ((key, declared),) = form.items()
        name = text_of(key)
        if name is None:
            return None
        fields = declared.get("fields") if isinstance(declared, YamlMapping) else None
        names = _field_names(fields) if isinstance(fields, YamlSequence) else None
        before = found.get(name, frozenset())  # two forms of one name fill in one place
        found[name] = None if names is None or before is None else names | before
    return found


def _field_names(fields: YamlSequence) -> frozenset[str] | None:
    names = [text_of(field.get("name")) if isinstance(field, YamlMapping) else None for field in fields.items]
    known = frozenset(name for name in names if name is not None)
    return known if len(known) and None not in names else None


def check_forms(report: Report, forms: YamlNode | None) -> Iterator[Finding]:
    if forms is None:
        return
    if not isinstance(forms, YamlSequence):
        yield report.at(forms, "UI:E085", f"Forms must be a list of forms, not {kind_of(forms)}")
        return
    for form in forms.items:
        if not isinstance(form, YamlMapping) or len(form) != 1:
            hint = "begin each form with a dash: - name: {fields: […]}"
            yield report.at(
                form, "UI:E085", f"a form is one name with its fields, not {_form_kind(form)}", hint=hint
            )
            continue
        ((name, declared),) = form.items()
        yield from _check_form(report, name, declared)


def _form_kind(form: YamlNode) -> str:
    return f"a mapping of {len(form)} names" if isinstance(form, YamlMapping) else kind_of(form)


def _check_form(report: Report, name: YamlNode, form: YamlNode) -> Iterator[Finding]:
    fields = form.get("fields") if isinstance(form, YamlMapping) else None
    if isinstance(form, YamlMapping):
        yield from unknown_keys(report, form, _FORM_KEYS, code="E021", what=f"form {shown(name)}")
    if not isinstance(fields, YamlSequence) or not len(fields):
        yield report.at(name, "UI:E085", f"form {shown(name)} has no list of fields")
        return
    seen: dict[str, YamlNode] = {}
    for field in fields.items:
        if not isinstance(field, YamlMapping):
            yield report.at(field, "UI:E085", f"a field must be a mapping, not {kind_of(field)}")
            continue
        yield from _check_field(report, field)
        title = field.get("name")
        written = text_of(title)
        if title is not None and written is not None and seen.setdefault(written, title) is not title:
            message = f"form {shown(name)} has a field {written!r} already"
            yield report.at(field, "UI:E086", message, related=((seen[written], "the first one"),))


def _check_field(report: Report, field: YamlMapping) -> Iterator[Finding]:
    for key in _TEXTS:
        value = field.get(key)
        if value is not None and not is_null(value) and text_of(value) is None:
            message = f"{key} must be a text, not {kind_of(value)}"
            yield report.at(_key(field, key), "E040", message, fix=quoting(report, value))
    for key in _FLAGS:
        if not _is_scalar_of(field.get(key), bool):
            message = f"{key} must be true or false, not {_what(field, key)}"
            fix = _unquoting(report, field.get(key), _flag_text_pattern())
            yield report.at(_key(field, key), "UI:E081", message, fix=fix)
    for key in _NUMBERS:
        if not _is_scalar_of(field.get(key), int):
            message = f"{key} must be an integer, not {_what(field, key)}"
            fix = _unquoting(report, field.get(key), _number_text_pattern())
            yield report.at(_key(field, key), "UI:E082", message, fix=fix)
    yield from _check_type(report, field.get("type"))


def _check_type(report: Report, value: YamlNode | None) -> Iterator[Finding]:
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
            value, "UI:E100", f"{shown(value)} is neither a type of field nor the name of a class"
        )
    elif is_identifier(name) and name not in _SIMPLE_TYPES:
        meant = report.near(name, _SIMPLE_TYPES)
        hint = meant.hint or f"the simple types are {', '.join(sorted(_SIMPLE_TYPES))}"
        fix = report.replacing(value, meant.only) if meant.only else None
        yield report.at(value, "UI:W100", f"there is no type of field {name!r}", hint=hint, fix=fix)


def _unquoting(report: Report, value: YamlNode | None, form: re.Pattern[str]) -> Fix | None:
    """The text of a quoted number or boolean without its quotes."""
    text = text_of(value)
    if value is None or text is None or not form.fullmatch(text):
        return None
    return report.replacing(value, text.lower(), title="remove the quotes", safe=True)


def _is_scalar_of(value: YamlNode | None, kind: type) -> bool:
    """True for no value, a value of the kind, and an expression that will give one."""
    if value is None or is_null(value):
        return True
    if not isinstance(value, YamlScalar):
        return False
    if isinstance(value.value, str):
        return value.tag == "!yaql" or value.text.startswith("$")
    return isinstance(value.value, kind) and (kind is bool or not isinstance(value.value, bool))


def _key(field: YamlMapping, key: str) -> YamlNode:
    entry = field.entry(key)
    return entry.key if entry else field


def _what(field: YamlMapping, key: str) -> str:
    value = field.get(key)
    return "nothing" if value is None else shown(value) if text_of(value) is not None else kind_of(value)
