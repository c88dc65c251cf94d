"""Lines: whatever goes in comes out again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabir.deployments.host_agent.wire import decode, encode

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.binary() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
)


@settings(max_examples=50)
@given(values)
def test_there_and_back(value: Any) -> None:
    line = encode(value)
    assert line.endswith(b"\n")
    assert b"\n" not in line[:-1]
    assert decode(line) == value


@pytest.mark.parametrize(
    "value",
    [{"$bytes": "no base64"}, {"$pairs": 1}, {"a": {"$bytes": b"x"}}, "\udcff", {"$pairs": {"$bytes": 1}}],
)
def test_what_looks_like_a_mark_is_none(value: Any) -> None:
    assert decode(encode(value)) == value
