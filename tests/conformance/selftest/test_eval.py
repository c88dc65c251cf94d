from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.runner.eval import EvalCase, EvalError, EvalOutcome
from tests.conformance.runner.eval_compare import compare, judge
from tests.conformance.runner.eval_place import prepared_ensemble


def _case(*outcomes: dict[str, Any], **changes: Any) -> EvalCase:
    fields: dict[str, Any] = {
        "tree": None,
        "tosca": None,
        "inputs": {},
        "instances": {},
        "locals": {},
        "secrets": {},
        "vault_password": None,
        "files": {},
        "env": {},
        "at": None,
        "vars": {},
        "expression": "",
        "is_value": False,
    }
    return EvalCase(
        language="eval", id="c", file=Path("f"), raw={}, outcomes=outcomes, **{**fields, **changes}
    )


HIDDEN = EvalOutcome(value="pw", sensitive=True, redacted="<<REDACTED>>")
PASS: list[tuple[dict[str, Any], EvalOutcome]] = [
    ({"value": 1, "values": [1]}, EvalOutcome(value=1, values=[1])),
    ({"value": {"a": 1, "b": 2}}, EvalOutcome(value={"b": 2, "a": 1})),
    ({"value": None}, EvalOutcome(value=None)),
    ({"value": {"$status": "ok"}}, EvalOutcome(value=1)),
    ({"value": 1}, EvalOutcome(value={"$status": "ok"})),
    ({"value": [{"$state": "started"}]}, EvalOutcome(value=[7])),
    ({"value": {"$state": "error"}}, EvalOutcome(value=12)),
    ({"value": {"$bytes": "00ff"}}, EvalOutcome(value=b"\x00\xff")),
    ({"value": {"$instance": "a"}}, EvalOutcome(value={"$instance": "a"})),
    ({"error": {"kind": "syntax"}}, EvalOutcome(error=EvalError(kind="syntax"))),
    ({"error": {"kind": ["syntax", "template"]}}, EvalOutcome(error=EvalError(kind="template"))),
    ({"value": "pw", "sensitive": True, "redacted": "<<REDACTED>>"}, HIDDEN),
    ({"value": "pw"}, HIDDEN),
]
FAIL: list[tuple[dict[str, Any], EvalOutcome]] = [
    ({"value": 1, "values": [1]}, EvalOutcome(value=1)),
    ({"value": 1}, EvalOutcome(value=1.0)),
    ({"value": 1}, EvalOutcome(value=True)),
    ({"value": True}, EvalOutcome(value=1)),
    ({"value": None}, EvalOutcome()),
    ({"value": [1, 2]}, EvalOutcome(value=[2, 1])),
    ({"value": {"$status": "ok"}}, EvalOutcome(value=2)),
    ({"value": {"$status": "ok"}}, EvalOutcome(value=True)),
    ({"value": {"$instance": "a"}}, EvalOutcome(value={"$instance": "b"})),
    ({"value": {"$bytes": "00ff"}}, EvalOutcome(value="\x00\xff")),
    ({"error": {"kind": "syntax"}}, EvalOutcome(value=1)),
    ({"error": {"kind": "syntax"}}, EvalOutcome(error=EvalError(kind="template"))),
    ({"value": 1}, EvalOutcome(value=1, error=EvalError(kind="template"))),
    ({"value": "pw", "sensitive": True}, EvalOutcome(value="pw")),
    ({"value": "pw", "redacted": "<<REDACTED>>"}, EvalOutcome(value="pw", redacted="pw")),
]


@pytest.mark.parametrize("expected, outcome", PASS)
def test_passes(expected: dict[str, Any], outcome: EvalOutcome, tmp_path: Path) -> None:
    assert compare(_case(expected), outcome, tmp_path) == []


@pytest.mark.parametrize("expected, outcome", FAIL)
def test_fails(expected: dict[str, Any], outcome: EvalOutcome, tmp_path: Path) -> None:
    assert compare(_case(expected), outcome, tmp_path)


def test_all_keys_of_one_outcome(tmp_path: Path) -> None:
    case = _case({"value": 1, "values": [1]}, {"value": 2, "values": [2]})
    assert compare(case, EvalOutcome(value=2, values=[2]), tmp_path) == []
    assert compare(case, EvalOutcome(value=1, values=[2]), tmp_path)


RULES: list[tuple[Any, bool]] = [
    ("hello\n", True),
    ("hello", False),
    ({"$bytes": "68656c6c6f0a"}, True),
    ({"$bytes": "68"}, False),
    ({"$prefix": "hel"}, True),
    ({"$prefix": "ello"}, False),
    ({"$dir": True}, False),
    (None, False),
]


@pytest.mark.parametrize("rule, fits", RULES)
def test_files(rule: Any, fits: bool, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello\n")
    assert (compare(_case({"files": {"a.txt": rule}}), EvalOutcome(), tmp_path) == []) == fits


def test_folders_and_absent_files(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    assert compare(_case({"files": {"d": {"$dir": True}, "e": None}}), EvalOutcome(), tmp_path) == []
    assert compare(_case({"files": {"e": {"$dir": True}}}), EvalOutcome(), tmp_path)
    assert compare(_case({"files": {"e": "text"}}), EvalOutcome(), tmp_path)


def test_place_of_a_case() -> None:
    seen: dict[str, Any] = {}

    def adapter(case: EvalCase, folder: Path) -> EvalOutcome:
        seen.update(
            case=case,
            folder=folder,
            here=Path.cwd(),
            env=dict(os.environ),
            content=(folder / "b.bin").read_bytes(),
        )
        return EvalOutcome(value=f"{folder}/x", values=[str(folder.parent)])

    case = _case(
        {"value": "<DIR>/x", "values": ["<PROJECT>"]},
        files={"b.bin": {"$bytes": "00ff"}},
        env={"SABIR_T": "<DIR>/home"},
        expression={"eval": "<DIR>"},
    )
    before = dict(os.environ)
    assert judge(case, adapter).passed
    assert seen["here"] == seen["folder"]
    assert seen["env"]["SABIR_T"] == f"{seen['folder']}/home"
    assert seen["env"]["UNFURL_HOME"] == ""
    assert seen["case"].expression == {"eval": str(seen["folder"])}
    assert seen["content"] == b"\x00\xff"
    assert dict(os.environ) == before


def test_environment_without_the_name_that_is_never_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SABIR_NONE", "1")
    with prepared_ensemble({}, {}):
        assert "SABIR_NONE" not in os.environ
    assert os.environ["SABIR_NONE"] == "1"
