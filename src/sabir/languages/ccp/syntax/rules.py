"""CCP rules and faults: findings with a path in the definition or configuration, and template faults."""

from __future__ import annotations

from functools import partial
from typing import Final

from sabir.diagnostics.finding import Finding, RelatedLocation
from sabir.diagnostics.rules import Rule
from sabir.expressions.template.findings import TemplateFinding, TemplateRules
from sabir.text import Place

ccp_rule: Final = partial(Rule, language="ccp", examples="sabir.languages.ccp")


class Fault(Finding, frozen=True, kw_only=True):
    """A finding with a path; empty for a whole file.

    The path is dotted, with `[i]` for list items, relative to the definition or configuration.
    """

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
    notes = tuple(RelatedLocation(place=other, message=note) for other, note in related)
    return rule.at(place, message, hint=hint, related=notes).convert_to(Fault, path=path, units=units)


def template_fault(finding: TemplateFinding) -> Fault:
    """Return the fault for an error of a template, with the whole definition as its path."""
    return finding.convert_to(Fault, path="")


TEMPLATE_SYNTAX: Final = ccp_rule(
    code="CCP:E002",
    title="definition is not readable as a template",
    why=(
        "Definitions are Jinja2 templates over the configuration. A tag left open, an `endif` too few or a filter that "
        "does not exist keeps the whole file from being rendered."
    ),
)

UNDEFINED_VARIABLE: Final = ccp_rule(
    code="CCP:E003",
    title="template uses a name that is not defined",
    why=(
        "An undefined name would silently become an empty text. Define it under `configs`, in the configuration or in "
        "`service/files/defaults.yaml` of a component, or fix the spelling."
    ),
)

TEMPLATE_FAILED: Final = ccp_rule(
    code="CCP:E004",
    title="template cannot be rendered",
    why=(
        "An expression in the template fails on the values it is given: a sum of a text and a number, an include of a "
        "file that is not there, or the template's own `raise_exception`."
    ),
)

TEMPLATE_UNSAFE: Final = ccp_rule(
    code="CCP:E005",
    title="template reaches for the interpreter",
    why=(
        "Templates work on the configuration. Attributes of Python objects that lead out of it are refused, whoever wrote "
        "the template."
    ),
)

TEMPLATE_LIMIT: Final = ccp_rule(
    code="CCP:E006",
    title="template does not end within bounds",
    why=(
        "A rendering may take about half a second, some hundred thousand steps and some million characters. A description "
        "that needs more is a mistake, or meant to harm."
    ),
)

TEMPLATE_RULES: Final = TemplateRules(
    syntax=TEMPLATE_SYNTAX,
    undefined=UNDEFINED_VARIABLE,
    unsafe=TEMPLATE_UNSAFE,
    limit=TEMPLATE_LIMIT,
    failed=TEMPLATE_FAILED,
    defining="define it under configs in the configuration or in service/files/defaults.yaml",
)
