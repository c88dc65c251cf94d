"""What is wrong with the form of a class file or manifest, collected while reading goes on."""

from __future__ import annotations

from msgspec import Struct

from sabir.diagnostics.finding import Finding, Related
from sabir.diagnostics.near import did_you_mean
from sabir.text import Place, Source, Span

__all__ = ["CONTRACT_FORM", "DUPLICATE", "FORM", "UNKNOWN_CLASS", "Defects"]

FORM = "MRUN:E001"
CONTRACT_FORM = "MRUN:E002"
DUPLICATE = "MRUN:E004"
UNKNOWN_CLASS = "MRUN:E005"


class Defects(Struct):
    """The findings about one source, in the order they were made."""

    source: Source
    findings: list[Finding] = []

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
