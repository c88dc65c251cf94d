from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conformance.runner.muranopl import NO_RESULT, MuranoCase, MuranoError, MuranoOutcome
from tests.conformance.runner.muranopl_compare import compare
from tests.conformance.runner.muranopl_model import model_differences


def _case(*outcomes: dict[str, Any]) -> MuranoCase:
    return MuranoCase(
        language="muranopl",
        id="c",
        file=Path("f"),
        raw={},
        classes="",
        format="1.4",
        config={},
        model=None,
        previous=None,
        call=None,
        outcomes=outcomes,
    )


ERROR = MuranoError(
    kind="Thrown", phase="call", names=("conf.a",), message="m", extra={"x": 1}, text="[conf.Root.p] no"
)
RAISED = MuranoOutcome(error=ERROR, trace=(1,))
PASS: list[tuple[dict[str, Any], MuranoOutcome]] = [
    ({"result": 1}, MuranoOutcome(result=1.0)),
    ({"result": None}, MuranoOutcome(result=None)),
    ({"resultAtMost": 5}, MuranoOutcome(result=5)),
    ({"trace": [1, "a"]}, MuranoOutcome(result=7, trace=(1, "a"))),
    ({"error": {"kind": "any", "phase": "call"}, "trace": [1]}, RAISED),
    ({"error": {"kind": ["X", "Thrown"], "phase": ["load", "call"]}}, RAISED),
    (
        {
            "error": {
                "kind": "Thrown",
                "phase": "call",
                "names": ["conf.a"],
                "message": "m",
                "extra": {"x": 1},
            }
        },
        RAISED,
    ),
    ({"error": {"kind": "Thrown", "phase": "call", "textHas": ["[conf.Root.p]", "no"]}}, RAISED),
    ({}, MuranoOutcome()),
]
FAIL: list[tuple[dict[str, Any], MuranoOutcome]] = [
    ({"result": 1}, MuranoOutcome(result=True)),
    ({"result": None}, MuranoOutcome(result=NO_RESULT)),
    ({"result": 1}, RAISED),
    ({"resultAtMost": 5}, MuranoOutcome(result=6)),
    ({"resultAtMost": 5}, MuranoOutcome(result=True)),
    ({"trace": [1, "a"]}, MuranoOutcome(trace=("a", 1))),
    ({"trace": []}, MuranoOutcome(trace=(None,))),
    ({"error": {"kind": "any", "phase": "call"}}, MuranoOutcome(result=1)),
    ({"error": {"kind": "any", "phase": "load"}}, RAISED),
    ({"error": {"kind": "NoClassFound", "phase": "call"}}, RAISED),
    ({"error": {"kind": "Thrown", "phase": "call", "names": ["conf.b"]}}, RAISED),
    ({"error": {"kind": "Thrown", "phase": "call", "message": None}}, RAISED),
    ({"error": {"kind": "Thrown", "phase": "call", "extra": {}}}, RAISED),
    ({"error": {"kind": "Thrown", "phase": "call", "textHas": ["yes"]}}, RAISED),
    ({}, RAISED),
]


@pytest.mark.parametrize("expected, outcome", PASS)
def test_passes(expected: dict[str, Any], outcome: MuranoOutcome) -> None:
    assert compare(_case(expected), outcome) == []


@pytest.mark.parametrize("expected, outcome", FAIL)
def test_fails(expected: dict[str, Any], outcome: MuranoOutcome) -> None:
    assert compare(_case(expected), outcome)


def test_any_of_several_outcomes() -> None:
    case = _case({"result": 1}, {"error": {"kind": "any", "phase": "call"}})
    assert compare(case, MuranoOutcome(result=1)) == []
    assert compare(case, RAISED) == []
    assert compare(case, MuranoOutcome(result=2))


HEAD = {"?": {"id": "a", "type": "conf.Root"}}
SAME_MODEL: list[tuple[Any, Any]] = [
    ({"p": 1, **HEAD}, {"p": 1.0, "?": {"id": "a", "type": "conf.Root/0.0.0@conf.pkg", "name": "n"}}),
    ({"p": 1}, {"p": 1, "?": {"id": "zzz"}}),
    (
        {"?": {"_actions": ["a", "b"]}},
        {"?": {"_actions": {"x_b": {"name": "b", "enabled": True}, "x_a": {"name": "a"}}}},
    ),
    ({"?": {"_actions": ["a", "b"]}}, {"?": {"_actions": ["b", "a"]}}),
    ({"a": {"?": {"id": "<id-1>"}}, "b": ["<id-1>"]}, {"a": {"?": {"id": "77"}}, "b": ["77"]}),
    ({"a": "<id-1>", "b": "<id-2>"}, {"a": "7", "b": "7"}),
]
OTHER_MODEL: list[tuple[Any, Any]] = [
    ({"p": 1, **HEAD}, {"p": 1, "?": {"id": "b", "type": "conf.Root"}}),
    ({"p": 1, **HEAD}, {"p": 1, "?": {"id": "a", "type": "conf.Rootling"}}),
    ({"p": 1, **HEAD}, {"p": 1}),
    ({"p": 1}, {"p": 1, "q": None}),
    ({"p": 1}, {}),
    ({"p": [1, 2]}, {"p": [2, 1]}),
    ({"p": [1]}, {"p": [1, 1]}),
    ({"p": True}, {"p": 1}),
    ({"?": {"_actions": ["a"]}}, {"?": {"_actions": ["a", "b"]}}),
    ({"a": "<id-1>", "b": "<id-1>"}, {"a": "7", "b": "8"}),
    ({"a": "<id-1>"}, {"a": 7}),
    ({"a": {}}, None),
]


@pytest.mark.parametrize("expected, actual", SAME_MODEL)
def test_same_model(expected: Any, actual: Any) -> None:
    assert model_differences(expected, actual) == []


@pytest.mark.parametrize("expected, actual", OTHER_MODEL)
def test_other_model(expected: Any, actual: Any) -> None:
    assert model_differences(expected, actual)
