"""YAQL functions of dates and timespans.

The module `datetime` is imported when the first date or timespan is created, to keep start-up fast. Dates without a time zone
are taken as UTC.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabir.diagnostics.reasons import explain_error
from sabir.expressions.yaql.errors import YaqlRuntimeError
from sabir.expressions.yaql.functions import Library
from sabir.expressions.yaql.kinds import DATETIME, INT, INTEGER, KINDS, NULL, NUMBER, STRING, TIMESPAN

if TYPE_CHECKING:
    from datetime import datetime, timedelta, tzinfo

    from sabir.expressions.yaql.engine import Engine


FUNCTIONS = Library()

# Tried in order for a date that is not in ISO 8601, if the caller passes no format.
_FORMATS = (
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%Y/%m/%d",
    "%d %b %Y",
    "%d %B %Y",
    "%b %d %Y",
    "%B %d %Y",
    "%b %d, %Y",
    "%B %d, %Y",
    "%a, %d %b %Y",
    "%Y %b %d",
)
_TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p")
_ZONES = ("", " %z", "%z", " %Z")


def _build_zone(offset: timedelta | None) -> tzinfo | None:
    from datetime import UTC, timezone

    if offset is None:
        return None
    return timezone(offset, "") if offset else UTC


def _ensure_zone(moment: datetime) -> datetime:
    """Return the date with a time zone; one without is taken as UTC."""
    from datetime import UTC

    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


@FUNCTIONS.function("datetime", INT, INT, INT, INT, INT, INT, INT, TIMESPAN | NULL)
def build_datetime(
    year: int,
    month: int,
    day: int,
    hour: int = 0,
    minute: int = 0,
    second: int = 0,
    microsecond: int = 0,
    offset: Any = ...,
) -> datetime:
    """Build a date from its fields, in UTC unless an offset is set.

    Raises `ValueError` for an invalid one.
    """
    from datetime import datetime

    return datetime(year, month, day, hour, minute, second, microsecond, _read_zone(offset))


def _read_zone(offset: Any) -> tzinfo | None:
    from datetime import UTC

    if offset is ...:
        return UTC
    if offset is None:
        raise YaqlRuntimeError("the offset is null")
    return _build_zone(offset)


@FUNCTIONS.function("datetime", NUMBER, TIMESPAN | NULL)
def datetime_from_timestamp(timestamp: int | float, offset: Any = ...) -> datetime:
    """Build a date from seconds since 1970, in UTC unless an offset is set."""
    from datetime import datetime

    try:
        return datetime.fromtimestamp(timestamp, tz=_read_zone(offset))
    except OSError as problem:
        raise YaqlRuntimeError(f"{timestamp} is not a point in time: {explain_error(problem)}") from problem


@FUNCTIONS.function("datetime", STRING, STRING | NULL)
def datetime_from_string(string: str, format_: str | None = None) -> datetime:
    """Parse a date by a `strptime` format or, without one, in ISO 8601 or another usual format."""
    from sabir.expressions.vocabulary import read_moment

    return _ensure_zone(read_moment(string, format_) if format_ else _parse_datetime(string.strip()))


def _parse_datetime(text: str) -> datetime:
    from datetime import datetime

    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    for form in (day + time + zone for day in _FORMATS for time in _TIMES for zone in _ZONES):
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    raise YaqlRuntimeError(f"{text!r} is not a date in a known form; give the form as second argument")


@FUNCTIONS.function("now", TIMESPAN | NULL)
def now(engine: Engine, offset: Any = ...) -> datetime:
    """Return the current time of the engine's clock: in UTC, at an offset, or for null in local time."""
    from datetime import UTC

    moment = engine.clock()
    if offset is None:  # local time, which says nothing of its zone
        return moment.astimezone().replace(tzinfo=None)
    return moment.astimezone(UTC if offset is ... else _build_zone(offset))


@FUNCTIONS.function("localtz")
def localtz(engine: Engine) -> timedelta:
    """Return the offset of the local time zone."""
    from datetime import timedelta

    return engine.clock().astimezone().utcoffset() or timedelta()


@FUNCTIONS.function("utctz")
def utctz() -> timedelta:
    from datetime import timedelta

    return timedelta()


@FUNCTIONS.operator("+", DATETIME, TIMESPAN)
def datetime_plus_timespan(dt: datetime, ts: timedelta) -> datetime:
    return _ensure_zone(dt) + ts


@FUNCTIONS.operator("+", TIMESPAN, DATETIME)
def timespan_plus_datetime(ts: timedelta, dt: datetime) -> datetime:
    return _ensure_zone(dt) + ts


@FUNCTIONS.operator("-", DATETIME, TIMESPAN)
def datetime_minus_timespan(dt: datetime, ts: timedelta) -> datetime:
    return _ensure_zone(dt) - ts


@FUNCTIONS.operator("-", DATETIME, DATETIME)
def datetime_minus_datetime(dt1: datetime, dt2: datetime) -> timedelta:
    """Return the timespan between two dates, whatever their time zones."""
    return _ensure_zone(dt1) - _ensure_zone(dt2)


@FUNCTIONS.operator("<", DATETIME, DATETIME)
def is_before(dt1: datetime, dt2: datetime) -> bool:
    """Compare two dates as points in time."""
    return _ensure_zone(dt1) < _ensure_zone(dt2)


@FUNCTIONS.operator("<=", DATETIME, DATETIME)
def is_not_after(dt1: datetime, dt2: datetime) -> bool:
    return _ensure_zone(dt1) <= _ensure_zone(dt2)


@FUNCTIONS.operator(">", DATETIME, DATETIME)
def is_after(dt1: datetime, dt2: datetime) -> bool:
    return _ensure_zone(dt1) > _ensure_zone(dt2)


@FUNCTIONS.operator(">=", DATETIME, DATETIME)
def is_not_before(dt1: datetime, dt2: datetime) -> bool:
    return _ensure_zone(dt1) >= _ensure_zone(dt2)


for _field in ("year", "month", "day", "hour", "minute", "second", "microsecond"):

    @FUNCTIONS.property(_field, DATETIME)
    def part(dt: datetime, *, field: str = _field) -> int:
        value: int = getattr(dt, field)
        return value


@FUNCTIONS.property("weekday", DATETIME)
def weekday(dt: datetime) -> int:
    """Return the day of the week; Monday is 0."""
    return dt.weekday()


@FUNCTIONS.property("date", DATETIME)
def date(dt: datetime) -> datetime:
    """Return midnight of the date, in the same time zone."""
    return _ensure_zone(dt).replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


@FUNCTIONS.property("time", DATETIME)
def time_(dt: datetime) -> timedelta:
    """Return the time since midnight as a timespan."""
    return _ensure_zone(dt) - date(dt)


@FUNCTIONS.property("utc", DATETIME)
def utc(dt: datetime) -> datetime:
    """Return the date with the wall-clock time of UTC. The offset is unchanged, as in YAQL 3."""
    return _ensure_zone(dt) - offset(dt)


@FUNCTIONS.property("offset", DATETIME)
def offset(dt: datetime) -> timedelta:
    """Return the offset from UTC; zero for a date without a time zone."""
    from datetime import timedelta

    return dt.utcoffset() or timedelta()


@FUNCTIONS.property("timestamp", DATETIME)
def timestamp(dt: datetime) -> float:
    """Return the seconds since 1970."""
    from datetime import UTC, datetime

    return (utc(dt) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()


@FUNCTIONS.method("replace", DATETIME, INT, INT, INT, INT, INT, INT, INT, TIMESPAN)
def replace_fields(
    dt: datetime,
    year: int | None = None,
    month: int | None = None,
    day: int | None = None,
    hour: int | None = None,
    minute: int | None = None,
    second: int | None = None,
    microsecond: int | None = None,
    offset: timedelta | None = None,
) -> datetime:
    """Return the date with the given fields replaced; null fields stay as they are."""
    parts = {"year": year, "month": month, "day": day, "hour": hour}
    parts |= {"minute": minute, "second": second, "microsecond": microsecond}
    changes: dict[str, Any] = {name: value for name, value in parts.items() if value is not None}
    if offset is not None:
        changes["tzinfo"] = _build_zone(offset)
    return _ensure_zone(dt).replace(**changes)


@FUNCTIONS.method("format", DATETIME, STRING)
def format_datetime(dt: datetime, format_: str) -> str:
    """Format the date with a `strftime` format."""
    return _ensure_zone(dt).strftime(format_)


@FUNCTIONS.function("isDatetime")
def is_datetime(value: Any) -> bool:
    return KINDS[type(value)] == DATETIME


FUNCTIONS.add_ordering(TIMESPAN)


@FUNCTIONS.function("timespan", INT, INT, INT, INTEGER, INTEGER, INTEGER)
def build_timespan(
    days: int = 0,
    hours: int = 0,
    minutes: int = 0,
    seconds: int = 0,
    milliseconds: int = 0,
    microseconds: int = 0,
) -> timedelta:
    """Build a timespan as the sum of its arguments."""
    from datetime import timedelta

    return timedelta(days, seconds, microseconds, milliseconds, minutes, hours)


@FUNCTIONS.property("microseconds", TIMESPAN)
def microseconds(span: timedelta) -> int:
    """Return the complete timespan in microseconds, as an integer."""
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
    """Multiply a timespan; the result is rounded to microseconds."""
    from datetime import timedelta

    return timedelta(microseconds=microseconds(ts) * n)


@FUNCTIONS.operator("*", NUMBER, TIMESPAN)
def number_by_timespan(n: int | float, ts: timedelta) -> timedelta:
    """Multiply a timespan, with the factor on the left."""
    return timespan_by_number(ts, n)


@FUNCTIONS.operator("/", TIMESPAN, TIMESPAN)
def timespan_by_timespan(ts1: timedelta, ts2: timedelta) -> float:
    """Divide two timespans and return the ratio."""
    return float(microseconds(ts1)) / microseconds(ts2)


@FUNCTIONS.operator("/", TIMESPAN, NUMBER)
def timespan_divided(ts: timedelta, n: int | float) -> timedelta:
    """Divide a timespan; the result is rounded to microseconds."""
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
