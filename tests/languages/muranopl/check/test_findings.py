"""Rules beyond the examples of the codes: one row a rule, with what the message must say."""

from __future__ import annotations

import pytest

from tests.languages.muranopl.check.test_codes import findings
from tests.languages.muranopl.example_packages import (
    APPLICATION,
    LIBRARY,
    changed,
    with_class,
    with_manifest,
    with_ui,
)

BODY = "      - Return: $first + $.next(step => 1)\n"


def body(*lines: str) -> dict[str, str]:
    return dict(with_class(BODY, "".join(f"      {line}\n" for line in lines)))


CLEAN = {
    "lambda-item": body("- Return: $.next($first).select($.anything).where($.other > 1)"),
    "let-binds": body("- Return: let(x => $first) -> $x"),
    "numbered-lambda-variable": body("- Return: list(1).aggregate($1 + $2) + $first"),
    "private-property": body("- $._seen: $first", "- Return: $._seen"),
    "variable-read-in-a-target": body("- $table: {}", "- $table[a]: $first", "- Return: null"),
    "loop-variable-unread": body("- For: i", "  In: [1]", "  Do:", "    - $.next($first)"),
    "exception-variable-unread": body(
        "- Try:", "    - $.next($first)", "  Catch:", "    As: e", "    Do:", "      - Return: 1"
    ),
    "text-with-a-dash": body("- $x: to be - or not to be", "- Return: $x + $first"),
    "quoted-text": body("- $x: 'from $5 (net'", "- Return: $x + $first"),
    "url": body("- $x: http://example.com/a b", "- Return: $x + $first"),
    "yaql-function-on-this": body("- Return: $.len() + $.find(std:Environment).id() + $first"),
    "class-by-its-full-name": with_class("std:Object", "com.example.tools.Counter2x.Base"),
    "class-of-a-required-package": {
        **with_manifest("Tags:", "Require: {com.example.other: 1}\nTags:"),
        "Classes/Counter.yaml": with_class("std:Object", "Sibling")["Classes/Counter.yaml"],
    },
    "method-of-an-unknown-parent": with_class("std:Object", "com.other.Base"),
    "version-as-a-number": with_manifest("Version: 1.2.0", "Version: 1.2"),
    "supplier": with_manifest("Tags:", "Supplier: {Name: Example}\nTags:"),
    "format-as-a-number": with_manifest("Format: MuranoPL/1.4", "Format: 1.4"),
    "contract-literal-under-a-key": with_class("$.int()\n    Usage: Out", "{A: text, B: 5}\n    Usage: Out"),
    "field-with-an-expression-flag": with_ui("required: true", "required: $.main.title != x"),
    "template-variable": with_ui("Application:\n", "Templates:\n  t: {a: $.main.title}\nApplication:\n"),
    "lambda-in-the-form": with_ui("$.main.title", "list(1).select($.nothing)"),
    "workflow-management-form": with_ui("$.main.title", "$.workflowManagement.stay"),
}


@pytest.mark.rows("V-026", "V-112")
@pytest.mark.parametrize("name", CLEAN)
def test_clean(name: str) -> None:
    assert [one for one in findings(CLEAN[name]) if one.code != "MAN:W074"] == []


FOUND = {
    "unknown-method-in-an-argument": (body("- Return: $.next($.nxet($first))"), "MPL:E112", "'nxet'"),
    "this-inside-a-lambda": (body("- Return: list(1).select($this.strat + $first)"), "MPL:E113", "'strat'"),
    "missing-argument": (
        {
            **LIBRARY,
            "Classes/Counter.yaml": LIBRARY["Classes/Counter.yaml"]
            .replace("          Default: 1\n", "")
            .replace("$.next(1)", "$.next()"),
        },
        "MPL:E114",
        "step",
    ),
    "unknown-named-argument": (body("- Return: $.next(setp => $first)"), "MPL:E114", "'setp'"),
    "undefined-near-argument": (body("- Return: $first + $frist"), "MPL:E208", "$frist"),
    "unclosed-text": (body("- $x: $first + 'a", "- Return: $x"), "MPL:W202", "does not parse"),
    "predicate": (body("- If: $first >", "  Then: $.next(1)"), "MPL:W202", "does not parse"),
    "switch-key": (body("- Switch:", "    $first >:", "      - Return: 1"), "MPL:W202", "does not parse"),
    "catch-keyword": (
        body("- Try: $.next($first)", "  Catch:", "    Wiht: e", "    Do: []"),
        "MPL:E201",
        "'Wiht'",
    ),
    "default-outside-its-check": (
        with_class(
            "$.int().notNull()\n    Default: 0", "$.int().notNull().check($ in [1, 2])\n    Default: 7"
        ),
        "MPL:W118",
        "7 does not satisfy",
    ),
    "default-in-a-list": (
        with_class("$.int().notNull()\n    Default: 0", "[$.int()]\n    Default: [1, x]"),
        "MPL:W118",
        "'x'",
    ),
    "argument-default": (
        with_class("          Default: 1\n", "          Default: one\n"),
        "MPL:W118",
        "'one'",
    ),
    "misspelt-contract": (
        with_class("$.int().notNull()\n    Default", "$.int().notNul()\n    Default"),
        "MPL:W048",
        "notNul",
    ),
    "prefix-in-a-contract": (
        with_class("$.int()\n    Usage: Out", "$.class(sdt:Object)\n    Usage: Out"),
        "MPL:E110",
        "'sdt'",
    ),
    "prefix-in-code": (body("- Return: new(sdt:Object) and $first"), "MPL:E110", "'sdt'"),
    "class-in-code": (body("- Return: new(:Conuter) and $first"), "MPL:E111", "Conuter"),
    "foreign-format": (with_manifest("MuranoPL/1.4", "Cloudify.TOSCA/1.0"), "MAN:W030", "Cloudify.TOSCA"),
    "field-of-another-form": (with_ui("$.main.title", "$.mian.title"), "UI:E089", "'mian'"),
    "unknown-template": (with_ui("$.main.title", "$mian"), "UI:E089", "'mian'"),
    "unknown-template-by-reference": (with_ui("$.main.title", "ref(site)"), "UI:E089", "'site'"),
    "form-of-a-form-validator": (
        with_ui("      fields:", "      validators: [{expr: $.mian.title != ''}]\n      fields:"),
        "UI:E089",
        "'mian'",
    ),
    "nested-own-class": (
        with_ui("  title: $.main.title", "  title: {'?': {type: com.example.web.Sitte}}"),
        "UI:E087",
        "Sitte",
    ),
}


@pytest.mark.rows("V-020", "V-023", "V-024", "V-028", "V-120", "V-121")
@pytest.mark.parametrize("name", FOUND)
def test_found(name: str) -> None:
    package, code, words = FOUND[name]
    found = [one for one in findings(package) if one.code != "MAN:W074"]
    assert [one.code for one in found] == [code], [(one.code, one.message) for one in found]
    assert words in found[0].message


HINTS = [
    (with_class("Properties:", "Propertys:"), "W010", "did you mean 'Properties'?"),
    (with_class("std:Object", "std:Objekt"), "MPL:E111", "did you mean 'io.murano.Object'?"),
    (body("- Return: $frist"), "MPL:E208", "did you mean '$first'?"),
    (with_ui("type: string", "type: sting"), "UI:W100", "did you mean 'string'?"),
    (changed(APPLICATION, "UI/ui.yaml", "Forms:", "Form:"), "W010", "did you mean 'Forms'?"),
]


@pytest.mark.parametrize(
    ("package", "code", "hint"), HINTS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_near_name(package: dict[str, str], code: str, hint: str) -> None:
    assert hint in [one.hint for one in findings(package) if one.code == code]


def test_a_broken_file_hides_nothing_of_the_others() -> None:
    package = {
        **with_manifest("Counter.yaml", "Counter.yaml\n  com.example.tools.Broken: Broken.yaml"),
        "Classes/Broken.yaml": "Name: [\n",
        "Classes/Counter.yaml": with_class("Usage: Out", "Usage: Output")["Classes/Counter.yaml"],
    }
    assert sorted(one.code for one in findings(package)) == ["E002", "MPL:E042"]


def test_a_run_can_be_limited_to_files() -> None:
    from sabir.languages.muranopl.check.classes import ClassValidator
    from sabir.source.packages import MemoryPackage

    package = MemoryPackage(with_class("Usage: Out", "Usage: Output"))
    assert [one.code for one in ClassValidator(package).run(["Classes/Counter.yaml"])] == ["MPL:E042"]
    assert list(ClassValidator(package).run(["Classes/Other.yaml"])) == []
