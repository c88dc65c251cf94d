"""Choosing between cases; nothing is evaluated that is not needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sabir.expressions.yaql.functions import LAMBDA, LAZY_RULE, Library
from sabir.expressions.yaql.kinds import INT
from sabir.expressions.yaql.scope import Lambda, Rule

FUNCTIONS = Library()


@FUNCTIONS.function("switch", LAZY_RULE, rules=True)
def switch(*args: Rule) -> Any:
    for case in args:
        if case.source():
            return case.target()
    return None


@FUNCTIONS.function("selectCase", LAMBDA)
def select_case(*args: Lambda) -> int:
    for index, condition in enumerate(args):
        if condition():
            return index
    return len(args)


@FUNCTIONS.function("selectAllCases", LAMBDA)
def select_all_cases(*args: Lambda) -> Iterator[int]:
    for index, condition in enumerate(args):
        if condition():
            yield index


@FUNCTIONS.function("examine", LAMBDA)
def examine(*args: Lambda) -> Iterator[bool]:
    for condition in args:
        yield bool(condition())


@FUNCTIONS.method("switchCase", INT, LAMBDA)
def switch_case(case: int, *args: Lambda) -> Any:
    if not args:
        return None
    return args[case]() if 0 <= case < len(args) else args[-1]()


@FUNCTIONS.function("coalesce", LAMBDA)
def coalesce(*args: Lambda) -> Any:
    for choice in args:
        value = choice()
        if value is not None:
            return value
    return None
