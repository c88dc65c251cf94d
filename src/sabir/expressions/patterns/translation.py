"""A pattern as the package `regex` has to read it to mean exactly what it means to Python.

The two engines read many texts differently (`\\m`, `{e<=1}`, `[[:alpha:]]`, `\\w`, `\\s`, letters regardless of case), so no text
is handed over. Python's parser says what a pattern means, and that is written anew with what means the same in both: characters
by number, sets spelled out, boundaries as what lies on their sides. What has no such form is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any, Final

from sabir.expressions.patterns.syntax import PatternTree, parse_pattern

_CATEGORIES: Final = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}
_REPEATS: Final = {"MAX_REPEAT": "", "MIN_REPEAT": "?", "POSSESSIVE_REPEAT": "+"}
_FOR_ASCII: Final = 1 << 30
"""Beside the flags of `re`: no other characters will be asked about."""
_OF_SETS: Final = _FOR_ASCII | re.ASCII | re.IGNORECASE
_ONE_CHARACTER: Final = frozenset({"LITERAL", "NOT_LITERAL", "IN", "ANY"})


class UnwritablePatternError(Exception):
    """A pattern with something that the two engines do not share."""


def rewrite_pattern(text: str, flags: int, *, for_ascii: bool) -> str:
    """The pattern for texts of any characters, or only for those of ASCII characters, which is a much shorter one."""
    tree, all_flags = parse_pattern(text, flags)
    return _write_sequence(tree, all_flags | (_FOR_ASCII if for_ascii else 0))


def _write_sequence(tree: PatternTree, flags: int) -> str:
    return "".join(_write_part(str(name), argument, flags) for name, argument in tree)


def _write_part(name: str, argument: Any, flags: int) -> str:
    if name in _ONE_CHARACTER:
        return _write_character(name, argument, flags)
    if name in _REPEATS:
        least, most, body = argument
        return _write_repeat(name, least, most, body, flags)
    match name:
        case "AT":
            return _write_position(str(argument), flags)
        case "BRANCH":
            return f"(?:{'|'.join(_write_sequence(branch, flags) for branch in argument[1])})"
        case "SUBPATTERN":
            group, added, removed, body = argument
            inside = _write_sequence(body, (flags | added) & ~removed)
            return f"({inside})" if group is not None else f"(?:{inside})"
        case "ATOMIC_GROUP":
            return f"(?>{_write_sequence(argument, flags)})"
        case "ASSERT" | "ASSERT_NOT":
            direction, body = argument
            return _look_around(name, direction, body, flags)
        case "GROUPREF" if not flags & re.IGNORECASE:
            return rf"(?:\{argument})"
        case "GROUPREF_EXISTS":
            number, yes, no = argument
            return f"(?({number}){_write_group(yes, flags)}|{_write_group(no or (), flags)})"
        case _:
            raise UnwritablePatternError(name)


def _write_group(tree: PatternTree, flags: int) -> str:
    return f"(?:{_write_sequence(tree, flags)})"


def _write_repeat(name: str, least: int, most: Any, body: Any, flags: int) -> str:
    unlimited = str(most) == "MAXREPEAT"
    if body.getwidth()[0] == 0 and (unlimited or most > 1) and (_has_groups(body) or name == "MIN_REPEAT"):
        raise UnwritablePatternError(
            "rounds that take nothing"
        )  # when they end, and what their groups hold, differs
    bounds = f"{{{int(least)},}}" if unlimited else f"{{{int(least)},{int(most)}}}"
    return f"(?:{_write_sequence(body, flags)}){bounds}{_REPEATS[name]}"


def _look_around(name: str, direction: int, body: Any, flags: int) -> str:
    if direction < 0 and _has_groups(body):
        raise UnwritablePatternError("groups behind")  # one engine takes them backwards
    sign = "=" if name == "ASSERT" else "!"
    return f"(?{'<' if direction < 0 else ''}{sign}{_write_sequence(body, flags)})"


def _has_groups(tree: Iterable[Any]) -> bool:
    """Whether anything in a part of a pattern is remembered, or asks for what is."""
    for item in tree:
        if isinstance(item, tuple) and len(item) == 2 and str(item[0]).startswith(("SUBPATTERN", "GROUPREF")):
            if str(item[0]) != "SUBPATTERN" or item[1][0] is not None or _has_groups(item[1][-1]):
                return True
        elif (isinstance(item, tuple | list) or hasattr(item, "getwidth")) and _has_groups(item):
            return True
    return False


# Places


def _write_position(name: str, flags: int) -> str:
    word = _character_set(r"\w", flags & (_FOR_ASCII | re.ASCII))
    match name:
        case "AT_BEGINNING":
            return r"(?:\A|(?<=\n))" if flags & re.MULTILINE else r"\A"
        case "AT_BEGINNING_STRING":
            return r"\A"
        case "AT_END":
            return r"(?=\n|\Z)" if flags & re.MULTILINE else r"(?=\n?\Z)"
        case "AT_END_STRING":
            return r"\Z"
        case "AT_BOUNDARY":
            return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"
        case "AT_NON_BOUNDARY":
            # In a text without characters there is none, says Python.
            return rf"(?:(?!\A\Z)(?:(?<={word})(?={word})|(?<!{word})(?!{word})))"
        case _:
            raise UnwritablePatternError(name)


# Characters


def _write_character(name: str, argument: Any, flags: int) -> str:
    if name == "LITERAL" and not flags & re.IGNORECASE:
        return _escape_code(argument)
    if name == "ANY":
        return _character_set("." if flags & re.DOTALL else r"[^\n]", flags & (_FOR_ASCII | re.DOTALL))
    items = argument if name == "IN" else (("LITERAL", argument),)
    inside = "".join(map(_set_item, *zip(*items, strict=True)))
    return _character_set(f"[{'^' if name == 'NOT_LITERAL' else ''}{inside}]", flags & _OF_SETS)


def _set_item(kind: Any, value: Any) -> str:
    match str(kind):
        case "NEGATE":
            return "^"
        case "LITERAL":
            return _escape_code(value)
        case "RANGE":
            return f"{_escape_code(value[0])}-{_escape_code(value[1])}"
        case "CATEGORY" if str(value) in _CATEGORIES:
            return _CATEGORIES[str(value)]
        case other:
            raise UnwritablePatternError(other)


@lru_cache(maxsize=1024)
def _character_set(python: str, flags: int) -> str:
    """The characters that one of Python's sets holds, as ranges of numbers.

    The engines know different editions of Unicode and of letters regardless of case, and the other one has been seen to join
    sets wrongly when one says what it does not hold. Python is asked about each character there is.
    """
    last = 0x80 if flags & _FOR_ASCII else 0x110000
    members = re.compile(f"{python}+", flags & ~_FOR_ASCII)
    runs = members.finditer(_all_characters(last))
    ranges = "".join(f"{_escape_code(run.start())}-{_escape_code(run.end() - 1)}" for run in runs)
    return f"[{ranges}]" if ranges else "(?!)"


@cache
def _all_characters(last: int) -> str:
    return "".join(map(chr, range(last)))


def _escape_code(code: int) -> str:
    return f"\\U{code:08x}"
