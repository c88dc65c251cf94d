"""Small packages, each with one way in which a value comes about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

__all__ = ["CASES", "Case"]


@dataclass(frozen=True)
class Case:
    name: str
    classes: str
    subject: str = "root.x"
    model: str = "'?': {id: root, type: demo.Root, name: root}\n"
    is_tight: bool = True
    """Whether every line of the chain with a literal changes the value."""
    more: dict[str, str] = field(default_factory=dict[str, str])


_INT: Final = "\n    Contract: $.int()\n"


def _out(name: str, default: str = "") -> str:
    return f"  {name}:{_INT}    Usage: Out\n" + (f"    Default: {default}\n" if default else "")


def _in(name: str, default: str) -> str:
    return f"  {name}:{_INT}    Default: {default}\n"


def _root(properties: str, body: str, methods: str = "") -> str:
    lines = "".join(f"      {line}\n" for line in body.strip("\n").split("\n"))
    return f"Name: Root\nProperties:\n{properties}Methods:\n{methods}  .init:\n    Body:\n{lines}"


CASES: Final = (
    Case("default", f"Name: Root\nProperties:\n{_in('x', '5')}{_in('y', '6')}"),
    Case(
        "default that reads", f"Name: Root\nProperties:\n{_in('x', '$.y + 1')}{_in('y', '6')}{_in('z', '7')}"
    ),
    Case(
        "model",
        f"Name: Root\nProperties:\n{_in('x', '5')}{_in('y', '6')}",
        model="'?': {id: root, type: demo.Root, name: root}\nx: 7\ny: 8\n",
    ),
    Case(
        "conversion of the model",
        f"Name: Root\nProperties:\n{_in('x', '5')}",
        model="'?': {id: root, type: demo.Root, name: root}\nx: '7'\n",
    ),
    Case("conversion of a default", f"Name: Root\nProperties:\n{_in('x', chr(39) + '5' + chr(39))}"),
    Case("assignment", _root(_out("x") + _in("a", "3") + _in("b", "4"), "- $.x: $.a * 2")),
    Case("conversion of an assignment", _root(_out("x") + _in("a", "3"), "- $.x: str($.a + 1)")),
    Case("overwritten", _root(_out("x") + _in("a", "3"), "- $.x: 1\n- $.x: $.a")),
    Case("read before it is overwritten", _root(_out("x") + _out("y"), "- $.y: 1\n- $.x: $.y + 1\n- $.y: 5")),
    Case("locals", _root(_out("x") + _in("a", "3"), "- $l: 10\n- $m: $l + $.a\n- $n: 4\n- $.x: $m")),
    Case("local assigned again", _root(_out("x"), "- $l: 10\n- $l: 11\n- $.x: $l")),
    Case(
        "structure",
        _root(_out("x"), "- $s:\n    a: 1\n    b: 2\n- $s.a: 5\n- $.x: $s.a + $s.b"),
        is_tight=False,
    ),
    Case(
        "part of a property",
        _root(
            "  s:\n    Contract:\n      a: $.int()\n      b: $.int()\n    Usage: Out\n" + _out("x"),
            "- $.s:\n    a: 1\n    b: 2\n- $.s.a: 7\n- $.x: $.s.a + $.s.b",
        ),
        is_tight=False,
    ),
    Case("taken branch", _root(_out("x", "1") + _in("a", "3"), "- If: $.a > 2\n  Then:\n    - $.x: 5")),
    Case("branch not taken", _root(_out("x", "1") + _in("a", "3"), "- If: $.a > 20\n  Then:\n    - $.x: 5")),
    Case(
        "other branch",
        _root(_out("x") + _in("a", "3"), "- If: $.a > 20\n  Then:\n    - $.x: 5\n  Else:\n    - $.x: 6"),
    ),
    Case(
        "local in a branch not taken",
        _root(_out("x") + _in("a", "3"), "- $l: 1\n- If: $.a > 20\n  Then:\n    - $l: 5\n- $.x: $l"),
    ),
    Case(
        "call in a branch not taken",
        _root(
            _out("x", "1") + _in("a", "3"),
            "- If: $.a > 20\n  Then:\n    - $.go()",
            "  go:\n    Body:\n      - $.there()\n  there:\n    Body:\n      - $.x: 9\n",
        ),
    ),
    Case(
        "two conditions",
        _root(
            _out("x", "1") + _in("a", "3") + _in("b", "4"),
            "- If: $.a > 2\n  Then:\n    - If: $.b > 3\n      Then:\n        - $.x: 5",
        ),
    ),
    Case(
        "return before it",
        _root(
            _out("x", "1") + _in("a", "3"),
            "- $.go()",
            "  go:\n    Body:\n      - If: $.a > 20\n        Then:\n          - Return: 0\n      - $.x: 9\n",
        ),
        is_tight=False,
    ),
    Case(
        "return taken before it",
        _root(
            _out("x", "1") + _in("a", "3"),
            "- $.go()",
            "  go:\n    Body:\n      - If: $.a > 2\n        Then:\n          - Return: 0\n      - $.x: 9\n",
        ),
    ),
    Case(
        "result of a method",
        _root(
            _out("x") + _in("a", "3") + _in("b", "4"),
            "- $.x: $.twice($.a) + 1",
            "  twice:\n    Arguments:\n      - n:\n          Contract: $.int()\n      - m:\n          Contract: $.int()\n"
            "          Default: 2\n    Body:\n      - Return: $n * $m\n",
        ),
    ),
    Case(
        "no result",
        _root(
            _out("x") + _in("a", "3"),
            "- $.x: coalesce($.maybe(), 7)",
            "  maybe:\n    Body:\n      - If: $.a > 20\n        Then:\n          - Return: 5\n",
        ),
    ),
    Case(
        "argument that is not read",
        _root(
            _out("x") + _in("a", "3") + _in("b", "4"),
            "- $.x: $.first($.a, $.b)",
            "  first:\n    Arguments:\n      - n:\n          Contract: $.int()\n      - m:\n          Contract: $.int()\n"
            "    Body:\n      - Return: $n\n",
        ),
    ),
    Case(
        "named and further arguments",
        _root(
            _out("x") + _in("a", "3") + _in("b", "4") + _in("c", "5"),
            "- $.x: $.sum(1, $.a, n => $.b, o => $.c)",
            "  sum:\n    Arguments:\n      - m:\n          Contract: $.int()\n      - rest:\n          Contract: $.int()\n"
            "          Usage: VarArgs\n      - more:\n          Contract: $.int()\n          Usage: KwArgs\n"
            "    Body:\n      - Return: $m + $rest.sum() + $more.values().sum()\n",
        ),
    ),
    Case(
        "contract of an argument",
        _root(
            _out("x"),
            "- $.x: $.plus('4')",
            "  plus:\n    Arguments:\n      - n:\n          Contract: $.int()\n    Body:\n      - Return: $n + 1\n",
        ),
    ),
    Case(
        "while",
        _root(
            _out("x") + _in("a", "3"),
            "- $i: 0\n- $t: 100\n- While: $i < $.a\n  Do:\n    - $i: $i + 1\n    - $t: $t + 2\n- $.x: $t",
        ),
    ),
    Case(
        "while not at all",
        _root(_out("x") + _in("a", "0"), "- $i: 1\n- While: $i < $.a\n  Do:\n    - $i: $i + 1\n- $.x: $i"),
    ),
    Case(
        "for",
        _root(
            "  list:\n    Contract:\n      - $.int()\n" + _out("x"),
            "- $t: 0\n- For: i\n  In: $.list\n  Do:\n    - $t: $t + $i * 2\n- $.x: $t",
        ),
        model="'?': {id: root, type: demo.Root, name: root}\nlist:\n  - 3\n  - 4\n",
    ),
    Case(
        "repeat",
        _root(_out("x") + _in("a", "3"), "- $t: 1\n- Repeat: $.a\n  Do:\n    - $t: $t * 2\n- $.x: $t"),
    ),
    Case(
        "break",
        _root(
            _out("x") + _in("a", "3"),
            "- $i: 0\n- While: $i < 50\n  Do:\n    - $i: $i + 1\n    - If: $i > $.a\n      Then:\n        - Break:\n"
            "- $.x: $i",
        ),
        is_tight=False,
    ),
    Case(
        "continue",
        _root(
            _out("x") + _in("a", "3"),
            "- $t: 0\n- For: i\n  In: [1, 2, 3, 4, 5]\n  Do:\n    - If: $i < $.a\n      Then:\n        - Continue:\n"
            "    - $t: $t + $i\n- $.x: $t",
        ),
    ),
    Case(
        "match",
        _root(
            _out("x") + _in("a", "2"),
            "- Match:\n    1:\n      - $.x: 10\n    2:\n      - $.x: 20\n    3:\n      - $.x: 30\n  Value: $.a\n  Default:\n    - $.x: 40",
        ),
        is_tight=False,
    ),
    Case(
        "match by default",
        _root(
            _out("x") + _in("a", "9"),
            "- Match:\n    1:\n      - $.x: 10\n  Value: $.a\n  Default:\n    - $.x: 40",
        ),
        is_tight=False,
    ),
    Case(
        "switch",
        _root(
            _out("x") + _in("a", "9"),
            "- Switch:\n    $.a < 5:\n      - $.x: 10\n    $.a > 8:\n      - $.x: 20\n  Default:\n    - $.x: 40",
        ),
        is_tight=False,
    ),
    Case(
        "switch by default",
        _root(
            _out("x") + _in("a", "6"),
            "- Switch:\n    $.a < 5:\n      - $.x: 10\n    $.a > 8:\n      - $.x: 20\n  Default:\n    - $.x: 40",
        ),
    ),
    Case(
        "parallel",
        _root(
            _out("x") + _in("a", "6") + _out("y"),
            "- Parallel:\n    - Do:\n        - sleep(0.001)\n        - $.y: $.a\n    - $l: 4\n- $.x: $.y + $l",
        ),
    ),
    Case(
        "caught",
        _root(
            _out("x", "1") + _in("a", "6"),
            "- Try:\n    - $.check($.a)\n    - $.x: 2\n  Catch:\n    With: TooSmall\n    Do:\n      - $.x: 3",
            "  check:\n    Arguments:\n      - n:\n          Contract: $.int()\n    Body:\n      - If: $n < 10\n        Then:\n"
            "          - Throw: TooSmall\n            Message: small\n",
        ),
        is_tight=False,
    ),
    Case(
        "nothing to catch",
        _root(
            _out("x", "1") + _in("a", "60") + _in("b", "1"),
            "- Try:\n    - $.x: 2\n    - $y: 5 / $.b\n    - $.check($.a)\n  Catch:\n    Do:\n      - $.x: 3",
            "  check:\n    Arguments:\n      - n:\n          Contract: $.int()\n    Body:\n      - If: $n < 10\n        Then:\n"
            "          - Throw: TooSmall\n            Message: small\n",
        ),
        is_tight=False,
    ),
    Case(
        "lambda",
        _root(
            "  list:\n    Contract:\n      - $.int()\n    Default: [1, 5, 9]\n" + _out("x") + _in("a", "3"),
            "- $limit: 4\n- $.x: $.list.where($ > $limit).select($ + $.a).sum()".replace("$.a", "$this.a"),
        ),
    ),
    Case(
        "condition in an expression",
        _root(_out("x") + _in("a", "3") + _in("b", "4"), "- $.x: switch($.a > 2 => $.b, true => 9)"),
        is_tight=False,
    ),
    Case(
        "static",
        _root(
            f"  s:{_INT}    Usage: Static\n    Default: 4\n" + _out("x") + _in("a", "3"),
            "- $.x: $.s\n- :Root.s: $.a + 1\n- $.x: $.x + :Root.s",
        ),
    ),
    Case("private", _root(_out("x") + _in("a", "3"), "- $.hidden: $.a + 1\n- $.x: $.hidden")),
    Case(
        "attributes of objects",
        _root(_out("x") + _in("a", "3"), "- $.setAttr(mark, $.a + 1)\n- $.x: $.getAttr(mark, 5)"),
        is_tight=False,
    ),
    Case(
        "attribute that is not there",
        _root(
            _out("x") + _in("a", "3"),
            "- If: $.a > 20\n  Then:\n    - $.setAttr(mark, 9)\n- $.x: $.getAttr(mark, 5)",
        ),
    ),
    Case(
        "resource",
        _root(
            _out("x") + _in("a", "3"),
            "- $data: $.res().yaml('data.yaml')\n- $.x: $data.size + $.a",
            "  res:\n    Body:\n      - Return: std:system.Resources\n".replace(
                "std:system.Resources", "type('io.murano.system.Resources')"
            ),
        ),
        more={"Resources/data.yaml": "size: 7\n"},
    ),
    Case(
        "name of an object",
        _root(
            "  x:\n    Contract: $.string()\n    Usage: Out\n",
            "- $.x: name($this) + '!'",
        ),
    ),
)
