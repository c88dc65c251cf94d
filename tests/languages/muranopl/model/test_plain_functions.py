"""JSON patches: every operation, what it refuses, and that the patched value itself stays as it is."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.model.plain_functions import apply_patch

TABLE: list[tuple[Any, dict[str, Any], Any]] = [
    ({"a": 1}, {"op": "add", "path": "/b", "value": 2}, {"a": 1, "b": 2}),
    ([1, 3], {"op": "add", "path": "/1", "value": 2}, [1, 2, 3]),
    ([1], {"op": "add", "path": "/-", "value": 2}, [1, 2]),
    ({"a": 1}, {"op": "add", "path": "", "value": 5}, 5),
    ({"a": 1, "b": 2}, {"op": "remove", "path": "/a"}, {"b": 2}),
    ([1, 2], {"op": "remove", "path": "/0"}, [2]),
    ({"a": [1]}, {"op": "replace", "path": "/a/0", "value": 9}, {"a": [9]}),
    ({"a": 1}, {"op": "move", "from": "/a", "path": "/b"}, {"b": 1}),
    ({"a": 1}, {"op": "copy", "from": "/a", "path": "/b"}, {"a": 1, "b": 1}),
    ({"a": 1}, {"op": "test", "path": "/a", "value": 1}, {"a": 1}),
    ({"a/b": {"~": 1}}, {"op": "remove", "path": "/a~1b/~0"}, {"a/b": {}}),
    # What lies below nothing ends the patch silently, as in the existing engine.
    ({"a": 1}, {"op": "add", "path": "/x/y", "value": 2}, {"a": 1}),
]

REFUSED: list[tuple[Any, Any, str]] = [
    ({}, {"op": "add"}, "has `op` and `path`"),
    ({}, {"op": "add", "path": "/a"}, "needs 'value'"),
    ({}, {"op": "turn", "path": "/a"}, "no operation 'turn'"),
    ({}, {"op": "remove", "path": "a"}, "begins with `/`"),
    ({}, {"op": "remove", "path": "/a"}, "nothing at /a"),
    ([], {"op": "add", "path": "/3", "value": 1}, "nothing can be added at /3"),
    ({"a": 1}, {"op": "test", "path": "/a", "value": 2}, "the test of '/a' failed"),
]


@pytest.mark.parametrize(("value", "operation", "expected"), TABLE)
def test_operations(value: Any, operation: dict[str, Any], expected: Any) -> None:
    before = repr(value)
    assert apply_patch(value, [operation]) == expected
    assert repr(value) == before


@pytest.mark.parametrize(("value", "operation", "words"), REFUSED)
def test_refused(value: Any, operation: Any, words: str) -> None:
    with pytest.raises(MuranoError, match="JSON patch") as caught:
        apply_patch(value, [operation])
    assert words in str(caught.value)
