"""A late pattern answers what a compiled one answers."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.patterns import LatePattern, late_pattern


@given(st.text(alphabet="ab,-"))
def test_answers(text: str) -> None:
    late, compiled = late_pattern("(a+)|(?P<b>b)"), re.compile("(a+)|(?P<b>b)")
    assert late.findall(text) == compiled.findall(text)
    assert late.sub("x", text) == compiled.sub("x", text)
    assert [one.span() for one in late.finditer(text)] == [one.span() for one in compiled.finditer(text)]
    assert bool(late.fullmatch(text)) == bool(compiled.fullmatch(text))


@pytest.mark.parametrize("name", ["flags", "groups", "groupindex", "pattern"])
def test_facts(name: str) -> None:
    late: Any = late_pattern("(?P<a>x)", re.IGNORECASE)
    assert getattr(late, name) == getattr(re.compile("(?P<a>x)", re.IGNORECASE), name)


def test_it_is_compiled_when_asked() -> None:
    late: Any = late_pattern(b"[0-9]+")
    assert type(late) is LatePattern
    assert repr(late) == "late_pattern(b'[0-9]+')"
    assert late.match(b"12").group() == b"12"
    assert type(late) is not LatePattern
    assert repr(late) == "late_pattern(b'[0-9]+')"
    with pytest.raises(AttributeError):
        late.unknown  # noqa: B018
