"""Heat templates as packages: the class, the form, and what is wrong with a template."""

from __future__ import annotations

import pytest

from sabir.diagnostics.finding import Finding
from sabir.languages.language import EvaluationRequest, ModelCall
from sabir.languages.muranopl import LANGUAGE
from sabir.operations.check import check_package
from sabir.source.packages import MemoryPackage

MANIFEST = "Format: Heat.HOT/1.0\nType: Application\nFullName: demo.Hot\nName: Hot\n"
TEMPLATE = """\
heat_template_version: 2013-05-23
parameters:
  size:
    type: number
    default: 2
    constraints: [{range: {min: 1, max: 5}}]
  word:
    type: string
    constraints: [{allowed_pattern: "it's [a-z]+"}, {length: {min: 2}}]
resources:
  server: {type: "OS::Nova::Server"}
outputs:
  address: {value: x}
"""


def package(template: str | None = TEMPLATE, **more: str) -> MemoryPackage:
    files = {"manifest.yaml": MANIFEST, **more}
    return MemoryPackage(files if template is None else {**files, "template.yaml": template})


def loaded(model: str) -> tuple[Finding, ...]:
    return LANGUAGE.evaluate(package(**{"model.yaml": model}), EvaluationRequest()).findings


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("{size: 3, word: it's fine}", None),
        (
            "{size: 9, word: it's fine}",
            "[demo.Hot.templateParameters['size']] 9 does not satisfy `$ >= 1 and $ <= 5`",
        ),
        ("{size: 1, word: nope}", "[demo.Hot.templateParameters['word']] 'nope' does not satisfy"),
        ("{size: many, word: it's fine}", "[demo.Hot.templateParameters['size']] 'many' is no integer"),
    ],
)
def test_parameters_are_checked(parameters: str, message: str | None) -> None:
    findings = loaded(f"?: {{type: demo.Hot, id: hot}}\nname: hot\ntemplateParameters: {parameters}\n")
    assert [finding.message.startswith(message or "") for finding in findings] == ([True] if message else [])


@pytest.mark.parametrize(
    ("template", "code", "place"),
    [
        (TEMPLATE, None, None),
        (None, "PKG:E122", "template.yaml"),
        ("resuorces: {}\n", "PKG:E122", "template.yaml:1:1"),
        ("- 1\n", "PKG:E122", "template.yaml:1:1"),
        ("parameters: {a: {type: strnig}}\nresources: {}\n", "PKG:E122", "template.yaml:1:24"),
        ("resources: {\n", "E002", None),
        *(
            (f"{text}\nresources: {{}}\n", "PKG:E122", f"template.yaml:1:{column}")
            for text, column in (
                ("parameters: [a]", 13),
                ("parameters: {1: {type: number}}", 14),
                ("parameters: {a: {type: [number]}}", 24),
                ("parameters: {a: {type: number, constraints: 5}}", 45),
                ("parameters: {a: {type: number, constraints: [5]}}", 46),
                ("parameters: {a: {type: number, constraints: [{range: 5}]}}", 54),
                ("parameters: {a: {type: number, constraints: [{range: {min: .inf}}]}}", 60),
                ("parameters: {a: {type: number, constraints: [{length: {max: []}}]}}", 61),
                ("parameters: {a: {type: number, constraints: [{allowed_values: 5}]}}", 63),
                ("outputs: 5", 10),
                ("parameter_groups: {a: 1}", 19),
                ("parameter_groups: [5]", 20),
                ("parameter_groups: [{parameters: 5}]", 33),
                ("parameter_groups: [{parameters: [[]]}]", 34),
            )
        ),
    ],
)
def test_check_reads_the_template(template: str | None, code: str | None, place: str | None) -> None:
    errors = [
        finding
        for _, finding in check_package(package(template)).findings()
        if finding.location.file == "template.yaml"
    ]
    assert [finding.code for finding in errors] == ([code] if code else [])
    if place is not None:
        assert str(errors[0].location) == place


def test_form_and_model() -> None:
    made = LANGUAGE.make_model(
        package(), EvaluationRequest(), ModelCall(values={"name": "n", "word": "it's me"})
    )
    assert made.errors == ()
    assert made.document is not None
    assert made.document["templateParameters"] == {"size": 2, "word": "it's me"}
    refused = LANGUAGE.make_model(
        package(), EvaluationRequest(), ModelCall(values={"name": "n", "word": "x"})
    )
    assert len(refused.errors) == 2
