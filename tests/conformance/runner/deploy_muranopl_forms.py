"""The comparison of cases of the kinds `ui` and `test`: outcomes count, the wording of messages does not."""

from __future__ import annotations

from typing import Any

from tests.conformance.runner.deploy_muranopl import DeployCase
from tests.conformance.runner.placeholders import Matcher

__all__ = ["compare_forms", "compare_tests"]


def compare_forms(case: DeployCase, outcome: dict[str, Any]) -> list[str]:
    want = case.raw["expect"]
    if "error" in want:
        return [] if "error" in outcome else ["an error is expected, the forms were taken"]
    matcher = Matcher()
    for _ in matcher.match(_without_words(want), _without_words(outcome), {}):
        return []
    return [matcher.deepest[1] or "no way to bind the placeholders"]


def compare_tests(case: DeployCase, outcome: dict[str, Any]) -> list[str]:
    want = dict(case.raw["expect"])
    want["tests"] = [{"test": test["test"], "outcome": test["outcome"]} for test in want["tests"]]
    return [f"{key}: wanted {want[key]}, found {outcome[key]}" for key in want if want[key] != outcome[key]]


def _without_words(outcome: dict[str, Any]) -> dict[str, Any]:
    """Errors as the number of messages of each field."""
    errors = {
        form: {field: len(messages) for field, messages in fields.items()}
        for form, fields in outcome.get("errors", {}).items()
    }
    return {**outcome, "errors": errors}
