"""The result does not depend on the order of lines."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabir.languages.inmanta.evaluate.values import property_of
from tests.languages.inmanta.models import canonical, evaluate, random_statements


@pytest.mark.rows("I-001", "I-002")
@settings(max_examples=40)
@given(st.integers(min_value=0, max_value=10**6), st.randoms(use_true_random=False))
def test_permuted_statements_mean_the_same(seed: int, chance: random.Random) -> None:
    statements = random_statements(seed)
    expected = canonical(evaluate("\n".join(statements) + "\n"))
    chance.shuffle(statements)
    assert canonical(evaluate("\n".join(statements) + "\n")) == expected


FILES = """entity H:
end
entity F:
end
H.files [0:] -- F
H.more [0:] -- F
implement H using std::none
implement F using std::none
"""


@pytest.mark.parametrize("swap", [False, True])
def test_two_candidates_of_which_one_has_to_be_first(swap: bool) -> None:
    """Closing b.files first would make the write to it come too late."""
    lines = ["n = std::count(a.files)", "m = std::count(b.files)"]
    decide = ["if n == 0:\n    b.files += F()\nend", "a = H()", "b = H()"]
    text = FILES + "\n".join([*(reversed(lines) if swap else lines), *decide]) + "\n"
    model = evaluate(text)
    assert not model.findings
    assert (model.variables()["n"], model.variables()["m"]) == (0, 1)


def test_a_decision_inside_refinements_of_another_entity() -> None:
    text = FILES + (
        "entity S:\nend\nS.h [1] -- H\nS.other [1] -- H\nimplementation s for S:\n"
        "    if std::count(h.files) > 0:\n        other.files += F()\n    end\nend\nimplement S using s\n"
        "total = std::count(c.files)\n"
        "S(h=b, other=c)\nS(h=a, other=b)\na = H(files=F())\nb = H()\nc = H()\n"
    )
    model = evaluate(text)
    assert not model.findings
    assert model.variables()["total"] == 1


def test_lists_that_copy_each_other_end_with_the_union() -> None:
    model = evaluate(
        FILES
        + "a = H(files=F())\nb = H(files=F())\na.files += b.files\nb.files += a.files\nn = std::count(a.files)\n"
    )
    assert model.variables()["n"] == 2


def test_a_loop_may_add_to_the_list_it_walks() -> None:
    model = evaluate(
        "entity N:\n    int n\nend\nN.all [0:] -- N\nimplement N using std::none\nr = N(n=0, all=N(n=1))\n"
        "for x in r.all:\n    if x.n < 5:\n        r.all += N(n=x.n + 1)\n    end\nend\nc = std::count(r.all)\n"
    )
    assert model.variables()["c"] == 5


def test_instances_may_name_each_other() -> None:
    model = evaluate(
        "entity A:\nend\nA.other [1] -- A\nimplement A using std::none\na = A(other=b)\nb = A(other=a)\n"
    )
    assert not model.findings
    assert property_of(model.variables()["a"], "other") is model.variables()["b"]


def test_nothing_is_made_twice_when_a_statement_waits() -> None:
    model = evaluate(FILES + "h = H(files=[F(), later])\nx = [H(), late]\nlate = H()\nlater = F()\n")
    assert not model.findings
    kinds = sorted(one.entity.name for one in model.instances if "config" in one.entity.name)
    assert kinds == ["__config__::F"] * 2 + ["__config__::H"] * 3


@pytest.mark.parametrize(
    "text",
    [
        "entity A:\nend\nimplementation i for A:\n    A()\nend\nimplement A using i\nA()\n",
        "entity A:\nend\nimplementation i for A:\n    A()\n    A()\nend\nimplement A using i\nA()\n",
        'x = 2 ** 9999999\ny = "{{x}}"\n',
        "for i in std::sequence(100000000):\nend\n",
    ],
)
def test_endless_models_end(text: str) -> None:
    assert evaluate(text).findings


def test_many_waiting_statements_stay_linear() -> None:
    lines = [f"a{n} = a{n + 1}" for n in range(3000)]
    model = evaluate("\n".join([*lines, "a3000 = 1"]) + "\n")
    assert model.variables()["a0"] == 1


@pytest.mark.parametrize("swap", [False, True])
def test_where_two_outcomes_are_right_the_order_of_lines_does_not_choose(swap: bool) -> None:
    lines = ["a = H(more=F())", "b = H()"]
    text = (
        FILES
        + "\n".join([*(reversed(lines) if swap else lines)])
        + (
            "\nif std::count(a.files) == 0:\n    b.files += F()\nend\nif std::count(b.files) == 0:\n    a.files += F()\nend\n"
            "n = std::count(a.files)\nm = std::count(b.files)\n"
        )
    )
    model = evaluate(text)
    assert not model.findings
    assert (model.variables()["n"], model.variables()["m"]) == (1, 0)
