"""`While`, `For` and `Repeat`. Every round counts towards the limit of the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from sabir.expressions.yaql import Variables
from sabir.expressions.yaql.scope import Closure
from sabir.languages.muranopl.evaluate.signals import BREAK, RETURN, Signal
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError, shown

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.limits import Meter

__all__ = ["run_for", "run_repeat", "run_while", "whole_number"]

_ROUND: Final = "*"
"""Where the number of a round is put that nobody asks for; no variable can have this name."""
Run = Callable[[Variables], Signal | None]


def run_while(condition: Closure, body: Run, meter: Meter) -> Run:
    return _run_over(lambda variables: _rounds(condition, variables), _ROUND, body, meter)


def run_for(name: str, collection: Closure, body: Run, meter: Meter) -> Run:
    return _run_over(lambda variables: _items(collection(variables)), name, body, meter)


def run_repeat(count: Closure, body: Run, meter: Meter) -> Run:
    return _run_over(lambda variables: range(whole_number(count(variables), "Repeat")), _ROUND, body, meter)


def _run_over(items: Closure, name: str, body: Run, meter: Meter) -> Run:
    def run(variables: Variables) -> Signal | None:
        for item in items(variables):
            variables[name] = item
            meter.left -= 1
            if meter.left < meter.until_clock:
                meter.refill()
            signal = body(variables)
            if signal is not None:
                if signal is BREAK:
                    return None
                if signal is RETURN:
                    return signal
        return None

    return run


def _rounds(condition: Closure, variables: Variables) -> Iterator[None]:
    """One item for each time that the condition holds; it is asked again after the body has run."""
    while condition(variables):
        yield None


def _items(value: Any) -> Any:
    if isinstance(value, list | tuple | set | frozenset | dict | str):  # of a text its characters
        return value
    raise MuranoError(UNUSABLE_VALUE, f"'For' needs a collection to go through, not {shown(value)}")


def whole_number(value: Any, keyword: str) -> int:
    if isinstance(value, int):  # a boolean is 0 or 1, as in the existing engine
        return int(value)
    raise MuranoError(UNUSABLE_VALUE, f"{keyword!r} needs an integer, not {shown(value)}")
