"""How a rule of resources is written down; `examples.yaml` has the examples."""

from __future__ import annotations

from sabir.diagnostics.rules import Rule

__all__ = ["resources_rule"]


def resources_rule(number: str, title: str, why: str, *, run: bool = False) -> Rule:
    return Rule(
        code=f"RES:{number}",
        title=title,
        why=why,
        examples="sabir.languages.resources",
        language="resources",
        when="evaluate" if run else "check",
    )
