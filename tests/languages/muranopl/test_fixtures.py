"""`sabir test`: fixtures, mocks and the forms of the outcome."""

from __future__ import annotations

from xml.etree import ElementTree as Xml

import pytest

from sabir.errors import UsageError
from sabir.languages.language import EvaluationRequest, TestCall, TestRun
from sabir.languages.muranopl.fixtures import run_tests
from sabir.operations.test import junit_report, run_document
from sabir.source.packages import MemoryPackage
from tests.languages.muranopl.packages import files

CLASSES = """\
Name: Base
Methods:
  who: {{Body: [Return: base]}}
  add:
    Arguments: [a: {{Contract: $.int()}}, b: {{Contract: $.int()}}]
    Body: [Return: $a + $b]
---
Name: Child
Extends: Base
---
Name: Other
Extends: Base
Methods:
  who: {{Body: [Return: other]}}
---
Name: Root
Extends: io.murano.test.TestFixture
Methods:
  setUp:
    Body:
      - $.child: new(Child)
      - $.secret: 7
  testIt:
    Body:
      - {statement}
  fake: {{Body: [Return: fake]}}
  sum:
    Arguments: [a: {{Contract: $.int()}}, b: {{Contract: $.int()}}]
    Body: [Return: $a * 100 + $b]
"""


def run(statement: str, *names: str) -> TestRun:
    package = files(CLASSES.format(statement=statement))
    package["manifest.yaml"] += "".join(f"  demo.{name}: Root.yaml\n" for name in ("Base", "Child", "Other"))
    return run_tests(MemoryPackage(package), EvaluationRequest(), TestCall(names=names))


@pytest.mark.parametrize(
    "statement",
    [
        "$.assertEqual(base, $.child.who())",
        "[inject(Child, who, $this, fake), $.assertEqual(fake, $.child.who()), $.assertEqual(base, new(Base).who())]",
        "[inject(Base, who, $this, fake), $.assertEqual(fake, $.child.who()), $.assertEqual(other, new(Other).who())]",
        "[inject(Base, add, $this, sum), $.assertEqual(102, $.child.add(1, 2))]",
        "[inject(Base, add, $2 * $3), $.assertEqual(12, $.child.add(3, 4))]",
        "[inject(Base, add, $.secret), $.assertEqual(7, $.child.add(3, 4))]",
        "[inject(Base, add, originalMethod() + 1), $.assertEqual(8, $.child.add(3, 4))]",
        "[inject(Base, who, withOriginal(s => $.secret) -> $s), $.assertEqual(7, $.child.who())]",
        "[inject($.child, who, fake), $.assertEqual(fake, new(Child).who())]",
        "sleep(1000)",
    ],
)
def test_passes(statement: str) -> None:
    lines = statement[1:-1].replace("), ", ")\n      - ") if statement.startswith("[") else statement
    (outcome,) = run(lines).outcomes
    assert [failure.message for failure in outcome.failures] == []


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("$.assertEqual(1, 2)", "1 is expected, not 2"),
        ("$.assertEqual(1, 2, why)", "1 is expected, not 2: why"),
        ("$.assertTrue(false)", "false is not true"),
        ("$.assertIn(a, [b])", "'a' is not in ['b']"),
        ("$.assertNotIn(b, [b])", "'b' is in ['b']"),
        ("$.assertIn(a, 1)", "nothing can be in 1"),
        ("inject(Base, nothing, 1)", "demo.Base has no method 'nothing' that could be mocked"),
        ("inject(Base, who, $this, nothing)", "demo.Root has no method 'nothing' to put in place of 'who'"),
        ("withOriginal(a => 1) -> $a", "`withOriginal` belongs into the expression that `inject` is given"),
    ],
)
def test_fails(statement: str, message: str) -> None:
    (outcome,) = run(statement).outcomes
    (failure,) = outcome.failures
    assert failure.message == message
    assert failure.location.file == "Classes/Root.yaml"


def test_selection() -> None:
    assert [outcome.name for outcome in run("$.fake()", "Root.testIt").outcomes] == ["testIt"]
    with pytest.raises(UsageError, match=r"there is no test 'Root\.testTi'; did you mean 'Root\.testIt'\?"):
        run("$.fake()", "Root.testTi")


def test_forms_of_the_outcome() -> None:
    failed = run("$.assertEqual(1, 2)")
    assert run_document(failed)["failed"] == 1
    (suite,) = Xml.fromstring(junit_report(failed, "demo"))  # our own text
    assert suite.attrib["failures"] == "1"
    assert suite[0].attrib["classname"] == "demo.Root"
    assert suite[0][0].attrib["message"] == "1 is expected, not 2"


@pytest.mark.parametrize(
    ("statement", "hint"),
    [
        (
            "$.assertEqual(dict(a => 1, b => [1, 2, dict(c => x)]), dict(b => [1, 3, dict(c => y)], d => 0))",
            "a: 1 is missing; b[1]: 2 is expected, not 3; b[2].c: 'x' is expected, not 'y'; d: 0 is not expected",
        ),
        (
            r'$.assertEqual("one\ntwo", "one\nthree\nfour")',
            "line 2: 'two' is expected, not 'three'; line 3: 'four' is not expected",
        ),
        ("$.assertEqual(range(12).toList(), [])", "[0]: 0 is missing; "),
        ("$.assertEqual(1, 2)", None),
        ("inject(Child, wo, 1)", "did you mean 'who'?"),
    ],
)
def test_failures_say_where_values_differ(statement: str, hint: str | None) -> None:
    ((failure,),) = (outcome.failures for outcome in run(statement).outcomes)
    assert (failure.hint or "").startswith(hint or ""), failure.hint
    assert (failure.hint is None) is (hint is None)
    report = Xml.fromstring(junit_report(run(statement), "demo")).find(".//failure")
    assert report is not None
    text = report.text or ""
    assert "in demo.Root.testIt" in text
    assert hint is None or hint in text
