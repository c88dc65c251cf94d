"""The check and loading read the same instructions: what one refuses the other reports, but for the listed differences."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl.evaluate.preparing import prepare
from sabir.languages.muranopl.syntax.classes import read_class_file
from sabir.languages.muranopl.syntax.differences import DIFFERENCES, Difference
from sabir.source.packages import MemoryPackage
from sabir.source.yaml import compose
from sabir.text import Source
from tests.languages.muranopl.check.test_codes import findings
from tests.languages.muranopl.packages import files

INSTRUCTIONS: dict[str, str] = yaml.safe_load(
    Path(__file__).with_name("instructions.yaml").read_text(encoding="utf-8")
)["instructions"]

CLASS = """\
Name: Root
Properties:
  a: {Contract: $, Usage: Out}
  s: {Contract: $, Usage: Static}
Methods:
  f:
    Arguments:
      - a: {Contract: $, Usage: VarArgs}
  m:
    Body:
"""
# Not about the form: names, order, variables.
OTHER_RULES = {"MPL:W206", "MPL:W207", "MPL:E205", "MPL:E208", "PKG:W121"}


def package(name: str) -> dict[str, str]:
    lines = INSTRUCTIONS[name].splitlines()
    return files(CLASS + "".join(f"      {line}\n" for line in lines))


def differences(name: str) -> set[Difference]:
    text = package(name)["Classes/Root.yaml"]
    read = read_class_file(compose(Source("Root.yaml", text), tags=frozenset({"!yaql"})))
    return {defect.difference for defect in read.instructions if defect.difference is not None}


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_check_and_load_agree(name: str) -> None:
    example = package(name)
    reported = {finding.code for finding in findings(example)} - OTHER_RULES
    refused = [finding.code for finding in prepare(MemoryPackage(example), EvaluationRequest()).findings]
    listed = differences(name)
    if listed:
        (only,) = {difference.only for difference in listed}
        assert (bool(reported), bool(refused)) == (only == "check", only == "load")
    else:
        # A value that does not parse is a text for the engine; the check warns of it all the same (V-026).
        assert bool(reported - {"MPL:W202"}) <= bool(refused) <= bool(reported), (reported, refused)


def test_every_difference_is_shown_and_has_rows() -> None:
    shown = set().union(*(differences(name) for name in INSTRUCTIONS))
    assert shown == set(DIFFERENCES)
    assert all(difference.rows and difference.why for difference in DIFFERENCES)


def test_a_broken_instruction_loses_no_more_than_itself() -> None:
    body = "      - hello\n      - If: $.f()\n        Else: $.f()\n      - $x: 1\n      - [1]\n      - Return: $x\n"
    read = read_class_file(compose(Source("Root.yaml", CLASS + body)))
    (node,) = read.classes
    kinds = [type(statement).__name__ for statement in node.methods[1].body]
    assert kinds == ["Broken", "If", "Assignment", "Broken", "Return"]
    assert len(read.findings) == 3
