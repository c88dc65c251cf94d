"""Timespans. The module `datetime` is loaded when the first of them is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabir.expressions.yaql.functions import Library
from sabir.expressions.yaql.kinds import INT, INTEGER, KINDS, NUMBER, TIMESPAN

if TYPE_CHECKING:
    from datetime import timedelta

FUNCTIONS = Library()
FUNCTIONS.ordered(TIMESPAN)


@FUNCTIONS.function("timespan", INT, INT, INT, INTEGER, INTEGER, INTEGER)
def build_timespan(
    days: int = 0,
    hours: int = 0,
    minutes: int = 0,
    seconds: int = 0,
    milliseconds: int = 0,
    microseconds: int = 0,
) -> timedelta:
    from datetime import timedelta

    return timedelta(days, seconds, microseconds, milliseconds, minutes, hours)


@FUNCTIONS.property("microseconds", TIMESPAN)
def microseconds(span: timedelta) -> int:
    return 86_400_000_000 * span.days + 1_000_000 * span.seconds + span.microseconds


for _unit, _length in (
    ("milliseconds", 1e3),
    ("seconds", 1e6),
    ("minutes", 60e6),
    ("hours", 3_600e6),
    ("days", 86_400e6),
):

    @FUNCTIONS.property(_unit, TIMESPAN)
    def total(span: timedelta, *, length: float = _length) -> float:
        return microseconds(span) / length


@FUNCTIONS.operator("+", TIMESPAN, TIMESPAN)
def timespan_plus_timespan(ts1: timedelta, ts2: timedelta) -> timedelta:
    return ts1 + ts2


@FUNCTIONS.operator("-", TIMESPAN, TIMESPAN)
def timespan_minus_timespan(ts1: timedelta, ts2: timedelta) -> timedelta:
    return ts1 - ts2


@FUNCTIONS.operator("*", TIMESPAN, NUMBER)
def timespan_by_number(ts: timedelta, n: int | float) -> timedelta:
    from datetime import timedelta

    return timedelta(microseconds=microseconds(ts) * n)


@FUNCTIONS.operator("*", NUMBER, TIMESPAN)
def number_by_timespan(n: int | float, ts: timedelta) -> timedelta:
    return timespan_by_number(ts, n)


@FUNCTIONS.operator("/", TIMESPAN, TIMESPAN)
def timespan_by_timespan(ts1: timedelta, ts2: timedelta) -> float:
    return float(microseconds(ts1)) / microseconds(ts2)


@FUNCTIONS.operator("/", TIMESPAN, NUMBER)
def timespan_divided(ts: timedelta, n: int | float) -> timedelta:
    from datetime import timedelta

    return timedelta(microseconds=microseconds(ts) / n)


@FUNCTIONS.prefix("-", TIMESPAN)
def negative_timespan(ts: timedelta) -> timedelta:
    return -ts


@FUNCTIONS.prefix("+", TIMESPAN)
def positive_timespan(ts: timedelta) -> timedelta:
    return ts


@FUNCTIONS.function("isTimespan")
def is_timespan(value: Any) -> bool:
    return KINDS[type(value)] == TIMESPAN
