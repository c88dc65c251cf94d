"""What published packages do and a checker must not complain about, each habit in a small package of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from sabir.diagnostics.rules import Example
from sabir.expressions.yaql.functions import LazyKind, Overload
from sabir.languages.muranopl import library
from sabir.languages.muranopl.check.class_view import PackageClasses
from sabir.languages.muranopl.check.core_library import FUNCTIONS, LAMBDA_FUNCTIONS, core_class
from sabir.languages.muranopl.check.view import PackageView
from sabir.languages.muranopl.evaluate.functions import library_for
from sabir.source.packages import load_package
from tests.languages.muranopl.check.test_codes import NO_LOGO, findings
from tests.languages.muranopl.example_packages import with_manifest, with_ui

MANIFEST = "Format: MuranoPL/1.3\nType: Library\nFullName: com.example\nClasses:\n"


def package(manifest: str = MANIFEST, **classes: str) -> Example:
    """A library: `Name="body"` is a file with that class, whose header is written here unless the text has one."""
    files = {"LICENSE": "x\n"}
    for name, text in classes.items():
        header = "" if "Namespaces:" in text else f"{HEADER}Name: {name}\n"
        manifest += f"  com.example.{name}: {name}.yaml\n"
        files[f"Classes/{name}.yaml"] = header + text
    return {"manifest.yaml": manifest, **files}


HEADER: Final = (
    "Namespaces:\n  =: com.example\n  std: io.murano\n  res: io.murano.resources\n  sys: io.murano.system\n"
)


def method(*lines: str) -> str:
    return "Methods:\n  run:\n    Body:\n" + "".join(f"      {line}\n" for line in lines)


CLEAN: Final[dict[str, Example]] = {
    "templates-and-parameters": with_ui(
        "  title: $.main.title",
        "  title: repeat($page, 2) + $first + ref(page) + $forms.main.title\n\n"
        "Templates:\n  page: {n: $index}\n\nParameters:\n  first: 1",
    ),
    "parameters-of-a-method": with_ui(
        "$.main.title", "$given\n\nParametersSource: com.example.web.Site.more"
    ),
    "the-value-in-a-validator-of-its-field": with_ui(
        "          maxLength: 80", "          maxLength: 80\n          validators: [{expr: $.main.other > 1}]"
    ),
    "a-form-with-a-region": with_ui("      fields:", "      region: one\n      fields:"),
    "a-model-in-the-root": {
        **package(A="Methods:\n  run:\n    Body: []\n"),
        "model.yaml": "'?': {id: a, type: com.example.A}\n",
    },
    "namespaces-in-a-document-of-their-own": {
        "manifest.yaml": MANIFEST + "  com.example.A: all.yaml\n  com.example.B: all.yaml\n",
        "LICENSE": "x\n",
        "Classes/all.yaml": f"{HEADER}---\nName: A\n---\nName: B\nExtends: A\n",
    },
    "namespaces-then-one-class": package(A=f"{HEADER}---\nName: A\nExtends: std:Object\n"),
    "empty-namespace": package(
        A="Namespaces: {=: com.example, py: }\nName: A\n"
        + method("- Try:", "    - $.run()", "  Catch:", "    With: py:KeyError", "    Do: []")
    ),
    "empty-text-as-a-namespace": package(A="Namespaces: {=: com.example, e: ''}\nName: A\nExtends: e:B\n"),
    "assignments-to-static-properties": package(
        A="Properties:\n  p: {Contract: $, Usage: Static}\n"
        + method("- :A.p: 1", "- std:Object.p.key: 2", "- type('com.example.A').p: 3")
    ),
    "an-empty-case": package(
        A=method("- Switch:", "    '': $.run()", "    0: $.run()", "    list(): $.run()")
    ),
    "texts-that-hold-signs": package(
        A=method(
            "- $.config:",
            "    key: ssh-rsa AAAAB3NzaC1yc2E+IxYKV7/aYQ== root@host",
            "    short: Zm9vYmE=",
            "    when: 0 3 * * *",
            "    options: --size=5 --name=web",
            "    none: <none>",
            "    url: http://example.com/a?b=c&d=e",
            "- Return: $.config",
        )
    ),
    "heat-type-without-quotes": package(A=method("- $kind: OS::Nova::Server", "- Return: $kind")),
    "finally-without-catch": package(A=method("- Try:", "    - $.run()", "  Finally:", "    - $.run()")),
    "index-by-a-condition": package(
        A="Properties:\n  hosts: {Contract: [$.string()]}\n"
        + method("- Return: $.hosts[$.name = web].first()")
    ),
    "arrow-changes-the-subject": package(A=method("- Return: with(dict(a => 1)) -> $.a")),
    "mixin-uses-what-its-heirs-bring": package(
        Mixin=method("- Return: $.image + $.helper()"),
        Base="Properties:\n  image: {Contract: $.string()}\nMethods:\n  helper:\n    Body: []\n",
        Heir="Extends: [Mixin, Base]\n",
    ),
    "mixin-below-an-unknown-class": package(
        Mixin=method("- Return: $.image"), Heir="Extends: [Mixin, com.other.Base]\n"
    ),
    "members-of-the-core-library": package(
        Host="Extends: res:LinuxMuranoInstance\n"
        + method("- $.deploy()", "- $.setAttr(at, $.flavor + $.ipAddresses[0])", "- Return: $.getRegion()")
    ),
    "constructor-sets-an-input": package(
        A="Properties:\n  path: {Contract: $.string()}\nMethods:\n  .init:\n    Body:\n      - $.path: /etc\n      - $.fill()\n"
        "  fill:\n    Body:\n      - $this.path: /var\n",
        B="Properties:\n  path: {Contract: $.string()}\nMethods:\n  initialize:\n    Body:\n      - $.path: /etc\n",
    ),
    "engine-class-with-members-unseen": package(
        Tests="Extends: io.murano.test.TestFixture\n" + method("- $.assertEqual(1, $.load({}))")
    ),
    "foreign-format": {
        "manifest.yaml": "Format: TOSCA.CSAR/1.1\nType: Application\nFullName: com.example\nTemplate: a.zip\n",
        "a.zip": "",
    },
    "logo-of-the-supplier": {
        **with_manifest("Tags:", "Supplier: {Name: Example, Logo: maker.png}\nTags:"),
        "maker.png": "",
    },
    "field-for-several-classes": with_ui("type: string", "type: [com.example.Web, com.other.Web]"),
    "security-group-field": with_ui("type: string", "type: securitygroup"),
    "index-in-the-form": with_ui("$.main.title", "$.main.title[$.x = 1]"),
    "part-of-another-package-in-the-same-namespace": with_ui(
        "Application:\n", "Templates:\n  database: {'?': {type: com.example.web.PostgreSql}}\nApplication:\n"
    ),
}


@pytest.mark.rows("V-021", "V-027", "V-043", "V-045", "V-076", "V-085")
@pytest.mark.parametrize("name", CLEAN)
def test_clean(name: str) -> None:
    assert [one.code for one in findings(CLEAN[name]) if one.code not in (NO_LOGO, *allowed(name))] == []


def allowed(name: str) -> tuple[str, ...]:
    return ("MAN:W030",) if name == "foreign-format" else ()


def test_a_foreign_format_is_one_finding() -> None:
    assert [one.code for one in findings(CLEAN["foreign-format"])] == ["MAN:W030"]


FOUND = {
    "unknown-member-below-a-core-class": (
        package(Host="Extends: res:LinuxMuranoInstance\n" + method("- Return: $.falvor")),
        "MPL:E113",
    ),
    "unknown-method-below-a-core-class": (
        package(Host="Extends: res:Instance\n" + method("- Return: $.deplyo()")),
        "MPL:E112",
    ),
    "write-to-an-input-of-a-core-class": (
        package(Host="Extends: res:Instance\n" + method("- $.flavor: small")),
        "MPL:W209",
    ),
    "write-to-an-input-beside-the-constructor": (
        package(
            A="Properties:\n  path: {Contract: $.string()}\nMethods:\n  .init:\n    Body:\n      - $.at: 1\n"
            "  run:\n    Body:\n      - $.path: /var\n"
        ),
        "MPL:W209",
    ),
    "mixin-uses-what-nobody-brings": (
        package(Mixin=method("- Return: $.imgae"), Heir="Extends: Mixin\n"),
        "MPL:E113",
    ),
    "broken-namespaces-document": (
        {
            "manifest.yaml": MANIFEST + "  com.example.A: all.yaml\n",
            "LICENSE": "x\n",
            "Classes/all.yaml": "Namespaces: {=: com.example, 1x: io}\n---\nName: A\n",
        },
        "MPL:E060",
    ),
    "try-alone": (package(A=method("- Try:", "    - $.run()")), "MPL:E204"),
    "misspelt-part-of-the-form": (
        with_ui("Application:\n", "Templates:\n  t: {'?': {type: com.example.web.Siet}}\nApplication:\n"),
        "UI:E087",
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_found(name: str) -> None:
    example, code = FOUND[name]
    assert code in {one.code for one in findings(example)}


def test_core_members_know_those_of_our_own_library() -> None:
    package = load_package(Path(library.__file__).parent / "io.murano")
    view = PackageView.of(package)
    for name, document in PackageClasses(view).classes.items():
        known = core_class(name)
        if known is None:
            continue
        declared = {member.name for member in document.members.properties}
        assert declared <= known.inputs | known.properties, name
        methods = {member.name for member in document.members.methods if not member.name.startswith("_")}
        assert methods <= known.methods, name


def _registry() -> tuple[set[str], set[str]]:
    """Names of all functions of the engine, and of those that take an argument unevaluated."""
    names: set[str] = set()
    lazy: set[str] = set()
    for version in ("1.0", "1.4"):
        functions = library_for(version)
        known = functions.names(methods=False) | functions.names(methods=True)
        for name in filter(str.isidentifier, known):
            names.add(name)
            overloads = [overload for level in functions.levels(name) for overload in level]
            if any(map(_is_lazy, overloads)):
                lazy.add(name)
    return names, lazy


def _is_lazy(overload: Overload) -> bool:
    parameters = (*overload.parameters, overload.rest, overload.keywords)
    return any(
        isinstance(one.kind, LazyKind) and one.kind is not LazyKind.KEYWORD for one in parameters if one
    )


def test_function_names_are_those_of_the_engine() -> None:
    names, lazy = _registry()
    assert names | {"getAttr", "setAttr", "config", "inject", "originalMethod", "withOriginal"} == FUNCTIONS
    assert lazy | {"let", "with"} == LAMBDA_FUNCTIONS


def test_parents_of_core_classes_are_known() -> None:
    host = core_class("io.murano.resources.LinuxMuranoInstance")
    assert host is not None
    waiting = list(host.parents)
    while waiting:
        found = core_class(waiting.pop())
        assert found is not None
        waiting.extend(found.parents)
