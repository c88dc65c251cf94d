"""Laws of the object model: what is written back loads again, and is written back the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conformance.adapters.muranopl import run
from tests.conformance.runner.muranopl import MuranoCase, load
from tests.languages.muranopl.packages import load as load_session

CASES = [
    case
    for case in load(Path(__file__).parents[3] / "conformance" / "muranopl")
    if isinstance(case, MuranoCase) and case.model is not None and case.previous is None
]


def written(case: MuranoCase, model: Any) -> Any:
    from dataclasses import replace

    return run(replace(case, model=model, call=None)).model


@pytest.mark.rows("M-192", "M-198", "M-199")
@pytest.mark.parametrize("case", CASES[::7], ids=lambda case: case.id)
def test_models_of_the_cases(case: MuranoCase) -> None:
    once = written(case, case.model)
    if once is not None and "Runtime" not in case.classes:
        assert written(case, once) == once


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
CLASS = """\
Namespaces: {=: demo}
Name: Root
Properties:
  any: {Contract: $}
  items: {Contract: []}
  next: {Contract: $.class(Root)}
"""


@settings(max_examples=60, deadline=None)
@given(value=plain, depth=st.integers(0, 5))
def test_any_data_survives(value: Any, depth: int) -> None:
    model: dict[str, Any] = {"?": {"id": "o0", "type": "demo.Root"}, "any": value, "items": [value]}
    for number in range(1, depth + 1):
        model = {"?": {"id": f"o{number}", "type": "demo.Root"}, "any": number, "next": model}
    session = load_session(CLASS, model)
    once = session.dump()
    assert load_session(CLASS, once).dump() == once
    inner = once
    for _ in range(depth):
        inner = inner["next"]
    assert inner["any"] == value
