"""The check and loading read the same declarations and instructions: what one refuses the other reports, but for the listed differences."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl.evaluate.preparation import prepare_run
from sabir.languages.muranopl.syntax.classes import read_class_file
from sabir.languages.muranopl.syntax.rules import DIFFERENCES, EngineDifference
from sabir.source.packages import MemoryPackage
from sabir.source.yaml import compose
from sabir.text import Source
from tests.languages.muranopl.check.test_codes import findings
from tests.languages.muranopl.packages import files


def table(file: str, name: str) -> dict[str, str]:
    text = Path(__file__).with_name(f"{file}.yaml").read_text(encoding="utf-8")
    rows: dict[str, str] = yaml.safe_load(text)[name]
    return rows


INSTRUCTIONS = table("instructions", "instructions")
DECLARATIONS = table("declarations", "declarations")
CLASSES = table("declarations", "classes")
EXAMPLES = (*INSTRUCTIONS, *DECLARATIONS, *CLASSES)

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
META_CLASS = "---\nName: Title\nUsage: Meta\n"
# Not about the form: names, order, variables, contracts, what is deprecated.
OTHER_RULES = {"MPL:W206", "MPL:W207", "MPL:E205", "MPL:E208", "MPL:W048", "PKG:W121"}
REFUSALS = {"MRUN:E001", "MRUN:E004", "MRUN:E005"}


def package(name: str) -> dict[str, str]:
    if name in CLASSES:
        return {**files(""), "Classes/Root.yaml": CLASSES[name]}
    if name in DECLARATIONS:
        example = files("Name: Root\n" + DECLARATIONS[name] + META_CLASS)
        listed = example["manifest.yaml"].replace("Root.yaml\n", "Root.yaml\n  demo.Title: Root.yaml\n")
        return {**example, "manifest.yaml": listed}
    lines = INSTRUCTIONS[name].splitlines()
    return files(CLASS + "".join(f"      {line}\n" for line in lines))


def differences(name: str) -> set[EngineDifference]:
    text = package(name)["Classes/Root.yaml"]
    read = read_class_file(compose(Source("Root.yaml", text), tags=frozenset({"!yaql"})))
    return {defect.difference for defect in read.defects if defect.difference is not None}


@pytest.mark.parametrize("name", EXAMPLES)
def test_check_and_load_agree(name: str) -> None:
    example = package(name)
    reported = {
        finding.code for finding in findings(example) if "deprecated" not in finding.message
    } - OTHER_RULES
    loaded = prepare_run(MemoryPackage(example), EvaluationRequest()).findings
    refused = {finding.code for finding in loaded} & REFUSALS
    listed = differences(name)
    if listed:
        (only,) = {difference.only for difference in listed}
        # That a class of another name is missing, or a meta-class, is no matter of form.
        assert (bool(reported), bool(refused - {"MRUN:E005"})) == (only == "check", only == "load")
    else:
        # A value that does not parse is a text for the engine; the check warns of it all the same (V-026).
        assert bool(reported - {"MPL:W202"}) <= bool(refused) <= bool(reported), (reported, refused)


def test_every_difference_is_shown_and_has_rows() -> None:
    shown = set().union(*(differences(name) for name in EXAMPLES))
    assert shown == set(DIFFERENCES)
    assert all(difference.rows and difference.why for difference in DIFFERENCES)


def test_a_broken_instruction_loses_no_more_than_itself() -> None:
    body = "      - hello\n      - If: $.f()\n        Else: $.f()\n      - $x: 1\n      - [1]\n      - Return: $x\n"
    read = read_class_file(compose(Source("Root.yaml", CLASS + body)))
    (node,) = read.classes
    kinds = [type(statement).__name__ for statement in node.methods[1].body]
    assert kinds == ["BrokenStatement", "If", "Assignment", "BrokenStatement", "Return"]
    assert len(read.findings) == 3
