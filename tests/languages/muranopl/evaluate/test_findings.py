"""What people see when something is wrong: places, near names, stacks, all mistakes at once."""

from __future__ import annotations

import pytest

from sabir.diagnostics.finding import Finding
from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl import LANGUAGE
from sabir.source.packages import MemoryPackage
from tests.languages.muranopl.packages import files


def findings(classes: str, model: str, **more: str) -> tuple[Finding, ...]:
    return LANGUAGE.evaluate(MemoryPackage(files(classes, model, **more)), EvaluationRequest()).findings


CLASS = """\
Name: Root
Properties:
  port:
    Contract: $.int().notNull().check($ > 0)
  ports:
    Contract:
      - number: $.int()
  size:
    Contract: $.int()
    Default: many
"""


@pytest.mark.rows("M-038", "M-080")
def test_all_violations_of_a_model_are_reported_at_once() -> None:
    model = "'?': {id: root, type: demo.Root}\nport: -1\nports:\n  - number: 1\n  - number: x\n"
    first, second, third = findings(CLASS, model)
    assert first.message == "[demo.Root.port] -1 does not satisfy `$ > 0`"
    assert str(first.location) == "model.yaml:2:7"
    assert [str(one.place.location) for one in first.related] == ["Classes/Root.yaml:7:15"]
    assert second.message == "[demo.Root.ports[1]['number']] 'x' is no integer"
    assert str(second.location) == "model.yaml:5:13"
    assert third.message == "[demo.Root.size] 'many' is no integer"
    assert [str(one.place.location) for one in third.related] == ["Classes/Root.yaml:13:14"]


def test_a_missing_value_is_reported_at_its_object() -> None:
    classes = "Name: Root\nProperties:\n  port:\n    Contract: $.int().notNull()\n"
    (missing,) = findings(classes, "'?': {id: root, type: demo.Root}\n")
    assert (str(missing.location), missing.hint) == (
        "model.yaml:1:1",
        "in the object 'root' of demo.Root, where it is missing",
    )
    misspelt = findings(classes, "'?': {id: root, type: demo.Root}\nprot: 1\n")
    (violation,) = (finding for finding in misspelt if finding.code == "MRUN:E010")
    assert str(violation.location) == "model.yaml:2:1"
    assert violation.hint == "'prot' is no property of demo.Root; did you mean 'port'?"


def test_an_unknown_property_has_a_near_name() -> None:
    (found,) = findings(CLASS, "'?': {id: root, type: demo.Root}\nport: 1\nsize: 1\nprot: 2\n")
    assert (found.code, found.hint, str(found.location)) == (
        "MRUN:W001",
        "did you mean 'port'?",
        "model.yaml:4:1",
    )


@pytest.mark.rows("M-188")
def test_the_stack_of_a_failure() -> None:
    classes = """\
Name: Root
Methods:
  .init:
    Body:
      - $.outer()
  outer:
    Body:
      - $x: 1
      - If: $x = 1
        Then:
          - Throw: tooSmall
            Message: three are needed
"""
    (found,) = findings(classes, "'?': {id: root, type: demo.Root}\n")
    assert found.message == "demo.tooSmall: three are needed"
    assert [(one.name, str(one.place and one.place.location)) for one in found.frames] == [
        ("demo.Root..init", "Classes/Root.yaml:8:9"),
        ("demo.Root.outer", "Classes/Root.yaml:14:13"),
    ]


@pytest.mark.rows("M-005", "M-197")
def test_an_unknown_type_is_named_at_its_place() -> None:
    (found,) = findings("Name: Root\n", "'?': {id: root, type: demo.Roof}\n")
    assert found.code == "MRUN:E005"
    assert found.hint == "did you mean 'demo.Root'?"
    assert found.location.file == "model.yaml"


@pytest.mark.rows("M-013")
def test_a_class_defined_twice_names_both_places() -> None:
    (found,) = findings("Name: Root\n---\nName: Root\n", "'?': {id: root, type: demo.Root}\n")
    assert (found.code, found.location.line, found.related[0].place.location.line) == ("MRUN:E004", 6, 4)


def test_every_class_of_a_package_is_built() -> None:
    classes = "Name: Root\nExtends: Nowhere\n---\nName: Other\nImport: Nothing\n"
    assert [one.code for one in findings(classes, "'?': {id: root, type: demo.Root}\n")] == ["MRUN:E005"] * 2


def test_no_model() -> None:
    package = MemoryPackage(
        {name: text for name, text in files("Name: Root\n").items() if name != "model.yaml"}
    )
    (found,) = LANGUAGE.evaluate(package, EvaluationRequest()).findings
    assert found.code == "MRUN:E026"
    assert "--model" in (found.hint or "")


@pytest.mark.rows("M-025")
def test_a_namespace_of_one_part_is_fine() -> None:
    assert findings("Name: Root\n", "'?': {id: root, type: demo.Root}\n") == ()


def test_a_value_that_shares_its_parts_is_not_written_without_end() -> None:
    classes = """\
Name: Root
Properties:
  o:
    Contract: $
    Usage: Out
  n:
    Contract: $.int()
    Usage: Out
Methods:
  .init:
    Body:
      - $x: {a: 1}
      - Repeat: 60
        Do:
          - $x: {a: $x, b: $x}
      - $.o: $x
      - Try: {$.n: $x}
        Catch:
          With: ContractViolationException
"""
    (found,) = findings(classes, "'?': {id: root, type: demo.Root}\n")
    assert found.code == "MRUN:E028"
