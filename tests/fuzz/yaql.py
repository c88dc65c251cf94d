"""YAQL expressions: made from the grammar, or made and then damaged.

Whatever the text: parsing gives an expression whose spans lie in the text, or a syntax error whose span does; evaluating
gives plain data or a run-time error with a span; both within seconds.
"""

from __future__ import annotations

import random
from typing import Any

from msgspec import structs

from sabir.expressions.yaql import (
    STANDARD,
    Dialect,
    Engine,
    Options,
    YaqlError,
    YaqlRuntimeError,
    YaqlSyntaxError,
    is_expression,
    parse,
)
from sabir.expressions.yaql.nodes import Node
from tests.fuzz.judging import complaint

__all__ = ["Generator", "check", "damaged", "run"]

DATA: Any = {
    "n": 5,
    "s": "hello world",
    "z": None,
    "l": [3, 1, 2],
    "d": {"a": 1, "b": {"c": [1, 2]}},
    "o": [{"k": "a", "v": 1}, {"k": "b", "v": 2}, {"k": "a", "v": 3}],
}
_SECONDS = 10.0
_FUNCTIONS = sorted(name for name in STANDARD.names(methods=False) if name.isidentifier())
_METHODS = sorted(name for name in STANDARD.names(methods=True) if name.isidentifier())
_KEYWORDS = (
    "default",
    "count",
    "start",
    "stop",
    "step",
    "initial",
    "seed",
    "selector",
    "predicate",
    "x",
    "days",
)
_ATOMS = (
    *(
        "$",
        "$1",
        "$2",
        "$x",
        "0",
        "1",
        "2",
        "-1",
        "3.5",
        "100",
        "true",
        "false",
        "null",
        "''",
        "a",
        "abc",
        "'a b'",
    ),
    *(
        "[]",
        "{}",
        "$.n",
        "$.s",
        "$.l",
        "$.d",
        "$.o",
        "$.z",
        "'[a-z]'",
        "regex('[a-z]+')",
        "timespan(1)",
        "range(3)",
    ),
    *("datetime(2020, 1, 1)", "set(1, 2)", "`v\\n`", "'\\u0041'", "1000000", "'%Y'", "'{0}'"),
)
_BINARY = (
    "+",
    "-",
    "*",
    "/",
    "mod",
    "=",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "in",
    "and",
    "or",
    "=~",
    "!~",
    ".",
    "?.",
    "->",
)
_NOISE = (
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    "=>",
    "'",
    '"',
    "`",
    "\\",
    "$",
    ".",
    "?",
    " ",
    "\n",
    "\x00",
    "é",
    "€",
    "__",
    "1e",
    " is ",
    "in",
    "and",
    "_",
    ":",
)


class Generator:
    """Makes texts of the grammar."""

    def __init__(self, source: random.Random) -> None:
        self._random = source

    def expression(self, depth: int = 4) -> str:
        if depth <= 0 or self._random.random() < 0.15:
            return self._random.choice(_ATOMS)
        make = self._random.choices(
            (
                self._binary,
                self._method,
                self._function,
                self._unary,
                self._list,
                self._dict,
                self._index,
                self._scope,
            ),
            (5, 8, 4, 1, 2, 1, 1, 1),
        )[0]
        return make(depth - 1)

    def _binary(self, depth: int) -> str:
        return f"{self.expression(depth)} {self._random.choice(_BINARY)} {self.expression(depth)}"

    def _method(self, depth: int) -> str:
        return f"{self._receiver(depth)}.{self._random.choice(_METHODS)}({self._arguments(depth)})"

    def _receiver(self, depth: int) -> str:
        inner = self.expression(depth)
        return f"({inner})" if " " in inner else inner

    def _function(self, depth: int) -> str:
        return f"{self._random.choice(_FUNCTIONS)}({self._arguments(depth)})"

    def _arguments(self, depth: int) -> str:
        given = [self.expression(depth) for _ in range(self._random.choice((0, 1, 1, 1, 2, 2, 3)))]
        if self._random.random() < 0.15:
            given.append(f"{self._random.choice(_KEYWORDS)} => {self.expression(depth)}")
        return ", ".join(given)

    def _unary(self, depth: int) -> str:
        return f"{self._random.choice(('-', '+', 'not'))} {self.expression(depth)}"

    def _list(self, depth: int) -> str:
        return f"[{', '.join(self.expression(depth) for _ in range(self._random.randint(0, 3)))}]"

    def _dict(self, depth: int) -> str:
        pairs = (
            f"{self.expression(depth - 2)} => {self.expression(depth)}"
            for _ in range(self._random.randint(0, 2))
        )
        return f"{{{', '.join(pairs)}}}"

    def _index(self, depth: int) -> str:
        return f"{self._receiver(depth)}[{self.expression(depth)}]"

    def _scope(self, depth: int) -> str:
        if self._random.random() < 0.3:
            return f"def(f, {self.expression(depth)}) -> f({self.expression(depth)})"
        return f"let(x => {self.expression(depth)}) -> {self.expression(depth)}"


def damaged(text: str, source: random.Random) -> str:
    """The text with a few pieces removed, doubled, swapped or put in."""
    for _ in range(source.randint(1, 4)):
        at, to = sorted((source.randint(0, len(text)), source.randint(0, len(text))))
        to = min(to, at + 8)
        piece = source.choice(("", text[at:to] * 2, source.choice(_NOISE), text[at:to][::-1]))
        text = text[:at] + piece + text[to:]
    return text


def check(text: str, engine: Engine) -> str | None:
    """What is wrong with the treatment of a text; None when all is well."""
    problem = complaint(lambda: _checked(text, engine), seconds=_SECONDS)
    return f"{text!r}: {problem}" if problem else None


def _checked(text: str, engine: Engine) -> str | None:
    try:
        expression = parse(text, engine.dialect)
        problem = _misplaced(expression.tree, text)
        if problem is None:
            engine.evaluate(expression, DATA)
    except YaqlSyntaxError as error:
        if is_expression(text, engine.dialect):
            return "first an error, then none"
        return _wrong_span(text, error)
    except YaqlRuntimeError as error:
        return _wrong_span(text, error)
    return problem


def _wrong_span(text: str, error: YaqlError) -> str | None:
    span = error.span
    if span is None or not 0 <= span.start <= span.end <= len(text):
        return f"{text!r}: error with span {span}: {error}"
    return None


def _misplaced(node: Node, text: str) -> str | None:
    """A node whose span leaves the text or does not hold those of its parts."""
    pending: list[Any] = [(node, 0, len(text))]
    while pending:
        part, start, end = pending.pop()
        if not start <= part.start <= part.end <= end:
            return f"{part} lies outside of {start}–{end}"
        for item in structs.astuple(part):
            children = item if isinstance(item, tuple) and not hasattr(item, "start") else (item,)
            pending += [(child, part.start, part.end) for child in children if hasattr(child, "start")]
    return None


def run(count: int, seed: int) -> list[str]:
    """Failures among `count` texts: two thirds from the grammar, one third damaged."""
    source = random.Random(seed)
    generator = Generator(source)
    options = Options(limit_iterators=200, memory_quota=64 * 1024, limit_steps=20_000)
    failures = []
    for number in range(count):
        if number % 2000 == 0:  # nothing kept from thousands of texts ago
            engines = [Engine(options=options), Engine(options=options, dialect=Dialect.MURANO)]
        text = generator.expression(source.randint(1, 5))
        if number % 3 == 2:
            text = damaged(text, source)
        failure = check(text, engines[number % 2])
        if failure:
            failures.append(failure)
    return failures
