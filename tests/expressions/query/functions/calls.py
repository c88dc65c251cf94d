"""A small tree to call functions on, and how tables of calls are checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from sabir.diagnostics.rules import Rule
from sabir.expressions.query import EnsembleProject, InstanceStatus, QueryError, QuerySession, evaluate
from sabir.session import Session as WorkSession
from sabir.session import Trust
from tests.expressions.query.plain import PlainResource

__all__ = ["box", "errors_test", "gives", "says", "values_test"]


def box(trust: Trust | None = None, **settings: Any) -> PlainResource:
    """A box with a lid, in a session with inputs, local values and a variable of the environment."""
    inputs = {"zone": "north", "sizes": {"small": [1, 2]}, "none": None}
    session = QuerySession(
        project=EnsembleProject(
            locals={"port": 80, "ports": [{"eval": "::box::a"}]}, secrets={"key": "hush"}
        ),
        work=WorkSession(environment={"HOME": "/h", "EMPTY": ""}, trust=trust or Trust(env=True)),
        input=lambda name: inputs.get(name, QuerySession().input(name)),
        input_names=lambda: tuple(inputs),
        **settings,
    )
    root = PlainResource("root", session=session)
    filled = PlainResource(
        "box", {"a": 1, "l": [1, 2], "m": {"k": ["v"]}, "e": []}, parent=root, status=InstanceStatus.ok
    )
    PlainResource("lid", {"a": 2, "host_only": "x"}, parent=filled)
    return filled


def gives(expression: Any, value: Any, start: PlainResource | None = None) -> None:
    result = evaluate(expression, start or box()).value
    assert (result, type(result)) == (value, type(value))


def says(
    expression: Any, rule: Rule, message: str, hint: str | None = None, *, trust: Trust | None = None
) -> None:
    with pytest.raises(QueryError) as caught:
        evaluate(expression, box(trust))
    finding = caught.value.finding
    assert (caught.value.rule.code, finding.message, finding.hint) == (rule.code, message, hint)


def values_test(table: Sequence[tuple[Any, Any]]) -> Any:
    """Each expression has this value, of this type."""

    @pytest.mark.parametrize(("expression", "value"), table, ids=str)
    def test_values(expression: Any, value: Any) -> None:
        gives(expression, value)

    return test_values


def errors_test(
    table: Sequence[tuple[Any, Rule, str, str | None]],
) -> Any:
    """Each expression fails by this rule, with this message and hint."""

    @pytest.mark.parametrize(("expression", "rule", "message", "hint"), table, ids=str)
    def test_errors(expression: Any, rule: Rule, message: str, hint: str | None) -> None:
        says(expression, rule, message, hint)

    return test_errors
