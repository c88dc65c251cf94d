"""Findings without secrets: their words, their lines, their fixes."""

from __future__ import annotations

from sabir.checks.formatters.data import finding_data
from sabir.checks.formatters.text import finding_snippet
from sabir.checks.secrecy import without_secrets
from sabir.diagnostics.finding import Edit, Finding, Fix, RelatedLocation
from sabir.text import Place, Source, Span

TEXT = "a: {sensitive: hush-4711}\nb: [hush-4711, bad]\n"
SOURCE = Source("a.yaml", TEXT)


def finding(marked: str, message: str = "wrong", *, code: str = "E001", source: Source = SOURCE) -> Finding:
    start = source.text.rindex(marked)
    return Finding(code=code, message=message, place=Place(source, Span(start, start + len(marked))))


def test_the_mark_stands_below_the_same_word() -> None:
    (shown,) = without_secrets([finding("bad")])
    assert finding_snippet(shown) == ("b: [<<REDACTED>>, bad]", " " * 18 + "^^^")
    assert shown.source == "b: [<<REDACTED>>, bad]\n" + " " * 18 + "^"
    assert (shown.location.line, shown.location.column) == (2, 16)


def test_a_place_inside_a_secret_marks_all_of_it() -> None:
    (shown,) = without_secrets([finding("4711")])
    assert finding_snippet(shown) == ("b: [<<REDACTED>>, bad]", "    ^^^^^^^^^^^^")


def test_words_and_fixes() -> None:
    place = finding("bad").place
    fix = Fix(title="write hush-4711", edits=(Edit(place=place, text="hush-4711"),))
    told = Finding(
        code="E001",
        message="no hush-4711",
        place=place,
        hint="not HUSH-4711",
        related=(RelatedLocation(place=place, message="aHVzaC00NzEx"),),
        fix=fix,
    )
    (shown,) = without_secrets([told])
    assert (shown.message, shown.hint) == ("no <<REDACTED>>", "not <<REDACTED>>")
    assert "REDACTED" in shown.related[0].message
    assert shown.fix is not None
    assert shown.fix.edits == fix.edits  # it is still to be applied
    assert finding_data(shown)["fix"] is None


def test_without_secrets_nothing_changes() -> None:
    plain = finding("bad", source=Source("a.yaml", "a: bad\n"))
    assert without_secrets([plain]) == (plain,)


def test_of_a_broken_text_only_keys_are_shown() -> None:
    source = Source("a.yaml", "x: {sensitive: a}\npin: {} hush-4711\n")
    (shown,) = without_secrets([finding("hush-4711", "'hush-4711' is wrong", code="E002", source=source)])
    assert shown.message == "'<<REDACTED>>' is wrong"
    assert finding_snippet(shown) == ("pin: {} <<REDACTED>>", "        ^^^^^^^^^^^^")
