"""Unknown keys, missing keys and wrong types make a case fail, in every language."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conformance.runner.case import MalformedCase
from tests.conformance.runner.eval import EvalCase
from tests.conformance.runner.loading import CaseFileError
from tests.conformance.runner.suites import judge, load

GOOD: dict[str, dict[str, Any]] = {
    "yaql": {"expr": "1", "expect": {"result": 1}},
    "muranopl": {"classes": "Name: A", "expect": {"result": 1}},
    "packages": {"expect": [], "exit": 0},
    "inmanta": {"files": {"main.cf": ""}, "expect": {"ok": True}},
    "ccp": {"tree": {}, "expect": {"counts": {}}},
    "eval": {"tree": {"name": "a"}, "expr": "::a", "expect": {"value": 1}},
}


def _write(folder: Path, language: str, changes: dict[str, Any]) -> Path:
    case = {"id": "one", **GOOD[language], **changes}
    case = {key: value for key, value in case.items() if value is not ...}
    inner = folder / language
    file = inner / "one" / "case.yaml" if language == "packages" else inner / "cases.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(yaml.safe_dump(case if language == "packages" else [case]))
    return folder


@pytest.mark.parametrize("language", GOOD)
def test_good_case_loads(language: str, tmp_path: Path) -> None:
    (case,) = load(language, (_write(tmp_path, language, {}),))
    assert not isinstance(case, MalformedCase)


BAD: list[tuple[str, dict[str, Any], str]] = [
    *((language, {"extra": 1}, "extra: unknown key") for language in GOOD),
    *((language, {"expect": ...}, "expect") for language in GOOD),
    *((language, {"rows": "M-001"}, "rows") for language in GOOD),
    ("yaql", {"expect": {"result": 1, "error": {"kind": "eval"}}}, "exactly one of result, error"),
    ("yaql", {"expect": {"error": {"kind": "crash"}}}, "one of parse, eval wanted"),
    ("yaql", {"expect": {"error": {"kind": "eval", "text": "x"}}}, "expect.error.text: unknown key"),
    ("muranopl", {"expectAny": [{}]}, "exactly one of expect, expectAny"),
    ("muranopl", {"expect": {"results": 1}}, "expect.results: unknown key"),
    ("muranopl", {"call": {"method": "m", "via": "cli"}}, "call.via"),
    ("muranopl", {"call": {"name": "m"}}, "call.method: missing"),
    ("packages", {"id": "two"}, "is not the name of the folder"),
    ("packages", {"input": "file"}, "input_path"),
    ("packages", {"zip_prefix": "a/"}, "need zip"),
    ("packages", {"options": {"colour": True}}, "options.colour: unknown key"),
    (
        "packages",
        {"expect": [{"code": "E001", "severity": "error", "file": "a", "column": 1}]},
        "expect[0].column",
    ),
    ("inmanta", {"expect": {"error": {"kind": "unset", "text": "x"}}}, "expect.error.text: unknown key"),
    ("inmanta", {"also": [{"variables": {}}]}, "also[0].variables: unknown key"),
    ("ccp", {"components": {}}, "exactly one of tree, components"),
    ("ccp", {"expect": {"objects": [{"kind": "Service", "name": "a"}]}}, "objects[0].apiVersion: missing"),
    ("ccp", {"op": "apply"}, "op: one of render, deps, files"),
    ("eval", {"value": 1}, "exactly one of expr, value"),
    ("eval", {"fixture": "nowhere"}, "there is none called 'nowhere'"),
    ("eval", {"expect": {"error": {"kind": "oops"}}}, "expect.error.kind"),
    ("eval", {"tree": {"name": "a", "children": [{"title": "b"}]}}, "tree.children[0].title: unknown key"),
]


@pytest.mark.parametrize(
    "language, changes, problem", BAD, ids=[f"{one[0]}-{index}" for index, one in enumerate(BAD)]
)
def test_malformed_case_fails(language: str, changes: dict[str, Any], problem: str, tmp_path: Path) -> None:
    (case,) = load(language, (_write(tmp_path, language, changes),))
    verdict = judge(case)
    assert not verdict.passed
    assert problem in "\n".join(verdict.differences)


def test_key_given_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cases.yaml").write_text("- {id: a, expr: '1', expr: '2', expect: {result: 1}}\n")
    with pytest.raises(CaseFileError, match="key 'expr' twice"):
        load("yaql", (tmp_path,))


def test_folder_of_the_language_or_the_one_above(tmp_path: Path) -> None:
    _write(tmp_path, "yaql", {})
    assert [case.id for case in load("yaql", (tmp_path,))] == [
        case.id for case in load("yaql", (tmp_path / "yaql",))
    ]


def test_fixture_keys_are_replaced_whole(tmp_path: Path) -> None:
    (tmp_path / "fixtures.yaml").write_text("f: {tree: {name: a}, inputs: {x: 1}, at: a}\n")
    (tmp_path / "cases.yaml").write_text(
        "- {id: c, fixture: f, inputs: {y: 2}, expr: q, expect: {value: 1}}\n"
    )
    (case,) = load("eval", (tmp_path,))
    assert isinstance(case, EvalCase)
    assert (case.tree, case.inputs, case.at) == ({"name": "a"}, {"y": 2}, "a")
