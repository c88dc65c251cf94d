"""What is wrong with the form of a class file or manifest, collected while reading goes on.

A defect of a declaration or an instruction is found once and has two readers: the check reports it under the code of its rule, loading
refuses the file under a code of its own. Where only one of them cares, the defect says which difference it is.
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
    """`finding` as the check words it."""

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
        """A defect; `rule` is that of the check, `refusal` that of loading."""
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
        """A name that is none of the known ones."""
        hint = did_you_mean(name, known) or f"one of {', '.join(known)}"
        self.add(message, span, hint=hint)

    def duplicate(self, message: str, span: Span, first: Place) -> None:
        related = (RelatedLocation(place=first, message="first declared here"),)
        self.findings.append(DUPLICATE.at(Place(self.source, span), message, related=related))
