"""Regular expressions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.expressions.yaql.cases import gives, says

VALUES: list[tuple[str, Any]] = [
    ("regex('a.').matches('xaby')", True),
    ("'xaby'.matches('a.')", True),
    ("'x'.matches('a')", False),
    ("'xyz'.matches('((x)|y|z)*+')", True),
    ("abc =~ '^a'", True),
    ("abc =~ regex('^b')", False),
    ("abc !~ '^a'", False),
    ("abc !~ regex('^b')", True),
    ("regex('A', ignoreCase => true).matches(a)", True),
    ("regex('^b', multiLine => true).matches('a\\nb')", True),
    ("regex('a.b', dotAll => true).matches('a\\nb')", True),
    ("regex('a.b').matches('a\\nb')", False),
    ("regex('[0-9]+').search('a12b')", "12"),
    ("regex('z').search(abc)", None),
    ("regex('(.)(?P<last>.)').search(ab, [$.value, $2.value, $last.start])", ["ab", "a", 1]),
    ("regex('[0-9]').searchAll('a1b2')", ["1", "2"]),
    ("regex('[0-9]').searchAll('a1b2', $.start)", [1, 3]),
    ("regex(',').split('a,b,c')", ["a", "b", "c"]),
    ("regex(',').split('a,b,c', 1)", ["a", "b,c"]),
    ("'a,b'.split(regex(','))", ["a", "b"]),
    ("regex('[0-9]').replace('a1b2', '#')", "a#b#"),
    ("'a1b2'.replace(regex('[0-9]'), '#', 1)", "a#b2"),
    ("regex('([0-9])').replace('a1', '<\\\\1>')", "a<1>"),
    ("regex('[0-9]').replaceBy('a1b2', str(int($.value) + 1))", "a2b3"),
    ("'a1b2'.replaceBy(regex('[0-9]'), '', 1)", "ab2"),
    ("regex('b').replaceBy(abc, null)", "ac"),
    ("escapeRegex('a.b')", "a\\.b"),
    ("isRegex(regex(a))", True),
    ("isRegex(a)", False),
]

ERRORS = [
    (
        "regex('(')",
        "'(' is not a regular expression: missing ), unterminated subpattern at position 0",
        "regex('(')",
    ),
    (
        "'a' =~ '('",
        "'(' is not a regular expression: missing ), unterminated subpattern at position 0",
        "'a' =~ '('",
    ),
    ("regex('b').replaceBy(abc, 1)", "the replacement is not a string", "replaceBy(abc, 1)"),
    (
        "regex('a').replace('a', '\\\\9')",
        "'\\\\9' is not a replacement: invalid group reference 9 at position 1",
        "replace('a', '\\\\9')",
    ),
    (
        "regex(1)",
        "the function `regex` does not take these arguments; there is `regex(pattern, ignoreCase?, multiLine?, dotAll?)`",
        "regex(1)",
    ),
]


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_values(expression: str, value: Any) -> None:
    gives(expression, value)


@pytest.mark.parametrize(("expression", "message", "part"), ERRORS)
def test_errors(expression: str, message: str, part: str) -> None:
    says(expression, message, part)
