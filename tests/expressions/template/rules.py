"""Rules such as a language brings for its templates."""

from __future__ import annotations

from sabir.diagnostics.rules import Rule
from sabir.expressions.template.findings import TemplateRules

__all__ = ["RULES"]


def _rule(number: int) -> Rule:
    return Rule(code=f"TEST:E{number:03}", title="", why="")


RULES = TemplateRules(
    syntax=_rule(1),
    undefined=_rule(2),
    unsafe=_rule(3),
    limit=_rule(4),
    failed=_rule(5),
    defining="define it",
)
