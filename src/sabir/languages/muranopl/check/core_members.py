"""Members of the core library classes, for checks of the classes that extend them. Read when first asked for."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from msgspec import Struct

__all__ = ["CoreClass", "core_class", "core_heirs"]

_FILE: Final = Path(__file__).with_name("core_members.txt")


class CoreClass(Struct, frozen=True):
    parents: tuple[str, ...]
    inputs: frozenset[str]
    """Properties that code cannot assign to: Usage In and Const."""
    properties: frozenset[str]
    """The other properties."""
    methods: frozenset[str]


def core_class(name: str) -> CoreClass | None:
    """What is known of a class of the core library; None for one whose members are not all known."""
    line = _lines().get(name)
    return None if line is None else _parsed(line)


def core_heirs(name: str) -> tuple[str, ...]:
    """The classes of the core library that extend one, directly or not."""
    return _heirs(name) if name in _lines() else ()


@cache
def _heirs(name: str) -> tuple[str, ...]:
    heirs = [heir for heir, line in _lines().items() if name in _parsed(line).parents]
    return (*heirs, *(further for heir in heirs for further in _heirs(heir)))


@cache
def _lines() -> dict[str, str]:
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    pairs = (line.partition(":") for line in lines if not line.startswith("#"))
    return {name: rest for name, _, rest in pairs}


@cache
def _parsed(line: str) -> CoreClass:
    parents, inputs, properties, methods = (part.split() for part in (*line.split(";"), "", "", "")[:4])
    return CoreClass(tuple(parents), frozenset(inputs), frozenset(properties), frozenset(methods))
