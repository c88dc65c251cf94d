"""The docs show the table of attacks as it is."""

from __future__ import annotations

from tests.hostile.page import PAGE, page_text


def test_the_page_is_up_to_date() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert page_text(text) == text, "python -m tests.hostile.page writes it anew"
