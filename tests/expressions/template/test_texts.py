"""Filters on text, paths and single values."""

from __future__ import annotations

from typing import Any

from tests.expressions.query.plain import PlainResource
from tests.expressions.template.filters import errors_test, values_test

BOX = PlainResource("box")
VALUES: list[tuple[str, Any]] = [
    ("'yes' | bool", True),
    ("'ON' | bool", True),
    ("'no' | bool", False),
    ("none | bool", None),
    ("1 | bool", True),
    ("true | bool", True),
    ("'a1b2' | regex_replace('[0-9]', '#')", "a#b#"),
    ("'aAa' | regex_replace('a', 'x', true)", "xxx"),
    ("'aaa' | regex_replace('a', 'x', count=2)", "xxa"),
    ("'ab12' | regex_search('[0-9]+')", 12),
    ("'ab' | regex_search('[0-9]')", None),
    ("'xyz' | regex_search('((x)|y|z)*+')", "xyz"),
    ("'xyz' is match('((x)|y|z)*+')", True),
    ("'xyz' | regex_replace('((x)|y|z)++', '-')", "-"),
    ("'k=v' | regex_search('(.)=(?P<v>.)', '\\1', '\\g<v>')", ["k", "v"]),
    ("'a1b2' | regex_findall('[0-9]')", ["1", "2"]),
    ("'A' | regex_findall('a', false, true)", ["A"]),
    ("'a.b' | regex_escape", "a\\.b"),
    ("'a.b*' | regex_escape('posix_basic')", "a\\.b\\*"),
    ("'ä' | b64encode", "w6Q="),
    ("'w6Q=' | b64decode", "ä"),
    ("'a' | hash('sha256') | length", 64),
    ("'a' | md5", "0cc175b9c0f1b6a831c399e269772661"),
    ("'a' | mandatory", "a"),
    ("true | ternary('x', 'y')", "x"),
    ("none | ternary('x', 'y', 'z')", "z"),
    ("none | ternary('x', 'y')", "y"),
    ("'a\nb' | comment", "#\n# a\n# b\n#"),
    ("'a' | comment('c')", "//\n// a\n//"),
    ("'a' | comment(decoration='; ')", ";\n; a\n;"),
    ("'http://u:p@h:80/x?q=1#f' | urlsplit('port')", 80),
    ("'http://h/x' | urlsplit('hostname')", "h"),
    ("['a', 'b'] | path_join", "a/b"),
    ("'a' | path_join", "a"),
    ("'a' | to_uuid", "9b6d1a0c-51b1-5093-93fc-cf09a700edff"),
    ("'a,b' | split(',')", ["a", "b"]),
    ("'a b' | split", ["a", "b"]),
    ("'a,b,c' | split(',', 1)", ["a", "b,c"]),
    ("[] | type_debug", "list"),
    ("'/a/b.txt' | basename", "b.txt"),
    ("'/a/b.txt' | dirname", "/a"),
    ("'/a/../b' | normpath", "/b"),
    ("'a b' | quote", "'a b'"),
    ("none | quote", "''"),
    ("'/a/b' | relpath('/a')", "b"),
    ("'a.txt' | splitext", ["a", ".txt"]),
    ("'a%20b+c' | urldecode", "a b c"),
    ("'C:\\\\x\\\\y' | win_basename", "y"),
]

ERRORS = [
    (
        "'a' | regex_replace('(', '')",
        "'(' is no regular expression: missing ), unterminated subpattern at position 0",
    ),
    ("'a' | regex_replace('a', '\\9')", "'\\\\9' is no replacement: invalid group reference 9 at position 1"),
    ("'a' | hash('nosuch')", "there is no hash 'nosuch'"),
    ("nosuch | mandatory", "a mandatory value is not defined"),
    ("nosuch | mandatory('say so')", "say so"),
    ("'http://h' | urlsplit('nosuch')", "urlsplit: there is no part 'nosuch'"),
]

test_values = values_test(VALUES)
test_errors = errors_test(ERRORS)
