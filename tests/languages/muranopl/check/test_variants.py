"""The smallest wrong input in every position: code and place, and no second finding because of the first."""

from __future__ import annotations

import pytest

from sabir.diagnostics.rules import Example
from sabir.languages.muranopl.check.classes import ClassValidator
from sabir.source.packages import MemoryPackage
from tests.languages.muranopl.check.test_codes import NO_LOGO, findings
from tests.languages.muranopl.example_packages import (
    APPLICATION,
    LIBRARY,
    with_class,
    with_manifest,
    with_ui,
)

HEADER = "Namespaces:\n  =: com.example.tools\n  std: io.murano\n  sys: io.murano.system\nName: Counter\n"
FORMS = APPLICATION["UI/ui.yaml"].partition("Forms:")[0]


def cls(text: str) -> Example:
    return {**LIBRARY, "Classes/Counter.yaml": HEADER + text}


def body(*lines: str) -> Example:
    return cls("Methods:\n  run:\n    Body:\n" + "".join(f"      {line}\n" for line in lines))


def forms(text: str) -> Example:
    return {**APPLICATION, "UI/ui.yaml": FORMS + text}


# The line is that of the file; 0 for the file as a whole.
VARIANTS: dict[str, tuple[Example, list[tuple[str, int]]]] = {
    # Manifest
    "type-null": (with_manifest("Type: Library", "Type:"), [("MAN:E071", 2)]),
    "type-list": (with_manifest("Type: Library", "Type: [Library]"), [("MAN:E071", 2)]),
    "full-name-null": (with_manifest("FullName: com.example.tools", "FullName:"), [("MAN:E073", 3)]),
    "format-without-its-version": (with_manifest("MuranoPL/1.4", "MuranoPL/"), [("MAN:W030", 1)]),
    "format-name-alone": (with_manifest("Format: MuranoPL/1.4", "Format: MuranoPL"), []),
    "version-list": (with_manifest("1.2.0", "[1]"), [("MAN:E071", 5)]),
    "tags-of-all-kinds": (with_manifest("[tools]", "[a, [b], {c: d}, 5]"), [("MAN:E075", 6)] * 3),
    "class-file-null": (with_manifest("Counter: Counter.yaml", "Counter:"), [("MAN:E077", 8)]),
    "class-file-number": (with_manifest("Counter: Counter.yaml", "Counter: 5"), [("MAN:E077", 8)]),
    "class-file-absolute": (
        with_manifest("Counter: Counter.yaml", "Counter: /etc/passwd"),
        [("MAN:E079", 8)],
    ),
    "class-file-above": (with_manifest("Counter: Counter.yaml", "Counter: ../LICENSE"), [("MAN:E079", 8)]),
    "class-file-above-backwards": (
        with_manifest("Counter: Counter.yaml", "Counter: '..\\LICENSE'"),
        [("MAN:E079", 8)],
    ),
    "class-file-in-another-spelling": (with_manifest("Counter: Counter", "Counter: ./Counter"), []),
    "require-any": (with_manifest("Tags:", "Require: {a.b: '', c.d: }\nTags:"), []),
    "an-empty-second-document": (
        {**LIBRARY, "manifest.yaml": LIBRARY["manifest.yaml"] + "---\n"},
        [],
    ),
    # Classes
    "property-usage-list": (with_class("Usage: Out", "Usage: [Out]"), [("MPL:E042", 15)]),
    "property-contract-null": (cls("Properties:\n  a:\n    Contract:\n"), [("MPL:E047", 7)]),
    "class-usage-unknown": (cls("Usage: Mta\nCardinality: One\n"), [("MPL:E029", 6)]),
    "cardinality-null": (cls("Usage: Meta\nCardinality:\n"), [("MPL:E027", 7)]),
    "method-with-a-dot": (cls("Methods:\n  .foo: {}\n  .init: {}\n  .destroy: {}\n"), [("MPL:E054", 7)]),
    "scope-null": (cls("Methods:\n  a: {Scope: }\n"), []),
    "argument-usage-null": (cls("Methods:\n  a: {Arguments: [{b: {Contract: $, Usage: }}]}\n"), []),
    "arguments-of-all-kinds": (
        cls("Methods:\n  a: {Arguments: 5}\n  b: {Arguments: [5, [a], {}, {a: 1}]}\n"),
        [("MPL:E046", 7), *[("MPL:E046", 8)] * 4],
    ),
    "methods-of-all-kinds": (
        cls("Methods:\n  a: 5\n  b: [1]\n  c: text\n  d: {Body: 5}\n  e:\n  f: {}\n"),
        [("MPL:E046", 7), ("MPL:E046", 8), ("MPL:E046", 9), ("MPL:E045", 10)],
    ),
    "parents-of-all-kinds": (
        cls("Extends: [std:Object, 5, [a], 'a b', std:Nope, xx:Y, Nope]\n"),
        [*[("MPL:E025", 6)] * 3, ("MPL:E111", 6), ("MPL:E110", 6), ("MPL:E111", 6)],
    ),
    # Code
    "catch-empty": (body("- Try: $.run()", "  Catch: {}"), [("MPL:E204", 9)]),
    "then-alone": (body("- Then: $.run()"), [("MPL:E201", 9)]),
    "misspelt-construct": (body("- Iff: true", "  Then: []"), [("MPL:E204", 9)]),
    "new-without-a-prefix": (
        body("- new(Nope)", "- new(Counter)", "- new(:Nope)"),
        [("MPL:E111", 9), ("MPL:E111", 11)],
    ),
    "new-of-a-text": (body("- new('com.example.tools.Nope')", "- new('org.other.Thing')"), [("MPL:E111", 9)]),
    "break-in-a-case": (body("- Match: {1: {Break: }}", "  Value: 1"), [("MPL:E205", 9)]),
    "break-in-a-loop": (
        body("- Repeat: 3", "  Do:", "    - Try: {Break: }", "      Catch: {Do: {Continue: }}"),
        [],
    ),
    "code-after-throw-in-a-block": (
        body("- If: true", "  Then:", "    - Throw: X", "    - $.run()", "    - $.run()", "- $.run()"),
        [("MPL:W206", 12)],
    ),
    "statements-of-all-kinds": (
        body("- 5", "- [a]", "-", "- {}", "- 1.5"),
        [("MPL:E204", line) for line in (9, 10, 11, 12, 13)],
    ),
    # User interface
    "application-null": (
        {**APPLICATION, "UI/ui.yaml": "Application:\nForms: [{a: {fields: [{name: b}]}}]\n"},
        [("UI:E084", 1)],
    ),
    "label-a-mapping": (with_ui("label: Title", "label: {a: b}"), [("E040", 13)]),
    "two-forms-of-one-name": (
        forms("Forms:\n  - main: {fields: [{name: title}]}\n  - main: {fields: [{name: b}]}\n"),
        [],
    ),
    "forms-of-all-kinds": (
        forms("Forms: [a, 5, {}, {main: }, {b: {fields: []}}]\n"),
        [("UI:E085", 8)] * 5,
    ),
    "fields-of-all-kinds": (
        forms("Forms:\n  - main:\n      fields: [a, 5, [x], {name: title}]\n"),
        [("UI:E085", 10)] * 3,
    ),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_variant(name: str) -> None:
    package, expected = VARIANTS[name]
    found = [one for one in findings(package) if one.code != NO_LOGO]
    places = [(one.code, one.location.line) for one in found]
    assert sorted(places) == sorted(expected), [one.message for one in found]


ALONE: dict[str, tuple[str, list[str]]] = {
    "a-class-of-the-core-library": ("Extends: std:Applicaton\n", ["MPL:E111"]),
    "a-class-of-the-own-namespace": ("Extends: Base\n", []),
    "a-class-of-another-package": ("Extends: org.other.Base\n", []),
    "new-in-a-file-alone": ("Methods: {run: {Body: [new(Base), new(std:Nope)]}}\n", ["MPL:E111"]),
    "no-version": ("Methods: {run: {Usage: Action, Scope: Public}}\n", []),
    "no-resources": ("Methods: {run: {Body: [new(sys:Resources).string('a.sh')]}}\n", []),
}


@pytest.mark.parametrize("name", ALONE)
def test_a_file_alone(name: str) -> None:
    text, expected = ALONE[name]
    package = MemoryPackage({"Counter.yaml": HEADER + text}, single_file=True)
    assert [one.code for one in ClassValidator(package).run()] == expected


def test_a_file_of_the_core_library_may_name_its_neighbours() -> None:
    text = "Namespaces: {=: io.murano}\nName: New\nExtends: Newer\n"
    package = MemoryPackage({"New.yaml": text}, single_file=True)
    assert [*ClassValidator(package).run()] == []
