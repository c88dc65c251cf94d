from __future__ import annotations

import pytest

from sabir.checks import Application, FormValidator
from sabir.checks.fixes import apply_fixes
from sabir.source.packages import MemoryPackage
from tests.checks.toy import ToyValidator


def found(text: str, **options: object) -> list[str]:
    package = MemoryPackage({"toy.yaml": text})
    findings = Application(options).run(package, (FormValidator, ToyValidator))
    return [f"{finding.location.line} {finding.code}" for finding in findings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("prt: 1\n", ["1 TOY:E001"]),
        ("prt: 1  # sabir: ignore[TOY:E001] an old name\n", []),
        ("prt: 1  # sabir: ignore[E001] bare\n", []),
        ("prt: 1  # sabir: ignore[toy] prefix\n", []),
        ("prt: 1  #sabir:ignore[ E001 , W002 ]\n", ["1 W901"]),
        ("# sabir: ignore[E001] about the next line\nprt: 1\nprt2: 2\n", ["3 TOY:E001"]),
        ("# sabir: ignore[E001] past a comment and a blank\n\n# more\nprt: 1\n", []),
        ("# sabir: ignore-file[E001] all of them\nprt: 1\npprt: 2\n", []),
        ("port: 1  # sabir: ignore[E001] not needed\n", ["1 W901"]),
        ("prt: 1  # sabir: ignore[W002] another code\n", ["1 TOY:E001", "1 W901"]),
        ("port: 1  # sabir: ignore\n", ["1 W904"]),
        ("port: 1  # sabir: ignore[]\n", ["1 W904"]),
        ("port: 1  # sabir: ignore[what ever]\n", ["1 W904"]),
        ("name: 'http://x#sabir: ignore[E001]'\n", []),
        ("prt: 1  # sabir: ignore[E001]  \r\nport: 2\r\n", []),
    ],
)
def test_comments(text: str, expected: list[str]) -> None:
    assert found(text) == expected


def test_a_reason_may_be_required() -> None:
    text = "prt: 1  # sabir: ignore[E001]\n"
    assert found(text) == []
    assert found(text, require_reason=True) == ["1 W902"]
    assert found(text, extend_select="W902") == ["1 W902"]
    assert found("prt: 1  # sabir: ignore[E001] it is old\n", require_reason=True) == []


def test_comments_can_be_disregarded() -> None:
    assert found("prt: 1  # sabir: ignore[E001] old\n", suppressions=False) == ["1 TOY:E001"]


@pytest.mark.parametrize("options", [{"select": "W"}, {"scope": "FORM"}])
def test_what_was_not_looked_for_proves_nothing(options: dict[str, str]) -> None:
    assert found("prt: 1  # sabir: ignore[TOY:E001] old\n", **options) == []


def test_how_many_were_excused_is_known() -> None:
    package = MemoryPackage({"toy.yaml": "prt: 1  # sabir: ignore[E001] old\n"})
    assert Application().check(package, (ToyValidator,)).suppressed == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("port: 1  # sabir: ignore[E001] x\nname: y\n", "port: 1\nname: y\n"),
        ("# sabir: ignore[E001] x\nport: 1\n", "port: 1\n"),
        ("port: 1\n# sabir: ignore[E001] x", "port: 1\n"),
        ("prt: 1  # sabir: ignore[E001, W002] x\n", "prt: 1  # sabir: ignore[E001] x\n"),
    ],
)
def test_what_is_not_needed_can_be_removed(text: str, expected: str) -> None:
    findings = Application().run(MemoryPackage({"toy.yaml": text}), (FormValidator, ToyValidator))
    (fixed,) = apply_fixes(findings)
    assert fixed.text == expected
