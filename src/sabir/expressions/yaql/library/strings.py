"""YAQL functions of strings. The size of a result is checked before it is built."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sabir.expressions.yaql.errors import YaqlRuntimeError
from sabir.expressions.yaql.functions import Library
from sabir.expressions.yaql.kinds import BOOL, INT, ITERABLE, MAPPING, NULL, NUMBER, STRING
from sabir.expressions.yaql.limits import YaqlLimits
from sabir.expressions.yaql.values import text_of

FUNCTIONS = Library()
FUNCTIONS.add_ordering(STRING)

_FLAG = BOOL | NULL


@FUNCTIONS.operator("+", STRING, STRING)
def concat_strings(limits: YaqlLimits, left: str, right: str) -> str:
    """Concatenate two strings and charge the result to the limits."""
    result: str = limits.charge_value(left + right)
    return result


@FUNCTIONS.operator("*", STRING, INT)
def repeat_string(limits: YaqlLimits, left: str, right: int) -> str:
    """Repeat a string; the size of the result is checked first."""
    limits.check_sizes((1 - right, ""), (right, left))
    return left * right


@FUNCTIONS.operator("*", INT, STRING)
def by_times(limits: YaqlLimits, left: int, right: str) -> str:
    """Repeat a string, with the factor on the left."""
    return repeat_string(limits, right, left)


@FUNCTIONS.operator("in", STRING, STRING)
def is_in(left: str, right: str) -> bool:
    """Return whether the left string is a part of the right one."""
    return left in right


@FUNCTIONS.function("concat", STRING)
def concat(*args: str) -> str:
    """Concatenate any number of strings."""
    return "".join(args)


@FUNCTIONS.method("toUpper", STRING)
def to_upper(string: str) -> str:
    return string.upper()


@FUNCTIONS.method("toLower", STRING)
def to_lower(string: str) -> str:
    return string.lower()


@FUNCTIONS.extension("len", STRING)
def string_length(string: str) -> int:
    return len(string)


@FUNCTIONS.method("split", STRING, STRING | NULL, INT)
def split(string: str, separator: str | None = None, max_splits: int = -1) -> list[str]:
    """Split at a separator, or at whitespace if it is null.

    A negative `max_splits` means everywhere.
    """
    return string.split(separator, max_splits)


@FUNCTIONS.method("rightSplit", STRING, STRING | NULL, INT)
def right_split(string: str, separator: str | None = None, max_splits: int = -1) -> list[str]:
    """Split from the right, as `split` does from the left."""
    return string.rsplit(separator, max_splits)


@FUNCTIONS.method("join", ITERABLE, STRING)
def join(limits: YaqlLimits, sequence: Iterable[Any], separator: str) -> str:
    """Join the items, converted to strings, with a separator.

    Raise if the result exceeds the quota.
    """
    size, parts = 0, []
    for item in sequence:
        part = text_of(item, limits)
        size += len(part) + len(separator)
        if size > limits.quota:
            raise limits.too_big()
        parts.append(part)
    return separator.join(parts)


@FUNCTIONS.method("join", STRING, ITERABLE)
def join_with(limits: YaqlLimits, separator: str, sequence: Iterable[Any]) -> str:
    """Join the items, with the separator as receiver."""
    return join(limits, sequence, separator)


@FUNCTIONS.function("str")
def to_string(limits: YaqlLimits, value: Any) -> str:
    """Convert a value to a string as YAQL writes it: null, true and false in lower case."""
    return text_of(value, limits)


@FUNCTIONS.method("trim", STRING, STRING | NULL)
def trim(string: str, chars: str | None = None) -> str:
    """Remove characters from both ends; whitespace if `chars` is null."""
    return string.strip(chars)


@FUNCTIONS.method("trimLeft", STRING, STRING | NULL)
def trim_left(string: str, chars: str | None = None) -> str:
    """Remove characters from the start; whitespace if `chars` is null."""
    return string.lstrip(chars)


@FUNCTIONS.method("trimRight", STRING, STRING | NULL)
def trim_right(string: str, chars: str | None = None) -> str:
    """Remove characters from the end; whitespace if `chars` is null."""
    return string.rstrip(chars)


@FUNCTIONS.extension("norm", STRING | NULL, STRING | NULL)
def norm(string: str | None, chars: str | None = None) -> str | None:
    """Return the trimmed string, or null if nothing is left."""
    return None if string is None else string.strip(chars) or None


@FUNCTIONS.extension("isEmpty", STRING | NULL, BOOL, STRING | NULL)
def is_empty(string: str | None, trim: bool = True, chars: str | None = None) -> bool:  # noqa: FBT001, FBT002
    """Return whether the string is null or empty, by default after trimming."""
    if string is None:
        return True
    return not (string.strip(chars) if trim else string)


@FUNCTIONS.method("replace", STRING, STRING, STRING, INT)
def replace(limits: YaqlLimits, string: str, old: str, new: str, count: int = -1) -> str:
    """Replace up to `count` occurrences; a negative count means all."""
    times = string.count(old)
    limits.check_sizes((1, string), (times if count < 0 else min(times, count), new))
    return string.replace(old, new, count)


@FUNCTIONS.method("replace", STRING, MAPPING, INT)
def replace_all(limits: YaqlLimits, string: str, replacements: Mapping[Any, Any], count: int = -1) -> str:
    """Replace the keys of a dictionary by its values, one after the other."""
    for old, new in replacements.items():
        string = replace(limits, string, text_of(old, limits), text_of(new, limits), count)
    return string


@FUNCTIONS.method("substring", STRING, INT, INT)
def substring(string: str, start: int, length: int = -1) -> str:
    """Return a part of a string.

    A negative start counts from the end, a negative length means the rest.
    """
    if length < 0:
        length = len(string)
    if start < 0:
        start += len(string)
    return string[start : start + length]


@FUNCTIONS.method("indexOf", STRING, STRING, INT)
def index_of(string: str, sub: str, start: int = 0) -> int:
    """Return the first position of a part from `start` on, or -1."""
    return string.find(sub, start)


@FUNCTIONS.method("indexOf", STRING, STRING, INT, INT)
def index_within(string: str, sub: str, start: int, length: int) -> int:
    """Return the first position of a part within a range, or -1."""
    start, end = _slice_bounds(string, start, length)
    return string.find(sub, start, end)


@FUNCTIONS.method("lastIndexOf", STRING, STRING, INT)
def last_index_of(string: str, sub: str, start: int = 0) -> int:
    """Return the last position of a part from `start` on, or -1."""
    return string.rfind(sub, start)


@FUNCTIONS.method("lastIndexOf", STRING, STRING, INT, INT)
def last_index_within(string: str, sub: str, start: int, length: int) -> int:
    """Return the last position of a part within a range, or -1."""
    start, end = _slice_bounds(string, start, length)
    return string.rfind(sub, start, end)


def _slice_bounds(string: str, start: int, length: int) -> tuple[int, int]:
    if start < 0:
        start += len(string)
    if length < 0:
        length = len(string) - start
    return start, start + length


@FUNCTIONS.method("toCharArray", STRING)
def to_char_array(string: str) -> list[str]:
    """Return the characters as a list of strings."""
    return list(string)


@FUNCTIONS.function("characters", *(_FLAG,) * 12)
def characters(
    digits: bool = False,  # noqa: FBT001, FBT002 - parameters of YAQL, given by keyword there
    hexdigits: bool = False,  # noqa: FBT001, FBT002
    ascii_lowercase: bool = False,  # noqa: FBT001, FBT002
    ascii_uppercase: bool = False,  # noqa: FBT001, FBT002
    ascii_letters: bool = False,  # noqa: FBT001, FBT002
    letters: bool = False,  # noqa: FBT001, FBT002
    octdigits: bool = False,  # noqa: FBT001, FBT002
    punctuation: bool = False,  # noqa: FBT001, FBT002
    printable: bool = False,  # noqa: FBT001, FBT002
    lowercase: bool = False,  # noqa: FBT001, FBT002
    uppercase: bool = False,  # noqa: FBT001, FBT002
    whitespace: bool = False,  # noqa: FBT001, FBT002
) -> list[str]:
    """Return the distinct characters of the chosen classes.

    Raises `YaqlRuntimeError` for the classes that depend on the locale, which YAQL 3 does not support on Python 3.
    """
    import string as characters_of

    if letters or lowercase or uppercase:
        raise YaqlRuntimeError(
            "`letters`, `lowercase` and `uppercase` depend on the locale; use the `ascii…` ones"
        )
    wanted = {
        characters_of.digits: digits,
        characters_of.hexdigits: hexdigits,
        characters_of.ascii_lowercase: ascii_lowercase,
        characters_of.ascii_uppercase: ascii_uppercase,
        characters_of.ascii_letters: ascii_letters,
        characters_of.octdigits: octdigits,
        characters_of.punctuation: punctuation,
        characters_of.printable: printable,
        characters_of.whitespace: whitespace,
    }
    return list(dict.fromkeys("".join(chars for chars, chosen in wanted.items() if chosen)))


@FUNCTIONS.function("isString")
def is_string(arg: Any) -> bool:
    return isinstance(arg, str)


@FUNCTIONS.method("startsWith", STRING, STRING)
def starts_with(string: str, *prefixes: str) -> bool:
    """Return whether the string starts with any of the prefixes."""
    return string.startswith(prefixes)


@FUNCTIONS.method("endsWith", STRING, STRING)
def ends_with(string: str, *suffixes: str) -> bool:
    """Return whether the string ends with any of the suffixes."""
    return string.endswith(suffixes)


@FUNCTIONS.function("hex", NUMBER | NULL)
def to_hex(num: int) -> str:
    """Return the number in hexadecimal, with the prefix `0x`."""
    return hex(num)
