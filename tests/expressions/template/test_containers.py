"""Filters on lists and dictionaries."""

from __future__ import annotations

from typing import Any

from tests.expressions.query.plain import PlainResource
from tests.expressions.template.filters import errors_test, values_test

BOX = PlainResource("box")
VALUES: list[tuple[str, Any]] = [
    ("{'a': 1} | dict2items", [{"key": "a", "value": 1}]),
    ("{'a': 1} | dict2items('k', 'v')", [{"k": "a", "v": 1}]),
    ("[{'key': 'a', 'value': 1}] | items2dict", {"a": 1}),
    ("[{'k': 'a'}] | items2dict('k', 'v')", {"a": None}),
    ("{'a': 1} | combine({'b': 2})", {"a": 1, "b": 2}),
    ("{'a': {'x': 1}} | combine({'a': {'y': 2}})", {"a": {"y": 2}}),
    ("{'a': {'x': 1}} | combine({'a': {'y': 2}}, recursive=true)", {"a": {"x": 1, "y": 2}}),
    ("{'a': [1]} | combine({'a': [2]})", {"a": [2]}),
    ("{'a': [1]} | combine({'a': [2]}, list_merge='append')", {"a": [1, 2]}),
    ("{'a': [1]} | combine({'a': [2]}, list_merge='prepend')", {"a": [2, 1]}),
    ("{'a': [1, 2]} | combine({'a': [2, 3]}, list_merge='append_rp')", {"a": [1, 2, 3]}),
    ("{'a': [1, 2]} | combine({'a': [2, 3]}, list_merge='prepend_rp')", {"a": [2, 3, 1]}),
    ("{'a': [1]} | combine({'a': [2]}, list_merge='keep')", {"a": [1]}),
    ("[{'a': 1}, {'b': 2}] | combine", {"a": 1, "b": 2}),
    ("[1, [2, [3]]] | flatten", [1, 2, 3]),
    ("[1, [2, [3]]] | flatten(1)", [1, 2, [3]]),
    ("[1, none] | flatten", [1]),
    ("[1, none] | flatten(skip_nulls=false)", [1, None]),
    ("[1, 1, 2] | unique", [1, 2]),
    ("[1, true] | unique", [1, True]),
    ("[{'a': 1}, {'a': 1}] | unique", [{"a": 1}]),
    ("[{'a': 1, 'b': 2}, {'a': 1}] | unique(attribute='a')", [{"a": 1, "b": 2}]),
    ("[1, 2] | intersect([2, 3])", [2]),
    ("[1, 2] | difference([2])", [1]),
    ("[1, 2] | symmetric_difference([2, 3])", [1, 3]),
    ("[1] | union([1, 2])", [1, 2]),
    (
        "[{'n': 'x', 'l': [1, 2]}] | subelements('l')",
        [[{"n": "x", "l": [1, 2]}, 1], [{"n": "x", "l": [1, 2]}, 2]],
    ),
    ("[{'n': 'x'}] | subelements('l', skip_missing=true)", []),
    ("[{'a': {'b': [1]}}] | subelements('a.b')", [[{"a": {"b": [1]}}, 1]]),
    ("0 | extract(['x', 'y'])", "x"),
    ("'a' | extract({'a': {'b': 3}}, 'b')", 3),
    ("'a' | extract({'a': {'b': [4]}}, ['b', 0])", 4),
    ("[{'k': 'a', 'v': 1}] | rekey_on_member('k')", {"a": {"k": "a", "v": 1}}),
    (
        "[{'k': 'a', 'v': 1}, {'k': 'a', 'v': 2}] | rekey_on_member('k', duplicates='overwrite')",
        {"a": {"k": "a", "v": 2}},
    ),
    ("[1, 2, 3] | shuffle(seed=1) | sort", [1, 2, 3]),
    ("[7] | random", 7),
    ("1 | random", 0),
    ("[1, 2, 3] | combinations(2)", [[1, 2], [1, 3], [2, 3]]),
    ("[1, 2] | permutations", [[1, 2], [2, 1]]),
    ("[1, 2] | product([3])", [[1, 3], [2, 3]]),
    ("[1, 2] | zip([3])", [[1, 3]]),
    ("[1, 2] | zip_longest([3], fillvalue=0)", [[1, 3], [2, 0]]),
]

ERRORS = [
    ("1 | dict2items", "dict2items needs a dictionary"),
    ("[1] | combine", "combine needs dictionaries, not integer"),
    ("[{'n': 1}] | subelements('l')", "subelements: an element has no 'l'"),
    ("[{'k': 1}, {'k': 1}] | rekey_on_member('k')", "rekey_on_member: 1 is there twice"),
    ("range(1000) | permutations(3)", "more than 100,000 items"),
    ("0 | random", "random: the range is empty: from 0 to 0"),
    ("5 | random(start=9)", "random: the range is empty: from 9 to 5"),
]

test_values = values_test(VALUES)
test_errors = errors_test(ERRORS)
