"""A small tree to call functions on, and how tables of calls are checked."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.diagnostics.rules import Rule
from sabir.expressions.query import Project, QueryError, Session, Status, evaluate
from sabir.session import Session as WorkSession
from sabir.session import Trust
from tests.expressions.query.plain import PlainResource

__all__ = ["box", "gives", "says"]


def box(trust: Trust | None = None, **settings: Any) -> PlainResource:
    """A box with a lid, in a session with inputs, local values and a variable of the environment."""
    inputs = {"zone": "north", "sizes": {"small": [1, 2]}, "none": None}
    session = Session(
        project=Project(locals={"port": 80, "ports": [{"eval": "::box::a"}]}, secrets={"key": "hush"}),
        work=WorkSession(environment={"HOME": "/h", "EMPTY": ""}, trust=trust or Trust(env=True)),
        input=lambda name: inputs.get(name, Session().input(name)),
        input_names=lambda: tuple(inputs),
        **settings,
    )
    root = PlainResource("root", session=session)
    found = PlainResource(
        "box", {"a": 1, "l": [1, 2], "m": {"k": ["v"]}, "e": []}, parent=root, status=Status.ok
    )
    PlainResource("lid", {"a": 2, "host_only": "x"}, parent=found)
    return found


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
