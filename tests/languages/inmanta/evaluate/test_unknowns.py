"""Values that are not known before deployment, in every place of the language (recorded with inmanta-core 18)."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.graph.values import Unknown
from tests.languages.inmanta.models import evaluate

MODULE = {
    "libs/u/module.yml": "name: u\n",
    "libs/u/model/_init.cf": "",
    "libs/u/plugins/__init__.py": (
        "from inmanta.plugins import plugin\nfrom inmanta.execute.util import Unknown\n\n\n"
        '@plugin\ndef unknown() -> "any":\n    return Unknown(source=None)\n'
    ),
}
A = "entity A:\n    int n\nend\nimplement A using std::none\n"


def shown(value: Any) -> Any:
    if isinstance(value, list):
        return [shown(item) for item in value]
    return "?" if isinstance(value, Unknown) else value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("a == 1", "?"),
        ("1 != a", "?"),
        ("a == a", "?"),
        ("a == null", "?"),
        ("a in [1, 2]", "?"),
        ("1 in [1, a]", True),
        ("3 in [1, a]", "?"),
        ("3 not in [1, a]", "?"),
        ("not a", "?"),
        ("a or true", "?"),
        ("a and false", "?"),
        ("true and a", "?"),
        ("false and a", False),
        ("true or a", True),
        ("a is defined", "?"),
        ("[a] is defined", "?"),
        ("[a, null] is defined", True),
        ("[] is defined", False),
        ('{"k": a}["k"] is defined', "?"),
        ("a ? 1 : 2", "?"),
        ("a + 1", "?"),
        ("1 < a", "?"),
        ('"x{{a}}"', "?"),
        ('f"x{a}"', "?"),
        ("int(a)", "?"),
        ("string(a)", "?"),
        ("[x for x in [1, a, 3]]", [1, "?", 3]),
        ("[5 for x in [1, a]]", [5, "?"]),
        ("[x for x in a]", ["?"]),
        ("[x for x in [1, 2] if a]", ["?", "?"]),
        ("[x for x in [1, a, 3] if x == 1]", [1, "?"]),
        ("[y for x in [1, a] for y in [7]]", [7, "?"]),
        ("std::is_unknown(a)", True),
        ("std::is_unknown([a])", False),
        ("std::count([1, a])", 2),
        ("std::replace(a, 'x', 'y')", "?"),
        ('std::dict_keys({"k": a})', ["k"]),
    ],
)
def test_an_unknown_in_an_expression(expression: str, value: Any) -> None:
    model = evaluate(f"import u\na = u::unknown()\nx = {expression}\n", **MODULE)
    assert not model.findings
    assert shown(model.variables()["x"]) == value


@pytest.mark.parametrize(
    ("statements", "count"),
    [
        ("if a == 1:\n    A(n=1)\nelse:\n    A(n=2)\nend\n", 0),
        ("for x in a:\n    A(n=1)\nend\n", 0),
        ("for x in [1, a]:\n    A(n=x)\nend\n", 1),
        ("A(n=a)\nA(n=a)\n", 2),
        ("index A(n)\nA(n=a)\nA(n=a)\n", 1),
        ("index A(n)\nA(n=a)\nA(n=u::unknown())\n", 2),
    ],
)
def test_an_unknown_in_a_statement(statements: str, count: int) -> None:
    model = evaluate(f"import u\n{A}a = u::unknown()\n{statements}", **MODULE)
    assert not model.findings
    assert sum(instance.entity.shown == "A" for instance in model.instances) == count


def test_an_unknown_in_a_relation() -> None:
    relations = "A.one [0:1] -- A\nA.many [0:] -- A\nx = A(n=1, one=a, many=a)\n"
    text = f"import u\n{A}a = u::unknown()\n{relations}y = x.one is defined\nz = x.many is defined\n"
    model = evaluate(text, **MODULE)
    assert not model.findings
    assert shown([model.variables()[name] for name in "yz"]) == ["?", "?"]


def test_no_implementation_is_selected_by_an_unknown() -> None:
    entity = "entity A:\n    bool b\nend\nimplement A using std::none when b\nimplement A using std::none when not b\n"
    model = evaluate(f"import u\n{entity}A(b=u::unknown())\n", **MODULE)
    assert [finding.code for finding in model.findings] == ["INM:E016"]


def test_a_relation_annotated_with_an_unknown() -> None:
    model = evaluate(f"import u\n{A}a = u::unknown()\nA.other [0:1] a A\n", **MODULE)
    assert [(finding.code, finding.location.line) for finding in model.findings] == [("INM:E010", 7)]
