"""The shape of cases: which keys a mapping may have and of which type their values are. Unknown keys are problems."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = [
    "ANYTHING",
    "FLAG",
    "INTEGER",
    "MAPPING",
    "TEXT",
    "TEXTS",
    "Key",
    "Shape",
    "each",
    "mapping_of",
    "one_of",
    "one_or_more",
    "optional",
    "required",
]

Check = Callable[[Any, str], list[str]]
"""Takes a value and its path in the case; gives the problems."""


def _typed(*types: type, called: str) -> Check:
    def check(value: Any, path: str) -> list[str]:
        fits = isinstance(value, types) and (bool in types or not isinstance(value, bool))
        return [] if fits else [f"{path}: {called} wanted, not {value!r}"]

    return check


def _anything(value: Any, path: str) -> list[str]:
    del value, path
    return []


ANYTHING: Check = _anything
TEXT: Check = _typed(str, called="a text")
INTEGER: Check = _typed(int, called="an integer")
FLAG: Check = _typed(bool, called="true or false")
MAPPING: Check = _typed(dict, called="a mapping")


def each(item: Check) -> Check:
    """A list whose items all fit."""

    def check(value: Any, path: str) -> list[str]:
        if not isinstance(value, list):
            return [f"{path}: a list wanted, not {value!r}"]
        return [problem for index, one in enumerate(value) for problem in item(one, f"{path}[{index}]")]

    return check


TEXTS: Check = each(TEXT)


def one_or_more(item: Check) -> Check:
    """One value, or a list of them, any one of which is meant."""

    def check(value: Any, path: str) -> list[str]:
        return each(item)(value, path) if isinstance(value, list) else item(value, path)

    return check


def mapping_of(item: Check) -> Check:
    """A mapping with text keys whose values all fit."""

    def check(value: Any, path: str) -> list[str]:
        if not isinstance(value, dict):
            return [f"{path}: a mapping wanted, not {value!r}"]
        problems = [f"{path}: key {key!r} is no text" for key in value if not isinstance(key, str)]
        return problems + [problem for key, one in value.items() for problem in item(one, f"{path}.{key}")]

    return check


def one_of(*values: str) -> Check:
    def check(value: Any, path: str) -> list[str]:
        return [] if value in values else [f"{path}: one of {', '.join(values)} wanted, not {value!r}"]

    return check


@dataclass(frozen=True, slots=True)
class Key:
    check: Check
    needed: bool = False


def required(check: Check) -> Key:
    return Key(check, needed=True)


def optional(check: Check) -> Key:
    return Key(check)


@dataclass(frozen=True, slots=True)
class Shape:
    """A mapping with these keys and no others; of each group in `exactly_one`, one key must be there."""

    keys: Mapping[str, Key]
    exactly_one: tuple[tuple[str, ...], ...] = ()

    def __call__(self, value: Any, path: str) -> list[str]:
        if not isinstance(value, dict):
            return [f"{path or 'case'}: a mapping wanted, not {value!r}"]
        problems: list[str] = []
        for key, inner in value.items():
            known = self.keys.get(key) if isinstance(key, str) else None
            at = f"{path}.{key}" if path else f"{key}"
            problems += known.check(inner, at) if known else [f"{at}: unknown key"]
        problems += [
            f"{path + '.' if path else ''}{key}: missing"
            for key, rule in self.keys.items()
            if rule.needed and key not in value
        ]
        for group in self.exactly_one:
            there = [key for key in group if key in value]
            if len(there) != 1:
                problems.append(
                    f"{path or 'case'}: exactly one of {', '.join(group)} wanted, there are {len(there)}"
                )
        return problems
