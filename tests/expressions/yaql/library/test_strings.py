"""Text."""

from __future__ import annotations

from typing import Any

import pytest

from tests.expressions.yaql.cases import gives, says

VALUES: list[tuple[str, Any]] = [
    ("'a' < 'b'", True),
    ("'b' <= 'a'", False),
    ("'a' + 'b'", "ab"),
    ("'ab' * 2", "abab"),
    ("2 * 'ab'", "abab"),
    ("'ab' * 0", ""),
    ("a in abc", True),
    ("abc.toUpper()", "ABC"),
    ("'ABC'.toLower()", "abc"),
    ("len(abc)", 3),
    ("abc.len()", 3),
    ("'a,b,c'.split(',')", ["a", "b", "c"]),
    ("'a b  c'.split()", ["a", "b", "c"]),
    ("'a,b,c'.split(',', 1)", ["a", "b,c"]),
    ("'a,b,c'.rightSplit(',', 1)", ["a,b", "c"]),
    ("','.join([1, a, null])", "1,a,null"),
    ("[1, 2].join('-')", "1-2"),
    ("str(true)", "true"),
    ("str(null)", "null"),
    ("str([1, a])", "(1, 'a')"),
    ("str({a => 1})", "{'a': 1}"),
    ("str(1.5)", "1.5"),
    ("' a '.trim()", "a"),
    ("'xax'.trim('x')", "a"),
    ("'xax'.trimLeft('x')", "ax"),
    ("'xax'.trimRight('x')", "xa"),
    ("norm(' a ')", "a"),
    ("norm('  ')", None),
    ("isEmpty('')", True),
    ("isEmpty(' ')", True),
    ("isEmpty(null)", True),
    ("abcabc.replace(a, x)", "xbcxbc"),
    ("abcabc.replace(a, x, 1)", "xbcabc"),
    ("abcabc.replace({a => 1, b => 2})", "12c12c"),
    ("abcd.substring(1)", "bcd"),
    ("abcd.substring(1, 2)", "bc"),
    ("abcd.substring(-2)", "cd"),
    ("abcd.substring(1, -1)", "bcd"),
    ("abcabc.indexOf(b)", 1),
    ("abcabc.indexOf(b, 2)", 4),
    ("abcabc.indexOf(z)", -1),
    ("abcabc.lastIndexOf(b)", 4),
    ("abcabc.lastIndexOf(b, 0, 3)", 1),
    ("abc.toCharArray()", ["a", "b", "c"]),
    ("characters(digits => true)", ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]),
    ("characters(octdigits => true)", ["0", "1", "2", "3", "4", "5", "6", "7"]),
    ("isString(a)", True),
    ("isString(1)", False),
    ("abc.startsWith(a)", True),
    ("abc.startsWith(x, ab)", True),
    ("abc.endsWith(bc)", True),
    ("abc.endsWith(x)", False),
    ("hex(255)", "0xff"),
    ("concat(a, b, c)", "abc"),
]

ERRORS = [
    ("'a' + 1", "the operator `+` does not take a string and an integer", "'a' + 1"),
    ("toUpper(1)", "there is no function `toUpper`", "toUpper(1)"),
    ("'a' * 100000000", "a value takes more than 524288 bytes, the most that is allowed", "'a' * 100000000"),
    ("hex(1.5)", "number cannot be interpreted as an integer", "hex(1.5)"),
    ("'a'.nosuch()", "there is no method `nosuch`", "nosuch()"),
    (
        "'abc'.substring(x)",
        "the method `substring` does not take these arguments; there is `string.substring(start, length?)`",
        "substring(x)",
    ),
    (
        "'a'.split(1)",
        "the method `split` does not take these arguments; there is `regexp.split(string, maxSplit?)`, `string.split(regexp, maxSplit?)`, `string.split(separator?, maxSplits?)`",
        "split(1)",
    ),
]


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_values(expression: str, value: Any) -> None:
    gives(expression, value)


@pytest.mark.parametrize(("expression", "message", "part"), ERRORS)
def test_errors(expression: str, message: str, part: str) -> None:
    says(expression, message, part)
