"""Filters between data and text."""

from __future__ import annotations

from typing import Any

from tests.expressions.query.plain import PlainResource
from tests.expressions.template.filters import errors_test, values_test

BOX = PlainResource("box")
VALUES: list[tuple[str, Any]] = [
    ("{'b': 1, 'a': [1]} | to_json", '{"b": 1, "a": [1]}'),
    ("{'b': 1, 'a': [1]} | to_nice_json", '{\n    "a": [\n        1\n    ],\n    "b": 1\n}'),
    ("[1, 'x'] | to_nice_json(indent=1)", '[\n 1,\n "x"\n]'),
    ("'[1, 2]' | from_json", [1, 2]),
    ("{'a': [1]} | to_yaml", "a: [1]\n"),
    ("{'b': 1, 'a': {'c': 1}} | to_nice_yaml", "a:\n    c: 1\nb: 1\n"),
    ("'a: 1' | from_yaml", {"a": 1}),
    ("'' | from_yaml", None),
    ("{'a': 1} | from_yaml", {"a": 1}),
    ("'a: 1\n---\nb: 2\n' | from_yaml_all", [{"a": 1}, {"b": 2}]),
    ("1024 | human_readable", "1.00 KB"),
    ("1 | human_readable", "1.00 Bytes"),
    ("1048576 | human_readable(unit='K')", "1024.00 KB"),
    ("2048 | human_readable(isbits=true)", "2.00 Kb"),
    ("'1K' | human_to_bytes", 1024),
    ("'1.5 MB' | human_to_bytes", 1572864),
    ("'2' | human_to_bytes(default_unit='K')", 2048),
    ("('2020-01-02 03:04:05' | to_datetime).day", 2),
    ("('2020|3' | to_datetime('%Y|%m')).month", 3),
    ("'%Y' | strftime(0, true)", 1970),
    ("8 | log(2)", 3.0),
    ("2 | pow(3)", 8.0),
    ("9 | root", 3.0),
    ("27 | root(3) | round(3)", 3.0),
]

ERRORS = [
    (
        "'{' | from_json",
        "Expecting property name enclosed in double quotes: line 1, column 2",
    ),
    (
        "'a: [' | from_yaml",
        "not readable as YAML: did not find expected node content (while parsing a flow node)",
    ),
    ("'x' | human_to_bytes", "'x' is not a size"),
    ("'1Q' | human_to_bytes", "'Q' is not a unit of size"),
    ("'1' | to_datetime('%m%m')", "'%m%m' is no form of a date: a directive stands in it twice"),
    ("'x' | to_datetime", "time data 'x' does not match format '%Y-%m-%d %H:%M:%S'"),
]

test_values = values_test(VALUES)
test_errors = errors_test(ERRORS)
