"""Random programs for the law: a root with a helper, methods, and every kind of statement."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from hypothesis import strategies as st

__all__ = ["Program", "programs"]

INPUTS = ("a", "b", "c")
OUTPUTS = ("x", "y", "z")
LOCALS = ("l", "m", "n")
METHODS = ("first", "second")
_Lines = list[str]


@dataclass(frozen=True)
class Program:
    classes: str
    model: str


def _indented(lines: _Lines, by: int = 4) -> _Lines:
    return [" " * by + line for line in lines]


numbers = st.integers(0, 9).map(str)
_names = st.one_of(
    st.sampled_from(INPUTS).map("$.{}".format),
    st.sampled_from(OUTPUTS).map("$.{}".format),
    st.sampled_from(LOCALS).map("${}".format),
    st.sampled_from(("$.helper.v", "$.helper.w", "$p")),
    numbers,
)


def _sum(left: str, operator: str, right: str) -> str:
    return f"{left} {operator} {right}"


_sums = st.builds(_sum, _names, st.sampled_from("+-*"), _names)


@cache
def expressions(depth: int) -> st.SearchStrategy[str]:
    """Integers made of what there is; `depth` methods may still be called."""
    if depth == 0:
        return st.one_of(_names, _sums)
    call = st.builds("$.{}({})".format, st.sampled_from(METHODS[-depth:]), _names)
    return st.one_of(
        _names,
        _sums,
        call.map("coalesce({}, 1)".format),
        _names.map("$.helper.plus({})".format),
        st.builds("switch({0} > {1} => {1}, true => {0} + {2})".format, _names, _names, numbers),
        st.builds("[1, {0}, 5].where($ > {1}).select($ + {2}).sum(0)".format, numbers, numbers, numbers),
    )


@cache
def conditions(depth: int) -> st.SearchStrategy[str]:
    return st.builds("{} {} {}".format, expressions(depth), st.sampled_from(("<", ">", "=")), _names)


@cache
def _assignments(depth: int) -> st.SearchStrategy[_Lines]:
    targets = st.sampled_from([f"$.{name}" for name in OUTPUTS] + [f"${name}" for name in LOCALS])
    plain = st.builds(lambda target, value: [f"- {target}: {value}"], targets, expressions(depth))
    return st.one_of(plain, plain, _names.map(lambda value: [f"- $.helper.set({value})"]))


@cache
def blocks(depth: int, size: int, *, loop: bool) -> st.SearchStrategy[_Lines]:
    statement = statements(depth, size, loop=loop) if size else _assignments(depth)
    return st.lists(statement, min_size=1, max_size=2).map(
        lambda parts: [line for part in parts for line in part]
    )


@cache
def statements(depth: int, size: int, *, loop: bool) -> st.SearchStrategy[_Lines]:
    inner, rounds = blocks(depth, size - 1, loop=loop), blocks(depth, size - 1, loop=True)
    condition = conditions(depth)
    leave = [["- Break:"], ["- Continue:"]] if loop else []
    choices: list[st.SearchStrategy[_Lines]] = [
        _assignments(depth),
        _assignments(depth),
        st.builds(lambda test, then: [f"- If: {test}", "  Then:", *_indented(then)], condition, inner),
        st.builds(
            lambda test, then, other: [
                f"- If: {test}",
                "  Then:",
                *_indented(then),
                "  Else:",
                *_indented(other),
            ],
            condition,
            inner,
            inner,
        ),
        st.builds(
            lambda test, way: [f"- If: {test}", "  Then:", f"    {way}"],
            condition,
            st.sampled_from([line for (line,) in leave] + ["- Return: 3", "- Return: $.a"]),
        ),
        st.builds(
            lambda items, body: ["- For: n", f"  In: [{items}]", "  Do:", *_indented(body)],
            st.lists(_names, min_size=0, max_size=3).map(", ".join),
            rounds,
        ),
        st.builds(
            lambda times, body: [f"- Repeat: {times}", "  Do:", *_indented(body)], st.integers(0, 3), rounds
        ),
        st.builds(
            lambda most, body: [
                "- $i: 0",
                f"- While: $i < {most}",
                "  Do:",
                "    - $i: $i + 1",
                *_indented(body),
            ],
            st.one_of(st.integers(0, 3).map(str), st.just("$.a")),
            rounds,
        ),
        st.builds(
            lambda value, case, then, other: [
                "- Match:",
                f"    {case}:",
                *_indented(then, 6),
                f"  Value: {value}",
                "  Default:",
                *_indented(other),
            ],
            expressions(depth),
            numbers,
            inner,
            inner,
        ),
        st.builds(
            lambda one, two, then, other: [
                "- Switch:",
                f"    {one}:",
                *_indented(then, 6),
                f"    {two}:",
                *_indented(other, 6),
                "  Default:",
                *_indented(other),
            ],
            condition,
            condition,
            inner,
            inner,
        ),
        st.builds(
            lambda test, body, caught, other: [
                "- Try:",
                *_indented([f"- If: {test}", "  Then:", "    - Throw: Odd", "      Message: odd", *body]),
                "  Catch:",
                "    With: Odd",
                "    Do:",
                *_indented(caught, 6),
                "  Else:",
                *_indented(other),
            ],
            condition,
            inner,
            inner,
            inner,
        ),
        st.builds(
            lambda one, two: ["- Parallel:", *_indented([*one, *two])],
            _assignments(depth),
            _assignments(depth),
        ),
    ]
    return st.one_of(choices)


def _properties() -> st.SearchStrategy[str]:
    def text(defaults: tuple[str, ...]) -> str:
        found = ""
        for name, default in zip((*INPUTS, *OUTPUTS), defaults, strict=True):
            usage = "    Usage: Out\n" if name in OUTPUTS else ""
            found += f"  {name}:\n    Contract: $.int()\n{usage}    Default: {default}\n"
        return found + "  helper:\n    Contract: $.class(Helper)\n"

    return st.tuples(*[numbers] * 6).map(text)


HELPER = """\
---
Name: Helper
Properties:
  v:
    Contract: $.int()
    Usage: InOut
    Default: 2
  w:
    Contract: $.int()
    Usage: Out
Methods:
  .init:
    Body:
      - $.w: $.v + 1
  set:
    Arguments:
      - value:
          Contract: $.int()
    Body:
      - $.v: $value
  plus:
    Arguments:
      - value:
          Contract: $.int()
    Body:
      - If: $value > 4
        Then:
          - Return: $.v + 2
      - $.w: $.w + 1
      - Return: $value + $.w
"""


@st.composite
def programs(draw: st.DrawFn) -> Program:
    lines = ["Name: Root", "Properties:", *draw(_properties()).rstrip("\n").split("\n"), "Methods:"]
    start = [f"- ${name}: {draw(numbers)}" for name in (*LOCALS, "i")]
    for depth, name in ((0, METHODS[1]), (1, METHODS[0])):
        lines += [f"  {name}:", "    Arguments:", "      - p:", "          Contract: $.int()", "    Body:"]
        lines += _indented([*start, *draw(blocks(depth, 1, loop=False))], 6)
        lines += _indented([f"- Return: {draw(_names)}"], 6)
    body = draw(blocks(2, 2, loop=False)) + draw(blocks(2, 2, loop=False))
    lines += ["  .init:", "    Body:", *_indented([*start, f"- $p: {draw(numbers)}", *body], 6)]
    model = "'?': {id: root, type: demo.Root, name: root}\n"
    for name in draw(st.sets(st.sampled_from(INPUTS))):
        model += f"{name}: {draw(numbers)}\n"
    model += f"helper:\n  '?': {{id: helper, type: demo.Helper, name: helper}}\n  v: {draw(numbers)}\n"
    return Program("\n".join(lines) + "\n" + HELPER, model)
