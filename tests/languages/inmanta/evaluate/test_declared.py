"""What a function declares, told as `inspect` tells it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from sabir.languages.inmanta.evaluate.plugins.signature import ABSENT, read_signature


def plain(a: int, b: "string", c=3, *, d, e: bool = True) -> "number":  # type: ignore[no-untyped-def,name-defined]  # noqa: F821, UP037
    return a, b, c, d, e


def gathering(first, /, *rest: int, **others: str):  # type: ignore[no-untyped-def]
    return first, rest, others


@functools.wraps(plain)
def wrapping(*args: Any, **named: Any) -> Any:
    return plain(*args, **named)


class Callee:
    def __call__(self, x: int, y: int = 2) -> int:
        return x + y


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "plain": plain,
    "gathering": gathering,
    "wrapping": wrapping,
    "nothing": lambda: None,
    "method": Callee().__call__,
    "object": Callee(),
    "partial": functools.partial(plain, 1, e=False),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_as_inspect_tells_it(function: Callable[..., Any]) -> None:
    signature = inspect.signature(function)
    gathered = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    every = signature.parameters.values()
    declared = read_signature(function)
    assert [(one.name, one.annotation, one.default, one.only_by_name) for one in declared.parameters] == [
        (
            one.name,
            ABSENT if one.annotation is one.empty else one.annotation,
            ABSENT if one.default is one.empty else one.default,
            one.kind is one.KEYWORD_ONLY,
        )
        for one in every
        if one.kind not in gathered
    ]
    collecting = {parameter.kind: parameter.name for parameter in every}
    assert (declared.variadic and declared.variadic.name) == collecting.get(inspect.Parameter.VAR_POSITIONAL)
    assert (declared.keywords and declared.keywords.name) == collecting.get(inspect.Parameter.VAR_KEYWORD)
    returned = signature.return_annotation
    assert declared.returned == (ABSENT if returned is signature.empty else returned)
