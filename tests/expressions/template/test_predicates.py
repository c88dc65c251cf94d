"""Tests: `x is match(…)` and its like."""

from __future__ import annotations

from typing import Any

from tests.expressions.query.plain import PlainResource
from tests.expressions.template.filters import errors_test, values_test

BOX = PlainResource("box")
VALUES: list[tuple[str, Any]] = [
    ("'abc' is match('a')", True),
    ("'abc' is match('b')", False),
    ("'abc' is search('b')", True),
    ("'ABC' is search('b', true)", True),
    ("'abc' is regex('^b')", False),
    ("'a\nb' is regex('^b', multiline=true)", True),
    ("'abc' is regex('ab', match_type='fullmatch')", False),
    ("'abc' is regex('abc', match_type='fullmatch')", True),
    ("'1.10' is version('1.9', '>')", True),
    ("'1.0' is version('1.0')", True),
    ("'1.0' is version('1.0', '!=')", False),
    ("'1.0a' is version('1.0', 'gt')", True),
    ("'1.0' is version('1.0.1', 'lt')", True),
    ("'2' is version('2', '>=')", True),
    ("'2' is version('3', '<=')", True),
    ("[1, 2] is contains(1)", True),
    ("[1] is subset([1, 2])", True),
    ("[1, 2] is superset([3])", False),
    ("'no' is truthy", True),
    ("'no' is truthy(convert_bool=true)", False),
    ("'no' is falsy(convert_bool=true)", True),
    ("'http://h/x' is url", True),
    ("'x' is url", False),
    ("'ftp://h' is url(['http'])", False),
    ("{'failed': true} is failed", True),
    ("{} is failed", False),
    ("{} is succeeded", True),
    ("{'changed': 1} is changed", True),
    ("{'skipped': false} is skipped", False),
    ("'urn:a' is urn", True),
    ("'$ANSIBLE_VAULT;1.1' is vault_encrypted", True),
    ("[true, false] is any", True),
    ("[true, false] is all", False),
]

ERRORS = [
    ("'a' is match('(')", "'(' is no regular expression: missing ), unterminated subpattern at position 0"),
    ("'1' is version('1', '~')", "version: there is no operator '~'"),
]

test_values = values_test(VALUES)
test_errors = errors_test(ERRORS)
