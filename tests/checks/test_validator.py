from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest

from sabir.checks import format_between, only_for, package_type
from sabir.checks.validator import Condition
from sabir.diagnostics import Finding
from sabir.source.packages import MemoryPackage


def check_text(value: object, key: str, *, code: str = "E040") -> Iterator[Finding]:
    """A checker: data in, findings out."""
    if not isinstance(value, str):
        yield Finding.about_file(code, f"{key} must be a text, not {value!r}", "manifest.yaml")


@pytest.mark.rows("V-156", "V-157", "V-158")
def test_a_checker_is_a_function_of_plain_data() -> None:
    assert inspect.isgeneratorfunction(check_text)
    assert [*check_text("x", "Name")] == []
    assert [finding.message for finding in check_text(5, "Name")] == ["Name must be a text, not 5"]
    assert [finding.code for finding in check_text([], "Author", code="MAN:E030")] == ["MAN:E030"]


@pytest.mark.rows("V-159")
@pytest.mark.parametrize(
    ("condition", "manifest", "called"),
    [
        (format_between("1.4"), "Format: 1.3", False),
        (format_between("1.4"), "Format: MuranoPL/1.4", True),
        (format_between(until="1.3"), "Format: 1.4", False),
        (format_between("1.1", "1.3"), "Format: 1.2", True),
        (format_between("1.1", "1.3"), "Format: MuranoPL/1.10", False),
        (format_between(), "Format: Heat.HOT/1.0", False),
        (format_between(name="Heat.HOT"), "Format: Heat.HOT/1.0", True),
        (format_between("1.0"), "Name: no format given", True),
        (package_type("Application"), "Type: Application", True),
        (package_type("Application"), "Type: Library", False),
        (package_type("Application", "Library"), "Type: Library", True),
        (package_type("Application"), "- no mapping", False),
    ],
)
def test_filters_wrap_a_checker(condition: Condition, manifest: str, called: bool) -> None:
    package = MemoryPackage({"manifest.yaml": manifest + "\n"})
    checker = only_for(check_text, condition)(package)
    assert bool([*checker(5, "Name", code="E041")]) == called
