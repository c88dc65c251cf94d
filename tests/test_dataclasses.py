"""Our decorator makes what that of the standard library makes, only later."""

from __future__ import annotations

import copy
import dataclasses as standard
import inspect
import pickle
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from sabir import dataclasses as ours
from sabir.dataclasses import FrozenInstanceError, dataclass, field, fields, replace


def family(module: Any) -> dict[str, type[Any]]:
    """The same classes by either decorator."""
    decorate, spec = module.dataclass, module.field

    @decorate(frozen=True, slots=True)
    class Point:
        x: int
        y: int = 2
        shared: ClassVar[str] = "all"

        def total(self) -> int:
            return self.x + self.y

    @decorate(frozen=True, slots=True, kw_only=True)
    class Named(Point):
        name: str
        tags: list[str] = spec(default_factory=list)
        y: int = 7

    @decorate(slots=True)
    class Counter:
        count: int = 0
        hidden: int = spec(default=5, repr=False)
        ignored: int = spec(default=0, compare=False)
        size: int = spec(init=False)

        def __post_init__(self) -> None:
            self.size = self.count * 2

    @decorate(frozen=True, eq=False)
    class Plain:
        name: str
        text: str = spec(repr=False)

    @decorate(slots=True, unsafe_hash=True)
    class Hashed:
        start: int
        end: int

    @decorate(slots=True, eq=False, repr=False)
    class Bare:
        value: Any = None

        def __repr__(self) -> str:
            return "<bare>"

    @decorate(frozen=True, slots=True)
    class Own:
        value: int

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 1

    return {cls.__name__: cls for cls in (Point, Named, Counter, Plain, Hashed, Bare, Own)}


STANDARD = family(standard)

BUILD: dict[str, Callable[[dict[str, type[Any]]], object]] = {
    "positional": lambda of: of["Point"](1, 3),
    "default": lambda of: of["Point"](1),
    "by name": lambda of: of["Point"](y=1, x=2),
    "inherited": lambda of: of["Named"](1, name="n"),
    "redeclared": lambda of: of["Named"](1, y=4, name="n", tags=["t"]),
    "method": lambda of: of["Point"](1).total(),
    "class variable": lambda of: of["Point"].shared,
    "after init": lambda of: of["Counter"](4).size,
    "hidden": lambda of: of["Counter"](4),
    "no slots": lambda of: vars(of["Plain"]("a", "b")),
    "own repr": lambda of: of["Bare"](3),
    "match": lambda of: of["Named"].__match_args__,
    "signature": lambda of: [str(inspect.signature(cls)) for cls in of.values()],
    "slots": lambda of: (of["Point"].__slots__, of["Named"].__slots__, of["Counter"].__slots__),
    "names": lambda of: (of["Point"].__qualname__, of["Point"].__module__),
    "equal": lambda of: of["Point"](1) == of["Point"](1, 2),
    "unequal": lambda of: of["Point"](1) == of["Point"](2),
    "other class": lambda of: of["Point"](1, 7) == of["Named"](1, name="n"),
    "not compared": lambda of: of["Counter"](1, ignored=1) == of["Counter"](1, ignored=2),
    "identity": lambda of: of["Plain"]("a", "b") == of["Plain"]("a", "b"),
    "own equality": lambda of: of["Own"](1) == of["Own"](2),
    "hash": lambda of: hash(of["Point"](1)) == hash(of["Point"](1, 2)) == hash((1, 2)),
    "unsafe hash": lambda of: hash(of["Hashed"](1, 2)) == hash((1, 2)),
    "own hash": lambda of: hash(of["Own"](5)),
    "no hash": lambda of: of["Counter"].__hash__,
    "copied": lambda of: copy.copy(of["Named"](1, name="n")),
    "copied deep": lambda of: copy.deepcopy(of["Named"](1, name="n", tags=["a"])),
    "too few": lambda of: of["Point"](),
    "too many": lambda of: of["Point"](1, 2, 3),
    "unknown": lambda of: of["Point"](1, z=2),
    "not positional": lambda of: of["Named"](1, "n"),
    "frozen": lambda of: setattr(of["Point"](1), "x", 2),
    "frozen without slots": lambda of: setattr(of["Plain"]("a", "b"), "name", 2),
    "undeletable": lambda of: delattr(of["Point"](1), "x"),
    "unknown slot": lambda of: setattr(of["Counter"](), "unknown", 2),
    "unhashable": lambda of: hash(of["Counter"]()),
}


@pytest.mark.parametrize("build", BUILD.values(), ids=BUILD)
def test_is_as_the_standard_one(build: Callable[[dict[str, type[Any]]], object]) -> None:
    expected, fresh = outcome(build, STANDARD), family(ours)
    for _ in range(5):  # before and after the constructor is compiled
        assert outcome(build, fresh) == expected


def outcome(build: Callable[[dict[str, type[Any]]], object], of: dict[str, type[Any]]) -> str:
    try:
        return repr(build(of))
    except (TypeError, AttributeError) as error:
        return f"{type(error).__name__}: {error}"


@dataclass(frozen=True, slots=True)
class Sent:
    """At the top of a module, where pickle finds it."""

    name: str
    parts: tuple[int, ...] = field(default=(), repr=False)


def test_travels_between_processes() -> None:
    assert pickle.loads(pickle.dumps(Sent("a", (1, 2)))) == Sent("a", (1, 2))


def test_methods_are_made_when_called() -> None:
    @dataclass(slots=True)
    class Late:
        a: int

    waiting = Late.__init__
    first = [Late(number) for number in range(3)]
    assert Late.__init__ is waiting  # the first few are made without
    assert [Late(number) for number in range(3)] == first
    assert Late.__init__ is not waiting
    assert Late.__init__.__qualname__.endswith("Late.__init__")


def test_recursion_is_shown() -> None:
    @dataclass(slots=True)
    class Loop:
        inner: object = None

    loop = Loop()
    loop.inner = loop
    assert repr(loop).endswith("Loop(inner=...)")


def test_replace_and_fields() -> None:
    assert replace(Sent("a", (1,)), name="b") == Sent("b", (1,))
    assert [one.name for one in fields(Sent)] == ["name", "parts"]
    with pytest.raises(FrozenInstanceError):
        Sent("a").name = "b"  # type: ignore[misc]  # that is the point


def test_the_standard_functions_know_our_classes() -> None:
    sent = Sent("a", (1,))
    assert standard.is_dataclass(sent)
    assert [one.name for one in standard.fields(sent)] == ["name", "parts"]
    assert standard.asdict(sent) == {"name": "a", "parts": (1,)}
    assert standard.replace(sent, name="b") == Sent("b", (1,))
