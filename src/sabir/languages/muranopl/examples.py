"""The rule factory of the language. Examples of its rules are in `examples.yaml`; tests run all of them."""

from __future__ import annotations

from typing import Unpack

from sabir.diagnostics.rules import Rule, RuleOptions


def package_rule(code: str, title: str, why: str, **options: Unpack[RuleOptions]) -> Rule:
    """Return a rule of MuranoPL, whose examples are looked up in this package."""
    package = "sabir.languages.muranopl"
    return Rule(code=code, title=title, why=why, examples=package, language="muranopl", **options)
