"""Small packages that show what a rule reports: one module for checks, one for runs. Tests check or evaluate all of them.

The rules of the language: `examples.yaml` has their examples.
"""

from __future__ import annotations

from typing import Unpack

from sabir.diagnostics.rules import Rule, RuleOptions


def package_rule(code: str, title: str, why: str, **options: Unpack[RuleOptions]) -> Rule:
    package = "sabir.languages.muranopl"
    return Rule(code=code, title=title, why=why, examples=package, language="muranopl", **options)
