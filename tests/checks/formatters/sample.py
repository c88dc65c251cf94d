"""A report that has everything a finding can have."""

from __future__ import annotations

from sabir.checks.application import general_rules
from sabir.checks.report import PackageReport, Report
from sabir.diagnostics.finding import Edit, Finding, Fix, Frame, RelatedLocation
from sabir.text import Place, Source, Span
from tests.checks.toy import CODES

__all__ = ["SAMPLE"]

TEXT = "prt: 80\nport: '80'\t# ü 100%\nname: 世界 x\n" + "long: " + "a" * 200 + " here " + "b" * 100 + "\n"
SOURCE = Source("Classes/Ü b.yaml", TEXT)


def place(text: str, source: Source = SOURCE) -> Place:
    start = source.text.index(text)
    return Place(source, Span(start, start + len(text)))


FINDINGS = (
    Finding(
        code="TOY:E001",
        message="unknown key 'prt'",
        place=place("prt"),
        hint="did you mean 'port'?",
        related=(RelatedLocation(place=place("port"), message="this one is known, 100%"),),
    ),
    Finding(
        code="TOY:W002",
        message="port '80' is a text: 5 > 3, a & b",
        place=place("'80'"),
        fix=Fix(title="write it as a number", edits=(Edit(place=place("'80'"), text="80"),)),
    ),
    Finding(
        code="E900",
        message="nobody documented this\nsecond line \x1b[31mred",
        place=place("x\n"),
        frames=(Frame(place=place("世界"), name="deploy"), Frame(place=None, name="<start>")),
        fix=Fix(title="guess", edits=(Edit(place=place("x\n"), text=""),), safe=False),
    ),
    Finding(code="E006", message="in a long line", place=place("here")),
    Finding.about_file("E002", "a whole file", "manifest.yaml", hint="mend it"),
)

SAMPLE = Report(
    packages=(
        PackageReport(path="apps/shop", language="toy", findings=FINDINGS, suppressed=2, baselined=1),
        PackageReport(path="clean.zip", language="toy"),
        PackageReport(path="one/file.yaml", single_file=True, findings=(FINDINGS[0],)),
    ),
    general=(Finding.about_file("W903", "plug-in 'acme' cannot be loaded", "<plug-in acme>"),),
    registry=lambda: (*general_rules(), *CODES),
)
