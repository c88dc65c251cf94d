"""How tables of expressions are checked: what an expression gives, and what it says, of which part, when it gives nothing."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.expressions.yaql import Engine, YaqlRuntimeError

__all__ = ["gives", "says"]

ENGINE = Engine()


def gives(expression: str, value: Any, data: Any = None) -> None:
    result = ENGINE.evaluate(expression, data)
    assert (result, type(result)) == (value, type(value))


def says(expression: str, message: str, part: str, data: Any = None) -> None:
    """The expression fails with a message, and its error points to a part of its text."""
    with pytest.raises(YaqlRuntimeError) as caught:
        ENGINE.evaluate(expression, data)
    span = caught.value.span
    assert span is not None
    assert (caught.value.message, expression[span.start : span.end]) == (message, part)
