"""What is wrong with the form of a class file or manifest, collected while reading goes on.

A defect of a declaration or an instruction is found once and has two readers: the check reports it under the code of its rule, loading
refuses the file under a code of its own. Where only one of them cares, the defect says which difference it is.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding, Fix, Related
from sabir.diagnostics.near import did_you_mean
from sabir.diagnostics.rules import Rule
from sabir.languages.muranopl.syntax.differences import Difference
from sabir.languages.muranopl.syntax.report import Report
from sabir.source.yaml.nodes import YamlNode
from sabir.text import Place, Source, Span

__all__ = ["CONTRACT_FORM", "DUPLICATE", "FORM", "UNKNOWN_CLASS", "Defect", "Defects"]

FORM = "MRUN:E001"
CONTRACT_FORM = "MRUN:E002"
DUPLICATE = "MRUN:E004"
UNKNOWN_CLASS = "MRUN:E005"


class Defect(Struct, frozen=True):
    """`finding` as the check words it."""

    finding: Finding
    difference: Difference | None = None

    @property
    def is_checked(self) -> bool:
        return self.difference is None or self.difference.only == "check"

    @property
    def is_refused(self) -> bool:
        return self.difference is None or self.difference.only == "load"


class Defects:
    """The defects of one source: `findings` as loading reports them, `noted` as the check needs them."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.report = Report(source)
        self.findings: list[Finding] = []
        self.noted: list[Defect] = []

    def at(
        self,
        node: YamlNode | Span,
        rule: Rule,
        message: str,
        *,
        hint: str | None = None,
        related: Iterable[tuple[Span, str]] = (),
        fix: Fix | None = None,
        difference: Difference | None = None,
        refusal: str = FORM,
    ) -> None:
        """A defect; `rule` is that of the check, `refusal` the code of loading."""
        places = tuple(Related(place=Place(self.source, span), message=text) for span, text in related)
        finding = self.report.at(node, rule, message, hint=hint, fix=fix)
        self.reported(replace(finding, related=places) if places else finding, difference, refusal)

    def reported(self, finding: Finding, difference: Difference | None = None, refusal: str = FORM) -> None:
        defect = Defect(finding, difference)
        self.noted.append(defect)
        if defect.is_refused:
            self.findings.append(replace(finding, code=refusal, fix=None))

    def add(self, message: str, span: Span, *, code: str = FORM, hint: str | None = None) -> None:
        self.findings.append(Finding(code=code, message=message, place=Place(self.source, span), hint=hint))

    def misspelt(self, message: str, span: Span, name: str, known: tuple[str, ...]) -> None:
        """A name that is none of the known ones."""
        hint = did_you_mean(name, known) or f"one of {', '.join(known)}"
        self.add(message, span, hint=hint)

    def duplicate(self, message: str, span: Span, first: Place) -> None:
        related = (Related(place=first, message="first declared here"),)
        self.findings.append(
            Finding(code=DUPLICATE, message=message, place=Place(self.source, span), related=related)
        )
