"""YAQL cases on `sabir.expressions.yaql`."""

from __future__ import annotations

from sabir.expressions.yaql import Dialect, Engine, YaqlRuntimeError, YaqlSyntaxError
from tests.conformance.runner.yaql import YaqlCase, YaqlError, YaqlOutcome

__all__ = ["run"]


def run(case: YaqlCase) -> YaqlOutcome:
    try:
        return YaqlOutcome(result=Engine(dialect=Dialect.MURANO).evaluate(case.expression, case.data))
    except YaqlSyntaxError as error:
        return YaqlOutcome(error=YaqlError(kind="parse", message=str(error)))
    except YaqlRuntimeError as error:
        return YaqlOutcome(error=YaqlError(kind="eval", message=str(error)))
