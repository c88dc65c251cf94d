"""A finding of CCP: it also knows where in the definition, or the configuration, it stands."""

from __future__ import annotations

from sabir.diagnostics.finding import Finding, Related
from sabir.diagnostics.rules import Rule
from sabir.expressions.template.findings import TemplateFinding
from sabir.text import Place

__all__ = ["Fault", "fault", "template_fault"]


class Fault(Finding, frozen=True, kw_only=True):
    """`path` is dotted with `[i]` for list items, relative to the definition or the configuration; empty for a file."""

    path: str
    units: tuple[str, ...] = ()
    """Those of a circle."""


def fault(
    rule: Rule,
    path: str,
    place: Place,
    message: str,
    *,
    hint: str | None = None,
    units: tuple[str, ...] = (),
    related: tuple[tuple[Place, str], ...] = (),
) -> Fault:
    """A finding of a rule at a place; a source without text has no place but itself."""
    return Fault(
        code=rule.code,
        message=message,
        place=place,
        whole_file=not place.source.text,
        hint=hint,
        related=tuple(Related(place=other, message=note) for other, note in related),
        path=path,
        units=units,
    )


def template_fault(finding: TemplateFinding) -> Fault:
    """What a template did wrong, with the whole definition as its path."""
    return Fault(
        code=finding.code,
        message=finding.message,
        place=finding.place,
        whole_file=finding.whole_file,
        hint=finding.hint,
        path="",
    )
