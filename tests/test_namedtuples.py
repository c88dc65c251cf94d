"""Our named tuples are those of the standard library, only made later."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any
from typing import NamedTuple as Standard

import pytest

from sabir.namedtuples import NamedTuple


class Point(NamedTuple):
    """A place."""

    x: int
    y: int = 2

    def total(self) -> int:
        return self.x + self.y


Ours = Point


class Point(Standard):  # type: ignore[no-redef]
    """A place."""

    x: int
    y: int = 2

    def total(self) -> int:
        return self.x + self.y


class Sent(NamedTuple):
    """At the top of a module under its own name, where pickle finds it."""

    name: str


def _matched(of: Any) -> object:
    match of(1, 5):
        case of(x, y):
            return x, y
        case _:
            return None


BUILD: dict[str, Callable[[Any], object]] = {
    "positional": lambda of: of(1, 3),
    "default": lambda of: of(1),
    "by name": lambda of: of(y=1, x=2),
    "method": lambda of: of(1).total(),
    "attribute": lambda of: (of(4).x, of(4).y),
    "unpacked": lambda of: (*of(1),),
    "equal": lambda of: (of(1) == (1, 2), of(1) == of(2)),
    "order": lambda of: of(1) < of(2),
    "hash": lambda of: hash(of(1)) == hash((1, 2)),
    "matched": _matched,
    "replaced": lambda of: of(1)._replace(y=9),
    "made": lambda of: of._make([1, 2]),
    "dictionary": lambda of: of(1)._asdict(),
    "fields": lambda of: (of._fields, of._field_defaults, of.__match_args__, of.__slots__),
    "words": lambda of: (of.__name__, of.__qualname__, of.__doc__, of.x.__doc__),
    "copied": lambda of: copy.copy(of(1)),
    "too few": lambda of: of(),
    "too many": lambda of: of(1, 2, 3),
    "unknown": lambda of: of(1, z=2),
    "unknown replaced": lambda of: of(1)._replace(z=2),
    "made of too few": lambda of: of._make([1]),
    "frozen": lambda of: setattr(of(1), "x", 2),
    "no other attributes": lambda of: setattr(of(1), "z", 2),
}


@pytest.mark.parametrize("build", BUILD.values(), ids=BUILD)
def test_is_as_the_standard_one(build: Callable[[Any], object]) -> None:
    assert outcome(build, Ours) == outcome(build, Point)


def outcome(build: Callable[[Any], object], of: Any) -> str:
    try:
        return repr(build(of))
    except (TypeError, AttributeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def test_travels_between_processes() -> None:
    assert pickle.loads(pickle.dumps(Sent("a"))) == Sent("a")
