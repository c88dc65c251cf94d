"""Small models whose outcome was recorded from the existing engine."""

from __future__ import annotations

import pytest

from sabir.languages.inmanta.evaluate.lookups import INDEX_LOOKUP
from sabir.languages.inmanta.evaluate.values import property_of
from sabir.languages.inmanta.model.definitions import UNKNOWN_NAME
from sabir.languages.inmanta.model.resolution import BAD_INDEX
from sabir.languages.inmanta.model.types import TYPE
from sabir.languages.inmanta.syntax.project import DUPLICATE
from sabir.languages.inmanta.syntax.stream import SYNTAX
from tests.languages.inmanta.models import evaluate

VALUES = {
    "a = 2 ** 3 ** 2": 64,
    "a = -2 ** 2": 4,
    "a = string(null)": "null",
    "a = string([1])": "[1]",
    "a = bool([])": False,
    'a = bool({"x": 1})': True,
    'a = std::length("abc")': 3,
    'a = std::unique_file("a", "b", "c")': "a92eb5ffee6ae2fec3ad71c777531578fc",
    'a = {r"x{{b}}": 1}': {"x{{b}}": 1},
    'if false:\n    x = nosuch\nend\na = 1': 1,
    'a = number("3") == 3 and number(true) == 1': True,
    "a = string([null, 1])": "[null, 1]",
    'b = [null, {"c": null}]\na = "{{b}}"': "[null, {'c': null}]",
    'b = 1.0\nc = 10000000000000000000000.0\na = "{{b}} {{ c }} {{\tb\t}}"': "1 10000000000000000000000 1",
    'b = 1.5\na = "{{b}}"': "1.5",
    'b = 2\nw = 5\na = f"{b:{w}}|{b:>{w}}|"': "    2|    2|",
    'b = 3.14159\nw = 6\np = 2\na = f"{b:{w}.{p}f}"': "  3.14",
    "b = 'x'\na = f\"{b!r} {b!s}\"": "'x' x",
    'b = 1\na = f"{b == 1}"': "True",
}  # fmt: skip

ERRORS = {
    'b = 2\na = {"x{{b}}": 1}\n': (SYNTAX.code, 2),
    "if false:\n    x = nosuch::y\nend\n": (UNKNOWN_NAME.code, 2),
    'a = "{{1}}"\n': (UNKNOWN_NAME.code, 1),
    "entity A:\n    any x\nend\n": (UNKNOWN_NAME.code, 2),
    "typedef t as int matching true\n": (TYPE.code, 1),
    "entity A:\nend\nA.b [0:] foo A\n": (UNKNOWN_NAME.code, 3),
    "entity H:\n    string[] a\nend\nindex H(a)\n": (BAD_INDEX.code, 4),
    (
        "entity P:\n    string a\nend\nentity C extends P:\nend\nindex P(a)\nimplement P using std::none\n"
        'implement C using std::none\np = P(a="1")\nd = C[a="1"]\n'
    ): (INDEX_LOOKUP.code, 10),
    ("entity P:\n    int a\nend\nentity Q:\n    string a\nend\nentity C extends P, Q:\nend\n"): (
        DUPLICATE.code,
        7,
    ),
    "x = null\ny = x.foo\n": (TYPE.code, 2),
    'b = 1\na = f"{b:{c}}"\n': (UNKNOWN_NAME.code, 2),
}


@pytest.mark.parametrize("text", VALUES)
def test_value(text: str) -> None:
    model = evaluate(text + "\n")
    assert model.findings == []
    assert model.variables()["a"] == VALUES[text]


@pytest.mark.parametrize("text", ERRORS)
def test_error(text: str) -> None:
    findings = evaluate(text).findings
    assert [(one.code, one.place.location.line) for one in findings] == [ERRORS[text]]


_NODES = "entity E:\n    int n\nend\nimplement E using std::none\nE.kids [0:] -- E\n"

GRADUAL = {
    "its own relation": (
        "e = E(n=0)\ne.kids = [E(n=k.n + 1) for k in e.kids if k.n < 3]\ne.kids += E(n=1)\n",
        [1, 2, 3],
    ),
    "each other": (
        "e = E(n=0)\nf = E(n=5)\ne.kids = [k for k in f.kids]\nf.kids = [k for k in e.kids]\n"
        "e.kids += E(n=1)\nf.kids += E(n=2)\n",
        [1, 2],
    ),
    "constructor": ("f = E(n=5)\ne = E(n=0, kids=[k for k in f.kids])\nf.kids += E(n=1)\n", [1]),
    "loop": (
        "e = E(n=0)\nf = E(n=5)\nfor x in [k for k in f.kids if k.n > 1]:\n    e.kids += x\nend\n"
        "f.kids += E(n=1)\nf.kids += E(n=2)\n",
        [2],
    ),
    "two loops": (
        "a = E(n=0)\nb = E(n=0)\ne = E(n=9)\ne.kids = [E(n=x.n * 10 + y.n) for x in a.kids for y in b.kids]\n"
        "a.kids += E(n=1)\nb.kids += E(n=2)\na.kids += E(n=3)\nb.kids += E(n=4)\n",
        [12, 14, 32, 34],
    ),
    "relations of the items": (
        "a = E(n=0)\ne = E(n=9)\ne.kids = [x.kids for x in a.kids]\na.kids += E(n=1, kids=[E(n=11), E(n=12)])\n",
        [11, 12],
    ),
    "item that waits": (
        "a = E(n=0)\ne = E(n=9)\ne.kids = [E(n=x.n + later) for x in a.kids]\na.kids += E(n=1)\nlater = 5\n",
        [6],
    ),
    "name of the target": (
        "e = E(n=0)\nl = E(n=1, kids=[E(n=2), E(n=3)])\ne.kids = [e for e in l.kids if e.n > 2]\n",
        [3],
    ),
    "part of a list": ("e = E(n=0)\nl = E(n=1)\ne.kids = [E(n=7), [x for x in l.kids]]\nl.kids += E(n=8)\n", [7, 8]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), GRADUAL.values(), ids=GRADUAL)
def test_a_comprehension_gives_items_as_they_come(text: str, expected: list[int]) -> None:
    model = evaluate(_NODES + text + "c = std::count(e.kids)\n")
    assert model.findings == []
    assert sorted(property_of(one, "n") for one in property_of(model.variables()["e"], "kids")) == expected


def test_a_comprehension_keeps_nothing_of_finished_items() -> None:
    import tracemalloc

    tracemalloc.start()
    evaluate("l = std::sequence(250)\nx = [1 for a in l for b in l if a > 5000]\n")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 6_000_000
