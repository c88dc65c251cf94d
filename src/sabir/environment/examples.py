"""Declaration of the rules of environments; their examples are in `examples.yaml`."""

from __future__ import annotations

from sabir.diagnostics.rules import Rule


def environment_rule(number: str, title: str, why: str, *, run: bool = False) -> Rule:
    """Declare the rule `ENV:<number>`; `run` marks rules that only an evaluation reports."""
    return Rule(
        code=f"ENV:{number}",
        title=title,
        why=why,
        examples="sabir.environment",
        language="environment",
        when="evaluate" if run else "check",
    )
