"""Functions that wait, run side by side, stop, or write down what happens."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from sabir.expressions.yaql import LAMBDA, Lambda, Variables
from sabir.expressions.yaql.kinds import INT, ITERABLE, NULL, NUMBER, STRING
from sabir.languages.muranopl.evaluate.functions.naming import runtime_of
from sabir.languages.muranopl.evaluate.functions.registry import MURANO
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError

__all__: list[str] = []

_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"  # 32 signs, so that every byte gives one without a bias


@MURANO.function("sleep", NUMBER)
def sleep(variables: Variables, seconds: float) -> None:
    runtime_of(variables).sleep(seconds)


@MURANO.extension("pselect", ITERABLE, LAMBDA, INT | NULL)
def pselect(variables: Variables, collection: Iterable[Any], func: Lambda, limit: Any = None) -> list[Any]:
    """`select` with the items side by side; the order is kept."""
    runtime = runtime_of(variables)
    finalize = runtime.engine_for("1.4", ()).finalize

    def task(item: Any) -> Callable[[], Any]:
        function = func.fresh()
        return lambda: finalize(function(item))

    result: list[Any] = runtime.scheduler.run_all([task(item) for item in collection], limit)
    return result


@MURANO.extension("require")
def require(value: Any) -> Any:
    """The value, unless it is null."""
    if value is None:
        raise MuranoError(UNUSABLE_VALUE, "a required value is missing")
    return value


@MURANO.function("randomName")
def random_name() -> str:
    """A short name that is not used twice; begins with a letter, as host names must."""
    first, *others = os.urandom(15)
    return _ALPHABET[first % 16] + "".join(_ALPHABET[digit % 32] for digit in others)


@MURANO.function("logger", STRING)
def logger(variables: Variables, logger_name: str) -> Any:
    runtime = runtime_of(variables)
    cls = runtime.core_class("io.murano.system.Logger")
    return runtime.loader.instantiate({cls: {"name": logger_name}}, None, None)
