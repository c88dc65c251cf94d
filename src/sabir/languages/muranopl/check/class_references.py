"""References to classes: the prefix is declared, and the class exists as far as that can be known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding, Fix
from sabir.languages.muranopl.check.class_view import ClassDocument, ClassTable
from sabir.languages.muranopl.check.repairs import declaring
from sabir.languages.muranopl.examples.packages import package_rule
from sabir.languages.muranopl.syntax.report import Report
from sabir.text import Span

__all__ = ["check_class_reference"]

UNDECLARED_PREFIX: Final = package_rule(
    "MPL:E110",
    "an undeclared namespace prefix",
    "Every prefix is declared under Namespaces of the class file.",
    fixable=True,
)
UNKNOWN_CLASS: Final = package_rule(
    "MPL:E111",
    "a class that does not exist",
    "The class belongs to a namespace of this package or of the core library, but neither has it. Classes of other "
    "packages are not reported here.",
    fixable=True,
)


def check_class_reference(
    report: Report, table: ClassTable, document: ClassDocument, span: Span, written: str
) -> Iterator[Finding]:
    """A class reference: its prefix is declared, and the class exists as far as that can be known."""
    name = document.resolve(written)
    if name is None:
        prefix = written.partition(":")[0]
        meant = report.near(prefix, document.namespaces)
        hint = meant.hint or "declare it under Namespaces"
        fix = report.renaming(span, prefix, meant.only) or declaring(
            report, document.node.get("Namespaces"), prefix, written.partition(":")[2]
        )
        message = f"the namespace prefix {prefix!r} of {written!r} is not declared"
        yield report.at(span, UNDECLARED_PREFIX, message, hint=hint, fix=fix)
    elif table.exists(name) is False:
        other = table.near_class(name)
        did = f"did you mean {other!r}?" if other else None
        yield report.at(
            span,
            UNKNOWN_CLASS,
            f"there is no class {name!r}",
            hint=did,
            fix=_respelt(report, span, name, other),
        )


def _respelt(report: Report, span: Span, name: str, meant: str | None) -> Fix | None:
    """Another last part of a class name, when the class that was meant is of the same namespace."""
    if meant is None or meant.rpartition(".")[0] != name.rpartition(".")[0]:
        return None
    last = name.rpartition(".")[2]
    start = report.source.text.rfind(last, span.start, span.end)
    return report.renaming(Span(start, span.end), last, meant.rpartition(".")[2]) if start >= 0 else None
