"""Tests of filters and tests of templates, made of tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from sabir.expressions.query import QueryError, map_value
from tests.expressions.query.plain import PlainResource

__all__ = ["errors_test", "values_test"]

BOX = PlainResource("box")


def values_test(table: Sequence[tuple[str, Any]]) -> Any:
    """Each expression has this value, of this type."""

    @pytest.mark.parametrize(("expression", "value"), table)
    def test_values(expression: str, value: Any) -> None:
        result = map_value(f"{{{{ {expression} }}}}", BOX)
        assert (result, type(result)) == (value, type(value))

    return test_values


def errors_test(table: Sequence[tuple[str, str]]) -> Any:
    """Each expression fails, and this is how the message ends."""

    @pytest.mark.parametrize(("expression", "message"), table)
    def test_errors(expression: str, message: str) -> None:
        with pytest.raises(QueryError) as caught:
            map_value(f"{{{{ {expression} }}}}", BOX)
        assert caught.value.finding.message.endswith(f": {message}")

    return test_errors
