"""The constructor of Inmanta rules; `examples.yaml` has their examples."""

from __future__ import annotations

from typing import Unpack

from sabir.diagnostics.rules import Rule, RuleOptions


def inmanta_rule(code: str, title: str, why: str, **options: Unpack[RuleOptions]) -> Rule:
    """Return a rule of the language, whose examples are in `examples.yaml`."""
    package = "sabir.languages.inmanta"
    return Rule(code=code, title=title, why=why, examples=package, language="inmanta", **options)
