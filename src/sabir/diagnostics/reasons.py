"""What Python and libraries say when something cannot be done, in words for people who never see Python."""

from __future__ import annotations

import os
import re
from errno import errorcode
from functools import cache
from typing import Final

from msgspec import MsgspecError

from sabir.diagnostics.decoding import decoding_reason
from sabir.diagnostics.library_words import LIBRARY_WORDS

__all__ = ["reason_of", "said_by", "without_addresses"]

_KINDS: Final = {
    "int": "a number",
    "float": "a number",
    "complex": "a number",
    "str": "a text",
    "bytes": "bytes",
    "bool": "true or false",
    "NoneType": "null",
    "list": "a list",
    "tuple": "a list",
    "dict": "a map",
    "set": "a set",
    "frozenset": "a set",
}
_TOO_LARGE: Final = "the number is too large"
_NOT_FINITE: Final = "it is no finite number"
_WORDS: Final = (
    (r"(?:cannot use .* as a .*\()?unhashable type: '(\w+)'.*", "{0} can be no key of a map"),
    (r"argument of type '(\w+)' is not (?:iterable|a container or iterable)", "{0} has no items to look in"),
    (r"'(\w+)' object is not iterable", "{0} has no items"),
    (r"cannot unpack non-iterable (\w+) object", "{0} has no items"),
    (r"'(\w+)' object is not (?:subscriptable|a mapping)", "{0} has no items"),
    (r"'(\w+)' object does not support item \w+", "{0} cannot be changed"),
    (r"'(\w+)' object is not callable", "{0} cannot be called"),
    (r"'(\w+)' object is not reversible", "{0} has no order to turn round"),
    (r"'float' object cannot be interpreted as an integer", "it is no whole number"),
    (r"'(\w+)' object cannot be interpreted as an integer", "{0} is no whole number"),
    (r"'(\w+)' object has no attribute '(\w+)'", "{0} has no '{1}'"),
    (r"'(\w+) object' has no attribute '(\w+)'", "{0} has no '{1}'"),
    (r"(\w+) object has no element (.*)", "{0} has no element {1}"),
    (r"(?:sync_)?(?:do_)?(?:test_)?([\w.]+)\(\) (?:takes|expected) .*", "'{0}' does not take so many values"),
    (r"(?:sync_)?(?:do_)?(?:test_)?([\w.]+)\(\) got an unexpected keyword argument '(\w+)'", "'{0}' takes no '{1}'"),
    (r"(?:sync_)?(?:do_)?(?:test_)?([\w.]+)\(\) got multiple values for argument '(\w+)'", "'{0}' is given '{1}' twice"),
    (r"(?:sync_)?(?:do_)?(?:test_)?([\w.]+)\(\) missing \d+ required .*arguments?: (.*)", "'{0}' wants {1}, too"),
    (r"object of type '(\w+)' has no len\(\)", "{0} has no length"),
    (r"'(\S+)' not supported between instances of '(\w+)' and '(\w+)'", "{1} {0} {2} has no answer"),
    (r"unsupported operand type\(s\) for (\S+?)(?: or pow\(\))?: '(\w+)' and '(\w+)'", "{1} {0} {2} has no result"),
    (r"bad operand type for \w+ (\S+): '(\w+)'", "{0} cannot stand before {1}"),
    (r"bad operand type for (\w+)\(\): '(\w+)'", "{0} does not take {1}"),
    (r"can only concatenate (\w+) \(not \"(\w+)\"\) to \w+", "{0} + {1} has no result"),
    (r"can't multiply sequence by non-int of type '(\w+)'", "texts and lists are repeated by whole numbers only"),
    (r"sequence item \d+: expected str instance, (\w+) found", "only texts can be joined, not {0}"),
    (r"(?:list|tuple|string) indices must be integers.*?, not '?(\w+)'?", "an index is a whole number, not {0}"),
    (r"int\(\) argument must be .*, not '(\w+)'", "{0} is no whole number"),
    (r"float\(\) argument must be .*, not '(\w+)'", "{0} is no number"),
    (r"must be real number, not (\w+)", "{0} is no number"),
    (r"type (\w+) doesn't define __round__ method", "{0} cannot be rounded"),
    (r"invalid literal for int\(\) with base \d+: (.*)", "{0} is no whole number"),
    (r"could not convert string to float: (.*)", "{0} is no number"),
    (r"expected string or bytes-like object.*", "only a text can be searched"),
    (r"expected str instance, (\w+) found", "a text is wanted, not {0}"),
    (r"%\w format: .* is required, not (\w+)", "{0} is no number"),
    (r"not enough arguments for format string", "the format wants more values"),
    (r"not all arguments converted during string formatting", "the format takes fewer values"),
    (r"Unknown format code '(.)' for object of type '(\w+)'", "{1} cannot be written as '{0}'"),
    (r"unsupported format string passed to (\w+)\.__format__", "{0} cannot be written so"),
    (r"Exceeds the limit \(\d+ digits\) for integer string conversion.*", "the number has too many digits"),
    (r".*(?:too large to convert|too large for|too large to be represented).*", _TOO_LARGE),
    (r"(?:\(34, ')?(?:Numerical result|math range error|Result too large).*", _TOO_LARGE),
    (r"cannot fit '\w+' into an index-sized integer", _TOO_LARGE),
    (r"name '(?:inf|nan)' is not defined", _TOO_LARGE),
    (r"cannot convert float (?:infinity|NaN) to integer", _NOT_FINITE),
    (r"cannot convert (?:Infinity|NaN) to integer(?: ratio)?", _NOT_FINITE),
    (r"float modulo|.*(?:division|modulo) by zero|(?:integer|float) .*by zero.*|0\.0 cannot be raised to a negative power", "division by zero"),
    (r"(?:\w+ )?(?:assignment )?index out of range|pop from (?:an )?empty \w+", "there is no such item"),
    (r"cannot convert dictionary update sequence element #\d+ to a sequence|dictionary update sequence .*", "a map is made of pairs"),
    (r"time data (.*) does not match format (.*)", "{0} is no time of the form {1}"),
    (r"unconverted data remains: (.*)", "{0!r} stands behind the time"),
    (r"unknown encoding: (.*)", "there is no encoding {0!r}"),
    (r"badly formed hexadecimal UUID string", "it is no UUID"),
    (r"empty range (?:for|in) rand\w+\(\).*", "the range is empty"),
    (r"chr\(\) arg not in range.*", "there is no such character"),
    (r"math domain error", "it is not defined for this number"),
    (r"maximum recursion depth exceeded.*", "it holds or calls itself, or is nested too deeply"),
    (r"Circular reference detected", "it holds itself"),
    (r"Object of type (\w+) is not JSON serializable", "{0} is no data"),
)  # fmt: skip
"""What Python says, as a pattern, and what people read; types are given by the names that people know."""


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern, re.DOTALL), words) for pattern, words in (*_WORDS, *LIBRARY_WORDS))


def reason_of(error: BaseException) -> str:
    """Why something failed, on one line, for those who wrote no Python."""
    if isinstance(error, OSError) and error.errno is not None and error.errno > 0 and error.strerror:
        # `asyncio` and `ssl` put words of their own beside the number.
        return _ours(error.strerror) if error.errno not in errorcode else os.strerror(error.errno)
    if isinstance(error, UnicodeDecodeError):
        return "it is no UTF-8 text"
    if isinstance(error, MsgspecError):
        return decoding_reason(error)
    mark = getattr(error, "problem_mark", None)
    if mark is not None:  # of a YAML file
        return f"at line {mark.line + 1}, column {mark.column + 1}, {getattr(error, 'problem', None) or 'it is no YAML'}"
    said = said_by(error)
    if isinstance(error, KeyError):  # its text is the key alone
        return f"there is no {said}"
    placed = _placed().fullmatch(said)
    if placed is None:
        return _ours(said) or type(error).__name__
    words, line, column = placed.groups()
    return f"at line {line}, column {column}, {_ours(words)}" if line else f"at its end {_ours(words)}"


@cache
def _placed() -> re.Pattern[str]:
    """How `json` and `tomllib` say where it is."""
    return re.compile(
        r"(.*?)(?:: | \(at )(?:line (\d+),? column (\d+)|end of document)(?: \(char \d+)?\)", re.DOTALL
    )


def _ours(said: str) -> str:
    for pattern, words in _patterns():
        match = pattern.fullmatch(said)
        if match is not None:
            return words.format(*(_KINDS.get(group, group or "") for group in match.groups()))
    return " ".join(said.split())


def said_by(error: BaseException) -> str:
    """The text of an exception that may be of anybody's class."""
    try:
        return without_addresses(str(error))
    except Exception:  # noqa: BLE001  # the text of an exception is code, too
        return "its text cannot be made"


def without_addresses(text: str) -> str:
    """The text without the places of objects in memory, which mean nothing and differ from run to run."""
    return re.sub(r" at 0x[0-9a-fA-F]{6,}", "", text) if " at 0x" in text else text
