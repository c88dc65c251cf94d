"""Calls of methods: how deep they may be nested."""

from __future__ import annotations

import pytest

from sabir.languages.muranopl.model.errors import Unstoppable
from tests.languages.muranopl.packages import load

MODEL = {"?": {"id": "root", "type": "demo.Root"}}
HEAD = "Namespaces: {=: demo}\nName: Root\nMethods:\n  go:\n    Body:\n      - "
HELPER = "\n  help:\n    Arguments: [{a: {Contract: $}}]\n    Body: "
EXTENSION = HELPER.replace("help:", "help:\n    Usage: Extension")


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("$.go()", id="call"),
        pytest.param("Return: $.go()", id="return"),
        pytest.param("$x: {a: [$.go()]}", id="data"),
        pytest.param("$x: 1 + int($.go())", id="operator"),
        pytest.param("$x: switch(true => $.go())", id="branch-of-expression"),
        pytest.param("$x: list(1).select($this.go())", id="select"),
        pytest.param("$x: list(1).where($this.go()).toList()", id="where"),
        pytest.param("If: $.go()\n        Then: []", id="if"),
        pytest.param("While: $.go()\n        Do: []", id="while"),
        pytest.param("For: i\n        In: [1]\n        Do: $.go()", id="for"),
        pytest.param("Try: $.go()\n        Catch: [{With: X, Do: []}]", id="try"),
        pytest.param("Parallel: [$.go()]", id="parallel"),
        pytest.param("$x: list(1, 2).pselect($this.go())", id="pselect"),
        pytest.param("$x: :Root.go()\n    Usage: Static", id="static"),
        pytest.param("$.help($.go())" + HELPER + "[]", id="in-argument"),
        pytest.param("$.help(a => 1)" + HELPER + "$.go()", id="named-argument"),
        pytest.param("$.help()" + EXTENSION + "$a.go()", id="extension"),
    ],
)
def test_calls_reach_the_limit_of_sabir_before_those_of_python(body: str) -> None:
    session = load(HEAD + body + "\n", MODEL)
    with pytest.raises(Unstoppable, match="more than 400 levels deep") as failure:
        session.call(session.find_object("root"), "go")
    assert len(failure.value.finding().frames) == 400
