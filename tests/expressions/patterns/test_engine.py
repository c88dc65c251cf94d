"""Regular expressions of users: the same answers from both engines, and an end to each of them, on any thread."""

from __future__ import annotations

import contextlib
import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from sabir.expressions.patterns import (
    PatternRefusedError,
    ResultTooLongError,
    engine,
    guard_pattern,
    is_cheap,
    matches_start,
    matches_whole,
    substitute_matches,
)

SLOW = re.compile(r"(a|aa)+$")
TEXT = "a" * 40 + "b"

HOSTILE = [
    "(a|a)" * 36,
    "(a?a?)?" * 14,
    r"(a+)+$",
    r"(x+x+)+y",
    r"(?:a|a|a)*b",
    r"^(([a-z])+.)+[A-Z]([a-z])+$",
]


# Possessive repetitions that `re` fails on: with SystemError, with a wrong match, or by ending the process.
UNSOUND = [
    (r"((x)|y|z)*+", "xyz", (0, 3)),
    (r"((x)|y|z)*+", "", (0, 0)),
    (r"(?:ab?c)++", "aca", (0, 2)),
    (r"((?:(?<=a))?+)\1?", "ab", (0, 0)),
    (r"(?:((x)|y|z)*+)", "xyz", (0, 3)),
    (r"(?=((x)|y|z)*+)x", "xyz", (0, 1)),
    (r"(?(1)a|((x)|y|z)*+)", "xyz", (0, 3)),
    (r"((x)|y|z){0,9}+|a", "xyz", (0, 3)),
    (r"(?>((x)|y|z)*+)", "xyz", (0, 3)),
]


@pytest.mark.parametrize(("pattern", "text", "span"), UNSOUND)
def test_possessive_repetitions_do_not_run_in_re(pattern: str, text: str, span: tuple[int, int]) -> None:
    compiled = re.compile(pattern)
    asked = guard_pattern(compiled, text)
    assert not isinstance(asked, re.Pattern)
    match = asked.match(text)
    assert match is not None
    assert match.span() == span


@pytest.mark.parametrize("template", ["-", r"\1"])
def test_replacing_matches_of_possessive_repetitions(template: str) -> None:
    pattern = re.compile(r"((x)|y|z)++")
    assert substitute_matches(pattern, "a xyz", template, most=100) == ("a -" if template == "-" else "a z")


@pytest.mark.parametrize("pattern", HOSTILE)
@pytest.mark.parametrize("text", ["a" * 36, "a" * 40 + "!", "x" * 40])
def test_patterns_made_to_hang_end(pattern: str, text: str) -> None:
    compiled, began = re.compile(pattern), time.process_time()
    for ask in (matches_start, matches_whole):
        with contextlib.suppress(PatternRefusedError):
            ask(compiled, text)
    assert time.process_time() - began < 5


def test_a_pattern_without_end_is_stopped_on_any_thread() -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(PatternRefusedError, match="takes too long"):
        pool.submit(matches_start, SLOW, TEXT).result(timeout=30)


@pytest.mark.slow
@pytest.mark.parametrize("ask", ["match", "search", "findall", "split", "finditer"])
def test_every_question_is_stopped(ask: str) -> None:
    with pytest.raises(PatternRefusedError):
        list(getattr(guard_pattern(SLOW, TEXT), ask)(TEXT) or ())


COST = [
    (r"abc", "x" * 10**6, True),
    (r"a+", "x" * 1000, True),
    (r"a+b+c+", "x" * 10_000, False),
    (r"(a+)+", "x" * 19, False),
    (r"(a|b)*", "x" * 19, True),
    (r"(aa|ba)*", "x" * 60, False),
    (r"(a|a)" * 36, "x", False),
    (r"(a?a?)?" * 14, "x" * 19, False),
    (r"(ab)*", "x" * 1000, True),
    (r"[(a+)+]", "x" * 10**6, True),
    (r"\(a+\)+", "x" * 100, True),
    (r"(?:a{2,5}){3}", "x" * 19, True),
    (r"(?:a{2,5}){30}", "x" * 60, False),
    (r"a*+[bc]++.?+", "x" * 19, True),
]


@pytest.mark.parametrize(("pattern", "text", "cheap"), COST, ids=[row[0] for row in COST])
def test_what_is_cheap(pattern: str, text: str, cheap: bool) -> None:
    assert is_cheap(re.compile(pattern), text) is cheap


# Each of these means something else to `regex` when it is handed over as it is, or once did.
SAME = {
    "braces of no repetition": (r"(?:foo){e}", "fo foo{e} fooo"),
    "errors allowed": (r"(?:cats){e<=1}", "cat cats{e<=1}"),
    "empty braces": (r"a{}b", "a{}b aab"),
    "no lower bound": (r"a{,2}b", "aaab"),
    "no bounds": (r"a{,}b", "aaab"),
    "class in a set": (r"[[:alpha:]]+", "ab:] x:]"),
    "escaped bracket in a set": (r"[\[a]+", "[a["),
    "bracket first in a set": (r"[]a]+", "]a]"),
    "sets of sets": (r"[a||b]+", "a|b"),
    "end": (r"a\Z", "a\na"),
    "dollar before the last line end": (r"a$", "a\n"),
    "look behind": (r"(?<=a)b", "ab bb"),
    "back reference": (r"(a|b)\1", "ab aabb"),
    "named": (r"(?P<x>a)(?P=x)?", "aab"),
    "group that took no part": (r"(a)|(b)", "ab"),
    "possessive": (r"a*+b", "aab"),
    "atomic": (r"(?>a|ab)c", "abc ac"),
    "empty matches": (r"x*", "axb"),
    "word ends": (r"\b", "ab cd"),
    "space": (r"\s+", "a \t\u00a0b"),
    "verbose": ("(?x) a  # the {first}\n b", "ab"),
    "ascii": (r"(?a)\w+", "aé b"),
    "ignore case": (r"(?i)straße|ſ|K", "STRASSE s k STRAßE"),
    "multiline": (r"(?m)^a$", "a\nb\na"),
    "dot": (r"(?s).+", "a\nb"),
    "octal": (r"\101\x42\u0043", "ABC"),
}


@pytest.mark.filterwarnings("ignore:Possible (nested set|set union):FutureWarning")
@pytest.mark.parametrize(("pattern", "text"), SAME.values(), ids=SAME.keys())
def test_both_engines_agree(pattern: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = re.compile(pattern)
    monkeypatch.setattr(engine, "is_cheap", lambda *_: False)
    other = guard_pattern(compiled, text)
    assert other is not compiled
    assert [match.regs for match in other.finditer(text)] == [match.regs for match in compiled.finditer(text)]
    assert other.findall(text) == compiled.findall(text)
    assert other.split(text) == compiled.split(text)
    assert other.split(text, 1) == compiled.split(text, 1)
    for ask in ("match", "search"):
        first, second = getattr(other, ask)(text), getattr(compiled, ask)(text)
        assert (first and first.regs) == (second and second.regs)


REPLACEMENTS = [
    (r"(a)(b)?", r"[\1\2\g<0>]", "abaxa", 0),
    (r"(?P<n>a)", r"\g<n>\n", "aa", 1),
    (r"x*", "-", "axb", 0),
    (r"a", r"\\", "bab", 0),
    (r"nothing", "x", "abc", 0),
]


@pytest.mark.parametrize("cheap", [True, False])
@pytest.mark.parametrize(("pattern", "template", "text", "count"), REPLACEMENTS)
def test_replacing_as_python_does(
    pattern: str,
    template: str,
    text: str,
    count: int,
    *,
    cheap: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "is_cheap", lambda *_: cheap)
    compiled = re.compile(pattern)
    assert substitute_matches(compiled, text, template, count=count, most=100) == compiled.sub(
        template, text, count
    )


def test_a_result_that_grows_is_refused_before_it_is_made() -> None:
    with pytest.raises(ResultTooLongError):
        substitute_matches(re.compile("a"), "a" * 10, "b" * 10, most=50)


@pytest.mark.parametrize("template", [r"\2", r"\q", r"\g<none>"])
def test_a_wrong_template_is_refused_as_python_does(template: str) -> None:
    with pytest.raises((re.error, IndexError)):
        substitute_matches(re.compile("(x)"), "abc", template, most=100)
