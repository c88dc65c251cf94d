"""Questions about names are asked without patterns, which every start would compile; here are the patterns they stand for."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.languages.muranopl.check.names import is_camel_case, is_dotted_name, is_identifier
from sabir.languages.muranopl.syntax.names import is_qualified_name, is_short_name, is_words

PATTERNS = {
    is_identifier: r"[A-Za-z_][A-Za-z0-9_]*",
    is_dotted_name: r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*",
    is_camel_case: r"(?![A-Z0-9]{4,}\Z)_*(?:[A-Z]{1,3}|[A-Z][A-Za-z0-9]*)",
    is_short_name: r"[a-zA-Z_]\w*",
    is_qualified_name: r"[a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*)*",
    is_words: r"[\w\s.]*",
}

_texts = st.text(st.sampled_from("abZ09_. -:$é٣²\t\n\x1c\u2003"), max_size=6) | st.text(max_size=4)


@pytest.mark.parametrize("question", PATTERNS, ids=lambda question: question.__name__)
@given(_texts)
def test_law_names_are_what_the_patterns_say(question: object, text: str) -> None:
    assert callable(question)
    assert question(text) == (re.fullmatch(PATTERNS[question], text) is not None)
