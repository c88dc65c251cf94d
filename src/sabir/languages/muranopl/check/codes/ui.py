"""Codes of user interface definitions."""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.rules import Example, Rule
from sabir.languages.muranopl.check.codes.examples import APPLICATION, code, with_ui

__all__ = ["CODES"]


def _ui(name: str, title: str, why: str, bad: Example, *, fixable: bool = False) -> Rule:
    return code(name, title, why, bad, good=APPLICATION, fixable=fixable)


CODES: Final[tuple[Rule, ...]] = (
    _ui(
        "UI:E081",
        "required or hidden is no boolean",
        "A field is required, or hidden, or not: true or false without quotes.",
        with_ui("required: true", "required: 'true'"),
        fixable=True,
    ),
    _ui(
        "UI:E082",
        "a length or limit is no integer",
        "minLength, maxLength, minValue and maxValue are integers without quotes.",
        with_ui("maxLength: 80", "maxLength: '80'"),
        fixable=True,
    ),
    _ui(
        "UI:W082",
        "an unknown version of the UI format",
        "Known are 1, 2 and 2.0 to 2.4. A dashboard refuses what it does not know.",
        with_ui("Version: 2.3", "Version: 9"),
    ),
    _ui(
        "UI:E083",
        "a malformed property name",
        "The keys of Application are names of properties of the class, and ? for the header.",
        with_ui("  title: $.main.title", "  the-title: $.main.title"),
    ),
    _ui(
        "UI:E084",
        "Application is no mapping",
        "Application describes one object: its header ? with the type, and its properties.",
        with_ui(
            "Application:\n  ?:\n    type: com.example.web.Site\n  title: $.main.title\n",
            "Application: [com.example.web.Site]\n",
        ),
    ),
    _ui(
        "UI:E085",
        "a malformed form",
        "Forms is a list; each form is one name with a list of fields; each field is a mapping.",
        with_ui(
            "        - name: title\n          type: string\n", "        - title\n        - name: title\n"
        ),
    ),
    _ui(
        "UI:E086",
        "two fields with one name",
        "The second field overwrites the value of the first.",
        with_ui(
            "        - name: title\n", "        - name: title\n          type: text\n        - name: title\n"
        ),
    ),
    _ui(
        "UI:E087",
        "an object of a class that the package does not have",
        "The type belongs to a namespace of this package, but no class of that name is listed in the manifest.",
        with_ui("type: com.example.web.Site", "type: com.example.web.Siet"),
        fixable=True,
    ),
    _ui(
        "UI:E088",
        "a property that the class does not have",
        "Neither the class nor any class it extends declares the property; the engine ignores or refuses it.",
        with_ui("  title: $.main.title", "  titel: $.main.title"),
        fixable=True,
    ),
    _ui(
        "UI:E089",
        "a reference to a form or field that does not exist",
        "Expressions reach the fields as $.form.field. An unknown name gives nothing, and the property stays empty.",
        with_ui("$.main.title", "$.main.titel"),
        fixable=True,
    ),
    _ui(
        "UI:E100",
        "a malformed type of a field",
        "The type is one of the simple types or the full name of a class.",
        with_ui("type: string", "type: a b"),
    ),
    _ui(
        "UI:W100",
        "an unknown type of a field",
        "Most often a typing error. A dashboard shows nothing for a type it does not know.",
        with_ui("type: string", "type: sting"),
        fixable=True,
    ),
    _ui(
        "UI:W202",
        "an expression that does not parse",
        "Text that does not parse is no expression: the property gets the text itself.",
        with_ui("$.main.title", "$.main.title("),
    ),
)
