"""How a rule of environments is written down; `examples.yaml` has the examples."""

from __future__ import annotations

from sabir.diagnostics.rules import Rule


def environment_rule(number: str, title: str, why: str, *, run: bool = False) -> Rule:
    return Rule(
        code=f"ENV:{number}",
        title=title,
        why=why,
        examples="sabir.environment",
        language="environment",
        when="evaluate" if run else "check",
    )
