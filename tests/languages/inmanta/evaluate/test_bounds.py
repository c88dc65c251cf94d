"""Models that ask for more than anybody can give end soon, in a finding that says what was too much."""

from __future__ import annotations

import time

import pytest

from sabir.languages.inmanta.evaluate.budget import LIMIT
from tests.languages.inmanta.models import evaluate

_NODE = "entity A:\n    int n = 0\nend\nA.kids [0:] -- A\n"
_PLAIN = _NODE + "implement A using std::none\n"

MODELS = {
    "slow regex": (
        "typedef evil as string matching /(a|aa)+$/\nentity A:\n    evil x\nend\nimplement A using std::none\n"
        + f'for i in std::sequence(50):\n    A(x="{"a" * 40}b")\nend\n'
    ),
    "slow regex in a default": (
        "typedef evil as string matching /(a|a)+$/\nentity A:\n    evil x = \"" + "a" * 40 + 'b"\nend\n'
    ),
    "doubled text": 'a0 = "xxxxxxxxxxxxxxxx"\n' + "".join(f'a{n} = "{{{{a{n - 1}}}}}{{{{a{n - 1}}}}}"\n' for n in range(1, 60)),
    "doubled list": 'a0 = ["x"]\n' + "".join(f"a{n} = [a{n - 1}, a{n - 1}]\n" for n in range(1, 60)),
    "pairs": "l = std::sequence(10000)\nx = [a + b for a in l for b in l]\n",
    "loop over what it adds": _PLAIN + "a = A()\na.kids = A()\nfor k in a.kids:\n    a.kids += A(n=k.n + 1)\nend\n",
    "refinement of itself": _NODE + "implementation more for A:\n    A(n=self.n + 1)\nend\nimplement A using more\nA()\n",
    "long number": "x = 10 ** 100000000\n",
}  # fmt: skip

TEMPLATES = {
    "loops": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "output": "{% for a in range(99999) %}{% for b in range(99999) %}{{ a }}{% endfor %}{% endfor %}",
    "short loops": "{% for a in [1, 2, 3, 4, 5, 6, 7, 8] %}" * 9 + "{{ a }}" + "{% endfor %}" * 9,
    "short loops in a macro": "{% macro f() %}" + "{% for a in [1, 2, 3, 4] %}" * 12 + "{{ a }}" + "{% endfor %}" * 12 + "{% endmacro %}{{ f() }}",
    "growing text": "{% set ns = namespace(t='x') %}{% for a in range(64) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}",
    "long text": '{{ ("x" * 100000) * 100000 }}',
    "wide format": '{{ "%999999999d" | format(1) }}',
    "macro": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "include": '{% include "m/t.j2" %}',
    "long range": "{{ range(10000000000) | list }}",
}  # fmt: skip


@pytest.mark.parametrize("text", MODELS.values(), ids=MODELS)
def test_a_model_without_bounds_ends(text: str) -> None:
    started = time.thread_time()
    model = evaluate(text)
    assert [one.code for one in model.findings if one.code == LIMIT.code]
    assert time.thread_time() - started < 4


@pytest.mark.parametrize("text", TEMPLATES.values(), ids=TEMPLATES)
def test_a_template_without_bounds_ends(text: str) -> None:
    files = {
        "project.yml": "name: p\nmodulepath: libs\n",
        "libs/m/module.yml": "name: m\nversion: 1.0.0\nlicense: x\n",
        "libs/m/model/_init.cf": "",
        "libs/m/templates/t.j2": text,
    }
    started = time.thread_time()
    model = evaluate('import m\nx = std::template("m/t.j2")\n', **files)
    assert [one.code for one in model.findings] == [LIMIT.code]
    assert time.thread_time() - started < 2


def test_inheritance_through_many_diamonds_is_read_once() -> None:
    lines = ["entity E0:\n    int n = 1\nend\nentity F0 extends E0:\n    int n = undef\nend\n"]
    for level in range(1, 60):
        above = f"E{level - 1}, F{level - 1}"
        lines += [
            f"entity {kind}{level} extends {above}:\nend\nimplement {kind}{level} using parents\n"
            for kind in "EF"
        ]
    model = evaluate("".join(lines) + "implement E0 using std::none\nimplement F0 using std::none\nE59()\n")
    assert model.findings == []


def test_regexes_that_only_look_slow_are_quick() -> None:
    text = (
        "typedef name as string matching /^[a-z0-9]+(\\.[a-z0-9]+)*$/\nentity A:\n    name x\nend\n"
        "implement A using std::none\n"
        'for i in std::sequence(500):\n    A(x="host{{i}}.department.of.example.org")\nend\n'
    )
    started = time.thread_time()
    assert evaluate(text).findings == []
    assert time.thread_time() - started < 2
