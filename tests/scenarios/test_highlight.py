"""Colours: Pygments finds our lexers, and they read what is shipped without an error token."""

from __future__ import annotations

from pathlib import Path

import pytest
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Error, Keyword, Name, Token

from tests.docs.pages import ROOT


@pytest.mark.parametrize(
    ("name", "file"),
    [
        *(("inmanta", file) for file in sorted(ROOT.glob("examples/**/*.cf"))),
        *(("muranopl", file) for file in sorted(ROOT.glob("examples/murano/hello/Classes/*.yaml"))),
        *(("ccp", file) for file in sorted(ROOT.glob("examples/ccp/shop/service/*.yaml"))),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else value,
)
def test_no_error_token(name: str, file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    tokens = [*get_lexer_by_name(name).get_tokens(text)]
    assert [value for kind, value in tokens if kind in Error] == []
    assert "".join(value for _, value in tokens).strip() == text.strip()
    assert len({kind for kind, _ in tokens}) > 4


def test_models_are_known_by_their_names() -> None:
    assert get_lexer_for_filename("main.cf").name == "Inmanta"


def test_words_of_a_model() -> None:
    tokens = {
        value: kind
        for kind, value in get_lexer_by_name("inmanta").get_tokens(
            "entity Host extends Base:\n  int n = 5\nend\n"
        )
    }
    assert tokens["Host"] is Name.Class
    assert tokens["int"] is Keyword.Type
    assert tokens["end"] is Token.Keyword
