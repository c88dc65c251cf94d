"""The comparison of cases of the kind `ui`: outcomes count, the wording of messages does not."""

from __future__ import annotations

from typing import Any

from tests.conformance.runner.deploy_muranopl import DeployCase
from tests.conformance.runner.placeholders import Matcher

__all__ = ["compare_forms"]


def compare_forms(case: DeployCase, outcome: dict[str, Any]) -> list[str]:
    want = case.raw["expect"]
    if "error" in want:
        return [] if "error" in outcome else ["an error is expected, the forms were taken"]
    matcher = Matcher()
    for _ in matcher.match(_without_words(want), _without_words(outcome), {}):
        return []
    return [matcher.deepest[1] or "no way to bind the placeholders"]


def _without_words(outcome: dict[str, Any]) -> dict[str, Any]:
    """Errors as the number of messages of each field."""
    errors = {
        form: {field: len(messages) for field, messages in fields.items()}
        for form, fields in outcome.get("errors", {}).items()
    }
    return {**outcome, "errors": errors}
