"""Getters of arguments: checked, converted, or left for later."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.expressions.yaql.compile.arguments import (
    Mismatch,
    accepts_value,
    constant_getter,
    eager_getter,
    find_converter,
    get_variables,
    lambda_getter,
    lazy_rule,
    receiver_getter,
)
from sabir.expressions.yaql.functions import MISSING, YaqlParameter
from sabir.expressions.yaql.kinds import ANY, INT, ITERABLE, MAPPING, NULL, STRING
from sabir.expressions.yaql.limits import Options, YaqlLimits

LIMITS = YaqlLimits(Options())


def parameter(kind: Any) -> YaqlParameter:
    return YaqlParameter("value", kind, MISSING)


@pytest.mark.parametrize(
    ("kind", "value", "is_accepted"),
    [
        (INT, 1, True),
        (INT, "1", False),
        (INT | NULL, None, True),
        (STRING, "a", True),
        (ITERABLE, [1], True),
        (MAPPING, {}, True),
        (tuple, (1, 2), True),
        (tuple, [1, 2], False),
    ],
)
def test_accepts(kind: Any, value: object, is_accepted: bool) -> None:  # a column of the table
    assert accepts_value(kind, value) is is_accepted


def test_only_what_is_gone_through_is_converted() -> None:
    assert find_converter(parameter(ITERABLE), LIMITS) is not None
    assert find_converter(parameter(ITERABLE | MAPPING), LIMITS) is not None
    assert find_converter(parameter(INT), LIMITS) is None
    assert find_converter(parameter(tuple), LIMITS) is None


def test_getters() -> None:
    scope = {"x": 3}
    assert constant_getter(5)(None, scope) == 5
    assert get_variables(None, scope) is scope
    assert receiver_getter(parameter(ANY), LIMITS)("r", scope) == "r"
    assert eager_getter(lambda found: found["x"], parameter(INT), LIMITS)(None, scope) == 3
    assert lambda_getter(lambda found: found["$"] + found["x"], LIMITS)(None, scope)(4) == 7
    rule = lazy_rule(lambda found: found["x"], lambda found: found["$"], LIMITS)(None, scope)
    assert (rule.source(), rule.target(9)) == (3, 9)


@pytest.mark.parametrize(
    "getter",
    [receiver_getter(parameter(INT), LIMITS), eager_getter(lambda _found: "a", parameter(INT), LIMITS)],
)
def test_a_mismatch_says_what_was_wanted(getter: Any) -> None:
    with pytest.raises(Mismatch) as failure:
        getter("a", {})
    assert failure.value.reason.startswith("`value` is a string, wanted is")
