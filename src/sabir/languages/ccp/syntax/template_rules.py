"""What can be wrong with a template of a component: a definition, an upgrade, a Dockerfile."""

from __future__ import annotations

from typing import Final

from sabir.expressions.template.findings import TemplateRules
from sabir.languages.ccp.syntax.examples import ccp_rule

__all__ = ["TEMPLATE_RULES", "UNDEFINED_VARIABLE"]

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
