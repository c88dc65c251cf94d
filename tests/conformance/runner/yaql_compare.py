"""The comparison of YAQL outcomes."""

from __future__ import annotations

from tests.conformance.runner.case import Case, Verdict
from tests.conformance.runner.equality import Numbers, differences, is_same
from tests.conformance.runner.matching import unpaired
from tests.conformance.runner.yaql import Adapter, YaqlCase, YaqlOutcome

__all__ = ["compare", "judge"]


def judge(case: Case, adapter: Adapter) -> Verdict:
    assert isinstance(case, YaqlCase)
    outcome = adapter(case)
    return Verdict(differences=tuple(compare(case, outcome)), expected=case.expect, actual=outcome)


def compare(case: YaqlCase, outcome: YaqlOutcome) -> list[str]:
    if "error" in case.expect:
        return _compare_error(case.expect["error"]["kind"], outcome)
    if outcome.error:
        return [f"a result expected, {outcome.error.kind} error found: {outcome.error.message}"]
    expected = case.expect["result"]
    if case.unordered and isinstance(expected, list) and isinstance(outcome.result, list):
        missing, extra = unpaired(
            expected, outcome.result, lambda one, other: is_same(one, other, Numbers.BY_VALUE)
        )
        return [f"result: item {item!r} missing" for item in missing] + [
            f"result: item {item!r} not expected" for item in extra
        ]
    return differences(expected, outcome.result, Numbers.BY_VALUE, "result")


def _compare_error(kind: str, outcome: YaqlOutcome) -> list[str]:
    if outcome.error is None:
        return [f"{kind} error expected, result {outcome.result!r} found"]
    if outcome.error.kind != kind:
        return [f"{kind} error expected, {outcome.error.kind} error found: {outcome.error.message}"]
    return []
