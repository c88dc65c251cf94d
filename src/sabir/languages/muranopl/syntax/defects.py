"""Defects in the form of a class file or manifest, collected while reading continues.

A defect of a declaration or an instruction is found once and used twice: the check reports it with the code
of its rule, and loading rejects the file with another code. Where only one of them does so, the defect names
the difference (`EngineDifference`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding, Fix, RelatedLocation
from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.muranopl.syntax.report import FileReporter
from sabir.languages.muranopl.syntax.rules import EngineDifference, failure_rule
from sabir.source.yaml.nodes import YamlNode
from sabir.text import Place, Source, Span

FORM: Final = failure_rule(
    "DslSyntaxError",
    "MRUN:E001",
    "a declaration or an instruction of the wrong form",
    "A class file that cannot be read as it stands is not run at all; the message names the key and what may stand there.",
)
DUPLICATE: Final = failure_rule(
    "DuplicateClass",
    "MRUN:E004",
    "a name that is given twice",
    "Class names are unique in a package, argument names in a method; otherwise one of the two would silently be lost.",
)
UNKNOWN_CLASS: Final = failure_rule(
    "NoClassFound",
    "MRUN:E005",
    "a class that does not exist",
    "A class is looked up in its own package, in those that Require names, and in the core library. Check the spelling, "
    "the prefix in Namespaces, and Require.",
)


class Defect(Struct, frozen=True):
    """One defect; `finding` is worded for the check."""

    finding: Finding
    difference: EngineDifference | None = None

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
        self.report = FileReporter(source)
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
        difference: EngineDifference | None = None,
        refusal: Rule = FORM,
    ) -> None:
        """Add a defect; `rule` is the one of the check, `refusal` the one of loading."""
        places = tuple(
            RelatedLocation(place=Place(self.source, span), message=text) for span, text in related
        )
        finding = self.report.at(node, rule, message, hint=hint, fix=fix)
        self.add_finding(replace(finding, related=places) if places else finding, difference, refusal)

    def add_finding(
        self, finding: Finding, difference: EngineDifference | None = None, refusal: Rule = FORM
    ) -> None:
        defect = Defect(finding, difference)
        self.noted.append(defect)
        if defect.is_refused:
            self.findings.append(replace(finding, code=refusal.code, fix=None))

    def add(self, message: str, span: Span, *, rule: Rule = FORM, hint: str | None = None) -> None:
        self.findings.append(rule.at(Place(self.source, span), message, hint=hint))

    def misspelt(self, message: str, span: Span, name: str, known: tuple[str, ...]) -> None:
        """Add the defect of an unknown name."""
        hint = did_you_mean(name, known) or f"one of {', '.join(known)}"
        self.add(message, span, hint=hint)

    def duplicate(self, message: str, span: Span, first: Place) -> None:
        related = (RelatedLocation(place=first, message="first declared here"),)
        self.findings.append(DUPLICATE.at(Place(self.source, span), message, related=related))
