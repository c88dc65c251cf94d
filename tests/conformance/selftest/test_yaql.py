from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest

from tests.conformance.runner.yaql import YaqlCase, YaqlError, YaqlOutcome
from tests.conformance.runner.yaql_compare import compare


def _case(expect: dict[str, Any], *, unordered: bool = False) -> YaqlCase:
    return YaqlCase(
        language="yaql",
        id="c",
        file=Path("f"),
        raw={},
        expression="",
        data=None,
        unordered=unordered,
        expect=expect,
    )


SAME: list[tuple[Any, Any]] = [
    (1, 1.0),
    (None, None),
    ("a", "a"),
    ([1, [2]], [1.0, [2]]),
    ({"a": 1}, {"a": 1.0}),
    ({1: "x"}, {1.0: "x"}),
    (float("nan"), float("nan")),
]
DIFFERENT: list[tuple[Any, Any]] = [
    (1, True),
    (0, False),
    (True, 1),
    (1, "1"),
    (None, False),
    ([1, 2], [2, 1]),
    ([1], [1, 1]),
    ([1], (1,)),
    ({"a": 1}, {"a": 1, "b": 2}),
    ({"a": 1}, {}),
    ({1: "x"}, {True: "x"}),
    ({"1": "x"}, {1: "x"}),
]


@pytest.mark.parametrize("expected, actual", SAME)
def test_same(expected: Any, actual: Any) -> None:
    assert compare(_case({"result": expected}), YaqlOutcome(result=actual)) == []


@pytest.mark.parametrize("expected, actual", DIFFERENT)
def test_different(expected: Any, actual: Any) -> None:
    assert compare(_case({"result": expected}), YaqlOutcome(result=actual))


def test_unordered_is_about_the_outer_list_only() -> None:
    case = _case({"result": [1, [2, 3], 1]}, unordered=True)
    assert compare(case, YaqlOutcome(result=[[2, 3], 1, 1.0])) == []
    assert compare(case, YaqlOutcome(result=[[3, 2], 1, 1]))
    assert compare(case, YaqlOutcome(result=[[2, 3], 1]))
    assert compare(case, YaqlOutcome(result=[[2, 3], 1, 1, 1]))


KINDS: tuple[Literal["parse", "eval"], ...] = ("parse", "eval")


@pytest.mark.parametrize("kind", KINDS)
def test_error_kind(kind: Literal["parse", "eval"]) -> None:
    case = _case({"error": {"kind": "eval", "peerKind": "X"}})
    assert (compare(case, YaqlOutcome(error=YaqlError(kind=kind))) == []) == (kind == "eval")


def test_error_against_result() -> None:
    assert compare(_case({"error": {"kind": "eval"}}), YaqlOutcome(result=1))
    assert compare(_case({"result": None}), YaqlOutcome(error=YaqlError(kind="eval")))
