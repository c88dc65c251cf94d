"""The comparison of eval outcomes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.conformance.runner.case import Case, Verdict
from tests.conformance.runner.equality import Numbers, differences
from tests.conformance.runner.eval import Adapter, EvalCase, EvalOutcome
from tests.conformance.runner.eval_place import expanded, file_differences, prepared_ensemble
from tests.conformance.runner.outcomes import compare_outcomes, shown_outcomes

__all__ = ["compare", "judge"]

_STATUS = ("unknown", "ok", "degraded", "error", "pending", "absent")
_STATE = (
    "initial",
    "creating",
    "created",
    "configuring",
    "configured",
    "starting",
    "started",
    "stopping",
    "stopped",
    "deleting",
    "deleted",
    "error",
)
_INTEGERS = {
    **{("$status", name): number for number, name in enumerate(_STATUS)},
    **{("$state", name): number for number, name in enumerate(_STATE, start=1)},
}


def judge(case: Case, adapter: Adapter) -> Verdict:
    assert isinstance(case, EvalCase)
    with prepared_ensemble(case.files, case.env) as folder:
        placed = replace(
            case,
            expression=expanded(case.expression, folder),
            env={name: expanded(value, folder) for name, value in case.env.items()},
        )
        outcome = adapter(placed, folder)
        found = compare(case, outcome, folder)
    expected = shown_outcomes(case.outcomes)
    return Verdict(differences=tuple(found), expected=expected, actual=outcome)


def compare(case: EvalCase, outcome: EvalOutcome, folder: Path) -> list[str]:
    return compare_outcomes(case.outcomes, lambda expected: _compare_one(expected, outcome, folder))


def _compare_one(expected: dict[str, Any], outcome: EvalOutcome, folder: Path) -> list[str]:
    found = _compare_error(expected.get("error"), outcome)
    for key in ("value", "values", "redacted"):
        if key in expected:
            wanted, there = _plain(expanded(expected[key], folder)), _plain(getattr(outcome, key))
            found += differences(wanted, there, Numbers.BY_TYPE, key)
    if "sensitive" in expected and expected["sensitive"] != outcome.sensitive:
        found.append(f"sensitive: {expected['sensitive']} expected, {outcome.sensitive} found")
    return found + file_differences(expected.get("files", {}), folder)


def _compare_error(expected: dict[str, Any] | None, outcome: EvalOutcome) -> list[str]:
    error = outcome.error
    if expected is None:
        return [f"no error expected, {error.kind} found: {error.message}"] if error else []
    kinds = expected["kind"] if isinstance(expected["kind"], list) else [expected["kind"]]
    if error is None:
        return [f"error {' or '.join(kinds)} expected, value {outcome.value!r} found"]
    return (
        []
        if error.kind in kinds
        else [f"error {' or '.join(kinds)} expected, {error.kind} found: {error.message}"]
    )


def _plain(value: Any) -> Any:
    """Encoded values in one form: enumerations as their integers, bytes as their hexadecimal digits."""
    match value:
        case bytes():
            return {"$bytes": value.hex()}
        case list():
            return [_plain(item) for item in value]
        case dict() if len(value) == 1:
            ((key, inner),) = value.items()
            if key in ("$status", "$state") and (key, inner) in _INTEGERS:
                return _INTEGERS[(key, inner)]
            return {key: _plain(inner)}
        case dict():
            return {key: _plain(inner) for key, inner in value.items()}
        case _:
            return value
