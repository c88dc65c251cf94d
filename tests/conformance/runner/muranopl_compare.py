"""The comparison of MuranoPL outcomes."""

from __future__ import annotations

from typing import Any

from tests.conformance.runner.case import Case, Verdict
from tests.conformance.runner.equality import Numbers, differences
from tests.conformance.runner.muranopl import Adapter, MuranoCase, MuranoOutcome, is_number
from tests.conformance.runner.muranopl_model import model_differences
from tests.conformance.runner.outcomes import compare_outcomes, shown_outcomes

__all__ = ["compare", "judge"]


def judge(case: Case, adapter: Adapter) -> Verdict:
    assert isinstance(case, MuranoCase)
    outcome = adapter(case)
    expected = shown_outcomes(case.outcomes)
    return Verdict(differences=tuple(compare(case, outcome)), expected=expected, actual=outcome)


def compare(case: MuranoCase, outcome: MuranoOutcome) -> list[str]:
    return compare_outcomes(case.outcomes, lambda expected: _compare_one(expected, outcome))


def _compare_one(expected: dict[str, Any], outcome: MuranoOutcome) -> list[str]:
    found = _compare_error(expected.get("error"), outcome)
    if "result" in expected and not outcome.error:
        found += differences(expected["result"], outcome.result, Numbers.BY_VALUE, "result")
    if "result" in expected and outcome.error:
        found.append(f"result {expected['result']!r} expected, there is none")
    if "resultAtMost" in expected and not _is_at_most(outcome, expected["resultAtMost"]):
        found.append(f"a number of at most {expected['resultAtMost']} expected, {outcome.result!r} found")
    if "trace" in expected:
        found += differences(expected["trace"], list(outcome.trace), Numbers.BY_VALUE, "trace")
    if "model" in expected:
        found += model_differences(expected["model"], outcome.model)
    return found


def _is_at_most(outcome: MuranoOutcome, limit: float) -> bool:
    return outcome.error is None and is_number(outcome.result) and bool(outcome.result <= limit)


def _compare_error(expected: dict[str, Any] | None, outcome: MuranoOutcome) -> list[str]:
    error = outcome.error
    if expected is None:
        return (
            [f"no error expected, {error.kind} found while in {error.phase}: {error.text}"] if error else []
        )
    if error is None:
        return [f"error {expected['kind']} expected, the run ended well with {outcome.result!r}"]
    found: list[str] = []
    kinds = _listed(expected["kind"])
    if "any" not in kinds and error.kind not in kinds:
        found.append(f"error.kind: {' or '.join(kinds)} expected, {error.kind} found: {error.text}")
    phases = _listed(expected["phase"])
    if error.phase not in phases:
        found.append(f"error.phase: {' or '.join(phases)} expected, {error.phase} found: {error.text}")
    if "names" in expected:
        found += differences(expected["names"], list(error.names), Numbers.BY_VALUE, "error.names")
    if "message" in expected:
        found += differences(expected["message"], error.message, Numbers.BY_VALUE, "error.message")
    if "extra" in expected:
        found += differences(expected["extra"], error.extra, Numbers.BY_VALUE, "error.extra")
    found += [
        f"error text lacks {part!r}: {error.text}"
        for part in expected.get("textHas", ())
        if part not in error.text
    ]
    return found


def _listed(value: str | list[str]) -> list[str]:
    return value if isinstance(value, list) else [value]
