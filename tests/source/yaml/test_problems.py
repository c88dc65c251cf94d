"""What is wrong with a text becomes a problem with its place; hostile texts end within bounds."""

from __future__ import annotations

import time

import pytest

from sabir.source.yaml import (
    YamlLimits,
    YamlMapping,
    YamlScalar,
    YamlSequence,
    YamlStream,
    compose,
    plain_data,
)
from sabir.text import Source
from tests.support.process import peak_memory


def _read(text: str, **limits: int) -> YamlStream:
    return compose(Source("test.yaml", text), tags=frozenset({"!yaql"}), limits=YamlLimits(**limits))


BROKEN: list[tuple[str, str, int, str]] = [
    ("a: [1, 2\n", "E002", 1, "the [ that opens here is never closed"),
    ("a: 1\n\tb: 2\n", "E002", 2, "tab"),
    ("a: b: c\n", "E002", 1, "a second ': ' in one line"),
    ("a: *nowhere\n", "E002", 1, "alias *nowhere has no anchor before it"),
    ("---\na: &x 1\n---\nb: *x\n", "E002", 4, "alias *x has no anchor before it"),
    ("a: &x\n  b: *x\n", "E004", 2, "alias *x contains itself"),
    ("a: 1\nb: !secret x\n", "E002", 2, "unknown tag !secret"),
    ("a: !mine [1]\n", "E002", 1, "tag !mine is unknown"),
    ("a: !!python/object:os.system {}\n", "E002", 1, "!!python/object:os.system"),
    ("a: !!map [1]\n", "E002", 1, "tag !!map belongs to another kind of value"),
    ("a: !!int x\n", "E002", 1, "'x' is no !!int"),
    ("a: 2001-99-99\n", "E002", 1, "2001-99-99"),
    ("a: 1\n<<: 5\n", "E002", 2, "<< needs a mapping"),
    ("a: é\x00b\n", "E002", 1, "control characters"),
    ("äöü: 😀\nb: \x07\n", "E002", 2, "control characters"),
    ("a: '\n", "E002", 1, "the quote ' that opens here is never closed"),
    ("a: \ud800\n", "E002", 1, "surrogate"),
    ('a: "\\q"\n', "E002", 1, "means nothing in double quotes"),
]


@pytest.mark.parametrize("text, code, line, words", BROKEN, ids=[words for _, _, _, words in BROKEN])
def test_broken_text(text: str, code: str, line: int, words: str) -> None:
    stream = _read(text)
    assert stream.broken
    problem = stream.findings[-1]
    assert problem.code == code
    assert words in problem.message
    assert stream.source.line_column(problem.place.span.start)[0] == line
    assert 0 <= problem.place.span.start <= problem.place.span.end <= len(text)


def test_documents_before_the_broken_one_are_kept() -> None:
    stream = _read("a: 1\n---\nb: [\n")
    assert [None if one is None else plain_data(one) for one in stream.documents] == [{"a": 1}]


def test_accepted_tags_are_kept() -> None:
    (document,) = _read("a: !yaql $.x\nb: !yaql [1]\nc: !yaql {d: 1}\n").documents
    assert isinstance(document, YamlMapping)
    assert [getattr(value, "tag", None) for _, value in document.items()] == ["!yaql"] * 3
    first = document.get("a")
    assert isinstance(first, YamlScalar)
    assert first.value == "$.x"


@pytest.mark.parametrize(
    "text, places",
    [
        ("a: 1\nb: 2\na: 3\n", [(3, 1)]),
        ("a: 1\n'a': 2\n\"a\": 3\n", [(2, 1), (3, 1)]),
        ("{a: 1, b: {c: 1, c: 2}}\n", [(1, 18)]),
        ("1: x\ntrue: y\n1.0: z\n'1': w\n", []),
        ("1: x\ntrue: y\ntrue: z\n", [(3, 1)]),
        ("a: &x {k: 1}\nb: {<<: *x, k: 2}\n", []),
        ("a: 1\n---\na: 2\n", []),
    ],
)
def test_duplicate_keys_are_kept_and_reported(text: str, places: list[tuple[int, int]]) -> None:
    stream = _read(text)
    assert not stream.broken
    assert [stream.source.line_column(problem.place.span.start) for problem in stream.findings] == places
    assert all(problem.code == "E006" and problem.related for problem in stream.findings)


def test_last_duplicate_wins() -> None:
    (document,) = _read("a: 1\na: 2\n").documents
    assert isinstance(document, YamlMapping)
    assert len(document) == 2
    assert plain_data(document) == {"a": 2}
    found = document.get("a")
    assert isinstance(found, YamlScalar)
    assert found.value == 2


def test_depth_limit() -> None:
    assert not _read("[" * 5 + "]" * 5, depth=5).broken
    stream = _read("[" * 6 + "]" * 6, depth=5)
    assert (stream.findings[0].code, stream.findings[0].place.span.start) == ("E004", 5)


def test_node_limit_counts_what_aliases_repeat() -> None:
    text = "a: &x [1, 2, 3]\nb: [*x, *x]\n"  # 1 + a 1 + x 4 + b 1 + 1 + 8
    assert not _read(text, nodes=16).broken
    stream = _read(text, nodes=15)
    assert stream.findings[0].code == "E004"
    assert "more than 15 nodes" in stream.findings[0].message
    assert stream.source.slice(stream.findings[0].place.span) == "*x"


@pytest.mark.parametrize(
    "text",
    ["[" + "1," * 20 + "]", "[" + "[]," * 20 + "]", "{" + "".join(f"{n}: {n}," for n in range(9)) + "}"],
)
def test_node_limit_counts_whatever_is_written(text: str) -> None:
    assert [problem.code for problem in _read(text, nodes=15).findings] == ["E004"]
    assert not _read(text, nodes=30).broken


def _laughs(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" for level in range(1, levels)]
    return "\n".join(lines)


_MANY_KEYS = "base: &b {" + ", ".join(f"k{number}: 1" for number in range(2000)) + "}\n"
HOSTILE = {
    "deep flow": "[" * 100_000,
    "deep block": "".join("  " * level + "a:\n" for level in range(400)),
    "deep keys": "? " * 50_000,
    "aliases of aliases": _laughs(12),
    "merged again and again": _MANY_KEYS + "all:\n" + "".join("- {<<: *b}\n" for _ in range(20_000)),
    "many merges in one": _MANY_KEYS + "all:\n" + "".join("  <<: *b\n" for _ in range(20_000)),
    "list of merges": _MANY_KEYS + "all: {<<: [" + ", ".join(["*b"] * 20_000) + "]}\n",
    "merged keys that are lists": "a0: &a0 {? [x] : 1}\n"
    + "".join(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 60)),
    "long number": "a: " + "9" * 300_000,
    "long base 60": "a: 1" + ":59" * 1300,
    "long tagged number": "a: !!int " + "9" * 300_000,
    "long float": "a: " + "9" * 3000 + ".0",
    "many anchors": "".join(f"- &a{number} x\n" for number in range(20_000)),
    "one key many times": "".join("a: 1\n" for _ in range(10_000)),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_ends_within_bounds(text: str) -> None:
    """No assertion on a quick time: the bound only tells work that explodes from work that does not."""
    start = time.process_time()
    stream = _read(text)
    for document in stream.documents:
        if document is not None:
            plain_data(document)
    assert time.process_time() - start < 10
    assert peak_memory() < 1_500_000_000
    assert all(problem.code in ("E002", "E004", "E006") for problem in stream.findings)


def test_nodes_know_their_length() -> None:
    (document,) = _read("[a, {b: 1}]").documents
    assert isinstance(document, YamlSequence)
    assert len(document) == 2
    assert [type(item) for item in document] == [YamlScalar, YamlMapping]
