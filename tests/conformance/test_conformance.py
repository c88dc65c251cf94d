"""Every case of every language. A case that does not pass yet stands in open.txt with its reason."""

from __future__ import annotations

from functools import lru_cache

import pytest

from tests.conformance.runner.case import Case
from tests.conformance.runner.open_cases import read_open
from tests.conformance.runner.report import failure_text
from tests.conformance.runner.suites import SUITES, judge, load


@lru_cache(maxsize=1)
def _open() -> dict[str, str]:
    return read_open()


@lru_cache(maxsize=1)
def _cases() -> dict[str, Case]:
    return {case.name: case for language in SUITES for case in load(language)}


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=name, marks=pytest.mark.rows(*case.rows)) for name, case in _cases().items()],
)
def test_case(case: Case) -> None:
    verdict = judge(case)
    reason = _open().get(case.name)
    if verdict.skipped is not None:
        pytest.skip(verdict.skipped)
    if verdict.passed:
        assert reason is None, (
            f"{case.name} passes but is listed in open.txt; run python -m tests.conformance {case.language} --update-open"
        )
    elif reason is not None:
        pytest.xfail(reason)
    else:
        pytest.fail(failure_text(case, verdict), pytrace=False)


def test_ids_are_unique() -> None:
    assert sum(len(load(language)) for language in SUITES) == len(_cases())


def test_open_names_existing_cases_only() -> None:
    assert sorted(_open().keys() - _cases().keys()) == []
