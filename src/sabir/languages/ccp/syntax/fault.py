"""A finding of CCP: it also knows where in the definition, or the configuration, it stands."""

from __future__ import annotations

from sabir.diagnostics.finding import Finding, Related
from sabir.diagnostics.rules import Rule
from sabir.expressions.template.findings import TemplateFinding
from sabir.text import Place

__all__ = ["Fault", "build_fault", "template_fault"]


class Fault(Finding, frozen=True, kw_only=True):
    """`path` is dotted with `[i]` for list items, relative to the definition or the configuration; empty for a file."""

    path: str
    units: tuple[str, ...] = ()
    """Those of a circle."""


def build_fault(
    rule: Rule,
    path: str,
    place: Place,
    message: str,
    *,
    hint: str | None = None,
    units: tuple[str, ...] = (),
    related: tuple[tuple[Place, str], ...] = (),
) -> Fault:
    notes = tuple(Related(place=other, message=note) for other, note in related)
    return rule.at(place, message, hint=hint, related=notes).widened(Fault, path=path, units=units)


def template_fault(finding: TemplateFinding) -> Fault:
    """What a template did wrong, with the whole definition as its path."""
    return finding.widened(Fault, path="")
