"""Rules of failures that MuranoPL code can catch.

Packages catch a failure of the engine by the name that its exception has there; the rule says that name beside the code
of the finding that the failure becomes when nobody catches it.
"""

from __future__ import annotations

from sabir.diagnostics.rules import Rule

__all__ = ["FailureRule", "failure_rule"]


class FailureRule(Rule, frozen=True, kw_only=True):
    kind: str
    """The name of the exception in the existing engine."""


def failure_rule(kind: str, code: str, title: str, why: str) -> FailureRule:
    return FailureRule(
        kind=kind,
        code=code,
        title=title,
        why=why,
        examples="sabir.languages.muranopl",
        language="muranopl",
        when="evaluate",
    )
