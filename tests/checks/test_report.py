"""What a report tells about a run."""

from __future__ import annotations

from sabir.checks.report import PackageReport, Report, sort_findings
from sabir.diagnostics.rules import Rule
from sabir.text import Place, Source, Span


def rule(code: str) -> Rule:
    return Rule(code=code, title=f"title of {code}", why="because")


FIRST, SECOND, NEVER = rule("TOY:E001"), rule("TOY:W002"), rule("TOY:E003")
SOURCE = Source("toy.yaml", "name: web\nport: 80\n")


def report(*packages: PackageReport, general: tuple[Rule, ...] = ()) -> Report:
    return Report(
        packages=packages,
        general=tuple(each.about_file("<plug-in>", "it failed") for each in general),
        registry=lambda: (FIRST, SECOND, NEVER),
    )


def package(*rules: Rule) -> PackageReport:
    return PackageReport(path="toy", findings=tuple(each.about_file(SOURCE, "wrong") for each in rules))


def test_the_rules_of_a_report_are_those_that_were_found() -> None:
    foreign = rule("ABC:E001")
    found = report(package(FIRST, FIRST), package(foreign), general=(SECOND,))
    assert found.rules() == {"TOY:E001": FIRST, "TOY:W002": SECOND}


def test_nothing_is_looked_up_for_a_report_without_findings() -> None:
    def registry() -> tuple[Rule, ...]:
        raise AssertionError("the registry imports every language")

    assert Report(packages=(package(),), registry=registry).rules() == {}


def test_counts_and_exit_status() -> None:
    mixed = report(package(FIRST, FIRST, SECOND), general=(SECOND,))
    assert (mixed.errors, mixed.warnings, mixed.exit_status()) == (2, 2, 1)
    assert mixed.statistics() == [("TOY:E001", 2), ("TOY:W002", 2)]
    warned = report(package(SECOND))
    assert (warned.exit_status(), warned.exit_status(strict=True)) == (0, 1)


def test_findings_are_in_the_order_of_places_and_each_once() -> None:
    late, early = (FIRST.at(Place(SOURCE, Span(at, at + 4)), "wrong") for at in (10, 0))
    again = FIRST.at(Place(SOURCE, Span(10, 14)), "wrong")
    assert sort_findings([late, early, again]) == (early, late)
