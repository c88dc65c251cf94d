"""Runaway expressions end in a clear error, soon."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from sabir.expressions.yaql import Engine, LimitExceeded, Options, YaqlRuntimeError, evaluate

RUNAWAY = [
    "range(2001).toList()",
    "sequence()",
    "sequence().len()",
    "range(1000000000000000000).len()",
    "1.repeat().toSet()",
    "generate(1, true, $)",
    "'ab' * 300000",
    "[1] * 1000000000000",
    "range(60).aggregate($1 + $1, 'ab')",
    "range(60).aggregate($1 * $1, 3)",
    "pow(9, pow(9, 9))",
    "pow(3, pow(10, 100000), pow(10, 100000))",
    "pow(10, 1000000) / pow(7, 600000)",
    "shiftBitsLeft(1, pow(10, 12))",
    "('a' * 1000).replace(a, 'x' * 100000)",
    "('a' * 100000).replace(regex(a), 'x' * 10000)",
    "range(2000).select('a' * 500).join('b' * 5000)",
    "range(2000).select(range(2000).select(range(2000).sum()).sum()).sum()",
    "sequence().limit(1999).select(sequence().limit(1999).select(sequence().limit(1999).sum()).sum()).sum()",
    "def(f, f($)) -> f(1)",
    "def(f, switch($ < 2 => 1, true => f($ - 1) + f($ - 2))) -> f(60)",
    "range(60).aggregate([$1, $1], 1)",
    "range(60).aggregate([$1, $1], 1) = range(60).aggregate([$1, $1], 1)",
    "[range(60).aggregate([$1, $1], 1)].distinct()",
    "str(range(60).aggregate([$1, $1], 1))",
    "range(1500).aggregate([$1], 1).flatten()",
    "range(1500).aggregate([$1], 1)",
    "range(1500).aggregate([$1], 1) = range(1500).aggregate([$1], 1)",
    "range(1999).select(('a' * 500000).toUpper()).toList().len()",
]


@pytest.mark.parametrize("text", RUNAWAY)
def test_runaway(text: str) -> None:
    started = time.process_time()
    engine = Engine(
        options=Options(limit_steps=200_000)
    )  # a tenth of the default, to be done in a tenth of the time
    with pytest.raises(LimitExceeded) as caught:
        engine.evaluate(text)
    assert time.process_time() - started < 2
    assert caught.value.span is not None


def test_a_regular_expression_is_ended() -> None:
    with pytest.raises(LimitExceeded, match="takes too long"):
        evaluate("regex('(a|aa)+$').matches('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab')")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("('ab' * 20).search(x)", None),
        ("regex('(a+)+b').search('aaaaaaaaaaaaaaaaaaaaaaaab', $2.value)", "a" * 24),
        ("regex('(x|y)+,').split('xyxyxyxyxyxyxyxyxyxy,z', 1)", ["", "y", "z"]),
        ("regex('(x|y)+(,)').replace('xyxyxyxyxyxyxyxyxyxy,z', '<\\\\2>')", "<,>z"),
        ("regex('(x|y)+,').searchAll('xyxyxyxyxyxyxyxyxyxy,xy,z').len()", 2),
    ],
)
def test_a_costly_regular_expression_gives_the_same_result(text: str, expected: object) -> None:
    engine = Engine()
    if ".search(x)" in text:
        with pytest.raises(YaqlRuntimeError):
            engine.evaluate(text)
    else:
        assert engine.evaluate(text) == expected


@pytest.mark.slow
def test_nothing_relies_on_the_recursion_limit_of_python() -> None:
    """An embedder may raise it; then the C stack is what must not run out."""
    nested = "[1]"
    for _ in range(12):
        nested = f"range(1999).aggregate(STEP, {nested})"
    deep = nested.replace("STEP", "[$1]")
    texts = [
        nested.replace("STEP", "$1.select($)"),
        nested.replace("STEP", "$1.orderBy($)"),
        deep,
        f"{deep} = {deep}",
        f"[{deep}].distinct()",
        f"str({deep})",
        f"{deep}.flatten()",
        "def(f, f($)) -> f(1)",
        "def(f, [1, 2].orderBy(f($)).first()) -> f(1)",
        "generate([1], true, $.select($)).limit(1900).last()",
    ]
    program = (
        "import sys; sys.setrecursionlimit(50_000)\n"
        "from sabir.expressions.yaql import Engine, LimitExceeded\n"
        f"for text in {texts!r}:\n"
        "    try: Engine().evaluate(text)\n"
        "    except LimitExceeded: pass\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_limits_can_be_set() -> None:
    text = "range(3000).select($ + 1).sum()"
    with pytest.raises(LimitExceeded):
        evaluate(text)
    assert Engine(options=Options(limit_iterators=5000)).evaluate(text) == 4501500
    assert (
        Engine(options=Options(limit_iterators=-1, memory_quota=-1, limit_steps=-1)).evaluate(
            "('ab' * 300000).len()"
        )
        == 600000
    )
    with pytest.raises(LimitExceeded):
        Engine(options=Options(limit_steps=10)).evaluate("range(20).sum()")
