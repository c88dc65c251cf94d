"""Dates and timespans."""

from __future__ import annotations

from typing import Any

import pytest

from tests.expressions.yaql.cases import gives, says

VALUES: list[tuple[str, Any]] = [
    ("datetime(2020, 1, 2).day", 2),
    ("datetime(2020, 1, 2, 3, 4, 5, 6).microsecond", 6),
    ("datetime(0).year", 1970),
    ("datetime(0).timestamp", 0.0),
    ("datetime('2020-01-02').month", 1),
    ("datetime('2020-01-02T03:04:05+02:00').offset.hours", 2.0),
    ("datetime('2 Jan 2020').year", 2020),
    ("datetime('01/02/2020').day", 2),
    ("datetime('02.01.2020 10:30').minute", 30),
    ("datetime('2020|03', '%Y|%m').month", 3),
    ("datetime(2020, 1, 1, offset => timespan(hours => 2)).offset.minutes", 120.0),
    ("timespan(days => 1, hours => 12).days", 1.5),
    ("timespan(minutes => 90).hours", 1.5),
    ("timespan(seconds => 90).minutes", 1.5),
    ("timespan(milliseconds => 1500).seconds", 1.5),
    ("timespan(microseconds => 1500).milliseconds", 1.5),
    ("timespan(seconds => 1).microseconds", 1000000),
    ("(datetime(2020, 1, 2) - datetime(2020, 1, 1)).days", 1.0),
    ("(datetime(2020, 1, 1) + timespan(days => 1)).day", 2),
    ("(timespan(days => 1) + datetime(2020, 1, 1)).day", 2),
    ("(datetime(2020, 1, 2) - timespan(days => 1)).day", 1),
    ("(timespan(hours => 1) + timespan(hours => 2)).hours", 3.0),
    ("(timespan(hours => 3) - timespan(hours => 1)).hours", 2.0),
    ("(timespan(hours => 1) * 2.5).hours", 2.5),
    ("(2 * timespan(hours => 1)).hours", 2.0),
    ("timespan(hours => 3) / timespan(hours => 2)", 1.5),
    ("(timespan(hours => 3) / 2).hours", 1.5),
    ("(-timespan(hours => 1)).hours", -1.0),
    ("(+timespan(hours => 1)).hours", 1.0),
    ("datetime(2020, 1, 1) < datetime(2020, 1, 2)", True),
    ("datetime(2020, 1, 1) <= datetime(2020, 1, 1)", True),
    ("datetime(2020, 1, 1) > datetime(2020, 1, 2)", False),
    ("datetime(2020, 1, 1) >= datetime(2020, 1, 2)", False),
    ("timespan(hours => 1) < timespan(hours => 2)", True),
    ("timespan(hours => 1) <= timespan(minutes => 60)", True),
    ("timespan(hours => 1) > timespan(hours => 2)", False),
    ("timespan(hours => 2) >= timespan(hours => 2)", True),
    ("datetime(2020, 1, 1).weekday", 2),
    ("datetime(2020, 1, 1, 5).date.hour", 0),
    ("datetime(2020, 1, 1, 5).time.hours", 5.0),
    ("datetime(2020, 1, 1, 5, offset => timespan(hours => 2)).utc.hour", 3),
    ("datetime(2020, 1, 1).replace(day => 5).day", 5),
    ("datetime(2020, 1, 1).replace(offset => timespan(hours => 1)).offset.hours", 1.0),
    ("datetime(2020, 1, 2).format('%d.%m.%y')", "02.01.20"),
    ("isDatetime(datetime(0))", True),
    ("isDatetime(1)", False),
    ("isTimespan(timespan())", True),
    ("utctz().hours", 0.0),
]

ERRORS = [
    (
        "datetime('nonsense')",
        "'nonsense' is not a date in a known form; give the form as second argument",
        "datetime('nonsense')",
    ),
    ("datetime(2020, 1, 1, offset => null)", "the offset is null", "datetime(2020, 1, 1, offset => null)"),
    (
        "datetime(1, 1, 1) - timespan(days => 2)",
        "value out of range",
        "datetime(1, 1, 1) - timespan(days => 2)",
    ),
    ("datetime(0).nosuch", "a date has no property `nosuch`", "nosuch"),
    ("timespan() / timespan()", "division by zero", "timespan() / timespan()"),
    ("datetime(0) + 1", "the operator `+` does not take a date and an integer", "datetime(0) + 1"),
]


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_values(expression: str, value: Any) -> None:
    gives(expression, value)


@pytest.mark.parametrize(("expression", "message", "part"), ERRORS)
def test_errors(expression: str, message: str, part: str) -> None:
    says(expression, message, part)
