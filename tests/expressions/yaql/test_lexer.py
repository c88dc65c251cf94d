"""Texts to tokens, the values of strings, and what is wrong with a token as such."""

from __future__ import annotations

import pytest

from sabir.expressions.yaql.lexer import decode_string, lexical_error, tokenize


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("  \t\n", []),
        ("a.b", ["a", ".", "b"]),
        ("$a?.b", ["$a", "?.", "b"]),
        ("$", ["$"]),
        ("f(1, 2.5)", ["f(", "1", ",", "2.5", ")"]),
        ("f (1)", ["f", "(", "1", ")"]),
        ("not(x)", ["not(", "x", ")"]),
        ("a=>b=~c!~d", ["a", "=>", "b", "=~", "c", "!~", "d"]),
        ("a<=b>=c!=d->e", ["a", "<=", "b", ">=", "c", "!=", "d", "->", "e"]),
        ("'a b' \"c\" `d`", ["'a b'", '"c"', "`d`"]),
        (r"'a\'b'", [r"'a\'b'"]),
        ("'open", ["'", "open"]),
        ("a ; b", ["a", ";", "b"]),
        ("1.a", ["1", ".", "a"]),
        ("12ab", ["1", "2", "ab"]),
        ("__f(x)", ["__f(", "x", ")"]),
        ("__f", ["_", "_f"]),
        ("größe", ["größe"]),
    ],
)
def test_tokens_and_where_they_start(text: str, tokens: list[str]) -> None:
    found, starts = tokenize(text)
    assert found == [*tokens, ""]
    assert starts[-1] == len(text)
    assert [text[start : start + len(token)] for token, start in zip(found, starts, strict=True)] == found


@pytest.mark.parametrize(
    ("token", "value"),
    [
        ("'a'", "a"),
        ('"a"', "a"),
        ("''", ""),
        (r"'\n\t\a'", "\n\t\a"),
        (r"'\'\"\\'", "'\"\\"),
        (r"'\x41\u00e4\U0001F600'", "Aä😀"),
        (r"'\101'", "A"),
        (r"'\N{BULLET}'", "•"),
        (r"'\q'", r"\q"),
        (r"`a\n`", r"a\n"),
        (r"`a\`b`", "a`b"),
    ],
)
def test_values_of_strings(token: str, value: str) -> None:
    assert decode_string(token) == value


@pytest.mark.parametrize(
    ("token", "message"),
    [
        (r"'\N{NO SUCH CHARACTER}'", "no character has the name 'NO SUCH CHARACTER'"),
        (r"'\xzz'", "invalid literal"),
        (r"'\UFFFFFFFF'", "chr"),
    ],
)
def test_escapes_that_name_no_character(token: str, message: str) -> None:
    with pytest.raises((ValueError, OverflowError), match=message if message != "chr" else None):
        decode_string(token)


@pytest.mark.parametrize(
    ("token", "rest", "message"),
    [
        ("'", "abc", "the string that begins with ' is not closed"),
        ("`", "", "the string that begins with ` is not closed"),
        ("1", "2ab + c", "'12ab' is neither a number nor a name"),
        ("_", "_f", "the name '__f' begins with two underscores"),
        (";", " b", "the character ';' has no meaning here"),
        ("a", "b", None),
        ("12", " + a", None),
        ("_", " + a", None),
        ("'a'", "b", None),
        ("+", "+", None),
    ],
)
def test_what_is_wrong_with_a_token(token: str, rest: str, message: str | None) -> None:
    assert lexical_error(token, rest) == message
