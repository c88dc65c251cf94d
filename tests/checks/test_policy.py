"""Policy files: read with places, asked of a graph, reported with the codes of their writers."""

from __future__ import annotations

import pytest

from sabir.checks.application import general_rules
from sabir.checks.policy import read_rules, run_rules
from sabir.diagnostics.finding import Finding
from sabir.graph import Graph, How, Instance, Origin, Record, Sensitive
from sabir.session import Session
from sabir.source.packages import PackageFile
from sabir.text import Location

GRAPH = Graph(
    [
        Instance(
            id=name,
            type="db",
            language="toy",
            name=name,
            attributes=Record.of({"backup": backup, "size": size, "password": Sensitive("hush")}),
            origin=Origin(Location("model.toy", line, 3), How.LITERAL),
            origins=Record.of({"size": Origin(Location("model.toy", line + 1, 5), How.LITERAL)}),
        )
        for name, backup, size, line in (("one", True, 5, 1), ("two", False, 500, 10))
    ]
)
RULE = "code: SHOP:E001\n    message: '{message}'\n    for: '::*::[.type=db]'\n    condition: {condition}\n"


def policy(*, condition: str = "backup", message: str = "{name} has no backup", more: str = "") -> str:
    rule = RULE.replace("{message}", message).replace("{condition}", condition)
    return f"rules:\n  - {rule}{more}"


def run(text: str) -> list[Finding]:
    rules, findings = read_rules(PackageFile("policy.yaml", text.encode()))
    return [*findings, *run_rules(rules, GRAPH, Session())]


def test_a_broken_rule_is_reported_at_the_instance() -> None:
    (finding,) = run(policy())
    assert (finding.code, finding.message, str(finding.location)) == (
        "SHOP:E001",
        "two has no backup",
        "model.toy:10:3",
    )
    assert str(finding.related[0].place.location) == "policy.yaml:2:5"


def test_an_attribute_is_the_place_when_the_rule_names_it() -> None:
    (finding,) = run(policy(more="    attribute: size\n"))
    assert str(finding.location) == "model.toy:11:5"


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("{type} {id}", "db two"),
        ("size {size}", "size 500"),
        ("{password}", "<<REDACTED>>"),
        ("{nothing}", "None"),
        ("{owner}", "root"),
    ],
)
def test_fields_of_the_message(message: str, shown: str) -> None:
    assert [one.message for one in run(policy(message=message))] == [shown]


def test_a_rule_that_everything_keeps() -> None:
    assert run(policy(condition="size")) == []


MALFORMED = {
    "no-list": ("rules: {}\n", "a policy file is a mapping"),
    "text": ("rules: [x]\n", "a rule is a mapping"),
    "missing": (
        "rules:\n  - code: SHOP:E001\n    message: m\n    for: '::*'\n",
        "a rule needs its condition",
    ),
    "code": (policy().replace("SHOP:E001", "SHOP-1"), "is no code"),
    "own-code": (policy().replace("SHOP:E001", "E001"), "codes without a prefix"),
    "key": (policy(more="    hnit: x\n"), "a rule has no key 'hnit'"),
    "yaml": ("rules: [\n", "not readable as YAML"),
    "expression": (policy(condition="'a[b'"), "never closed"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed(name: str) -> None:
    text, message = MALFORMED[name]
    (finding,) = run(text)
    assert message in finding.message
    assert finding.filename == "policy.yaml"


def test_the_example_of_the_code() -> None:
    (code,) = (code for code in general_rules() if code.code == "E910")
    assert [one.code for one in run(code.bad["example.yaml"])] == ["E910"]
    assert "E910" not in [one.code for one in run(code.good["example.yaml"])]
