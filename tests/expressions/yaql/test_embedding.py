"""What an embedder can do: functions, methods, operators and objects of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from sabir.expressions.yaql import (
    KEYWORD,
    LAMBDA,
    STANDARD,
    Dialect,
    Engine,
    Lambda,
    Library,
    Options,
    UnknownName,
    Variables,
    YaqlRuntimeError,
)
from sabir.expressions.yaql.kinds import INT, STRING, EmbeddedObject
from sabir.expressions.yaql.library.embedder import declare_format


@dataclass
class Thing(EmbeddedObject):
    """An object of a language that embeds YAQL."""

    name: str
    fields: dict[str, Any] = field(default_factory=dict)


class Things:
    def attribute(self, value: Thing, name: str, variables: Variables) -> Any:
        if name not in value.fields:
            raise UnknownName(f"{value.name} has no {name}")
        return value.fields[name]

    def method(self, value: Thing, name: str, variables: Variables) -> Callable[..., Any] | None:
        if name == "greet":
            return lambda whom="you", **named: f"{value.name} greets {whom}{named or ''}"
        return None


LIBRARY = Library(STANDARD)
declare_format(LIBRARY)


@LIBRARY.function("twice", LAMBDA)
def twice(thunk: Lambda) -> list[Any]:
    return [thunk(1), thunk(2)]


@LIBRARY.function("who")
def who(variables: Variables) -> Any:
    return variables["this"].name


@LIBRARY.extension("shout", STRING, INT)
def shout(text: str, times: int = 1) -> str:
    return text.upper() + "!" * times


@LIBRARY.function("make", KEYWORD)
def make(kind: str, *args: Any, **fields: Any) -> Thing:
    return Thing(kind, {**fields, "args": list(args)})


@LIBRARY.prefix(":", KEYWORD)
def own_type(name: str) -> str:
    return f"own/{name}"


@LIBRARY.operator(":", KEYWORD, KEYWORD)
def other_type(prefix: str, name: str) -> str:
    return f"{prefix}/{name}"


@LIBRARY.operator("is")
def is_(value: Any, kind: Any) -> bool:
    return isinstance(value, Thing) and kind.endswith(value.name)


@pytest.fixture
def engine() -> Engine:
    return Engine(LIBRARY, dialect=Dialect.MURANO, objects=Things())


INNER = Thing("inner", {"l": [1, 2, 3]})
THIS = Thing("outer", {"n": 5, "inner": INNER, "things": [INNER, INNER]})

CASES = [
    ("$.n + 1", 6),
    ("$this.inner.l.where($ > $this.n - 4)", [2, 3]),
    ("$.greet()", "outer greets you"),
    ("$.inner.greet(me, x => 1 + 1)", "inner greets me{'x': 2}"),
    ("$.things.l.select($.len())", [3, 3]),
    ("$.things.select($.greet($this.n))", ["inner greets 5", "inner greets 5"]),
    ("$?.n", 5),
    ("$missing?.n", None),
    ("twice($ + $this.n)", [6, 7]),
    ("who()", "outer"),
    ("shout(abc)", "ABC!"),
    ("abc.shout(times => 3)", "ABC!!!"),
    ("make(item, 1, 2, x => $.n).args", [1, 2]),
    ("make(item, x => $.n).x", 5),
    (":Name", "own/Name"),
    ("ns:Name", "ns/Name"),
    ("$.inner is ns:inner", True),
    ("$ is :inner", False),
    ("isIterable($)", False),
    ("'{0}-{x:03d}'.format($.n, x => 7)", "5-007"),
    ("format('{}{{}}{}', 1, true)", "1{}True"),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text for text, _ in CASES])
def test_embedded(engine: Engine, text: str, expected: Any) -> None:
    assert engine.evaluate(text, THIS, this=THIS) == expected


def test_the_variables_are_a_plain_dictionary(engine: Engine) -> None:
    condition, step = engine.compile("$i < $n"), engine.compile("$i + 1")
    variables: Variables = {"i": 0, "n": 3}
    while condition(variables):
        variables["i"] = step(variables)
    assert variables == {"i": 3, "n": 3}


def test_errors_of_the_embedder_get_a_place(engine: Engine) -> None:
    with pytest.raises(UnknownName) as caught:
        engine.evaluate("1 + $.inner.zzz", THIS)
    assert str(caught.value) == "inner has no zzz"
    assert caught.value.span is not None
    assert (caught.value.span.start, caught.value.span.end) == (12, 15)


class OwnError(Exception):
    pass


def test_exceptions_of_the_embedder_pass_untouched() -> None:
    library = Library(STANDARD)

    @library.function("fail")
    def fail() -> None:
        raise OwnError("mine")

    with pytest.raises(OwnError, match="mine"):
        Engine(library).evaluate("[1].select(fail()).first()")


def test_an_embedder_may_override() -> None:
    library = Library(STANDARD)

    @library.extension("len", STRING)
    def length(text: str) -> str:
        return f"<{len(text)}>"

    engine = Engine(library)
    assert engine.evaluate("[len(abc), len([1, 2]), abc.len()]") == ["<3>", 2, "<3>"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("'{0.x}'.format(1)", "`{0.x}` looks into a value"),
        ("'{0[x]}'.format({x => 1})", "`{0[x]}` looks into a value"),
        ("'{a.__class__}'.format(a => 1)", "looks into a value"),
        ("'{1}'.format(1)", "no argument for the placeholder `{1}`"),
        ("'{'.format(1)", "a single `{`"),
        ("'{0:>999999999999}'.format(1)", "takes more than"),
        ("'{0:{1}}'.format(1, '>999999999')", "takes more than"),
        ("'{0:d}'.format(x)", "Unknown format code"),
    ],
)
def test_format_refuses(engine: Engine, text: str, message: str) -> None:
    with pytest.raises(YaqlRuntimeError) as caught:
        engine.evaluate(text)
    assert message in str(caught.value)


def test_dictionaries_as_lists() -> None:
    engine = Engine(options=Options(iterable_dicts=True))
    assert engine.evaluate("$.select($).orderBy($)", {"b": 1, "a": 2}) == ["a", "b"]
    assert engine.evaluate("$ + {c => 3}", {"a": 1}) == {"a": 1, "c": 3}
    assert engine.evaluate("$.a", {"a": 1}) == 1
    assert engine.evaluate("a in $", {"a": 1}) is True
