from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.runner import command
from tests.conformance.runner.case import Case, Verdict
from tests.conformance.runner.matching import pair_up
from tests.conformance.runner.open_cases import OpenFileError, read_open, remove_open
from tests.conformance.runner.suites import judge, load
from tests.conformance.runner.yaql import YaqlCase, YaqlOutcome
from tests.conformance.runner.yaql_compare import judge as judge_yaql

CASES = """
- {id: right, expr: '1', expect: {result: 1}}
- {id: wrong, why: it differs, expr: '2', expect: {result: {a: 3}}}
"""


def _judge(case: Case) -> Verdict:
    def adapter(case: YaqlCase) -> YaqlOutcome:
        return YaqlOutcome(result=int(case.expression))

    return judge_yaql(case, adapter)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "cases.yaml").write_text(CASES)
    monkeypatch.setattr(command, "judge", _judge)
    return tmp_path


def test_failures_are_shown_and_counted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["yaql", str(folder), "--json", str(folder / "out.json")]) == 1
    printed = capsys.readouterr().out
    assert "FAILED yaql/wrong" in printed
    assert "why: it differs" in printed
    assert "{'a': 3} (mapping) expected, 2 (integer) found" in printed
    assert "yaql/right" not in printed
    assert printed.splitlines()[-1] == "1 passed, 1 failed"
    written = json.loads((folder / "out.json").read_text())
    assert {case["id"]: case["passed"] for case in written["cases"]} == {
        "yaql/right": True,
        "yaql/wrong": False,
    }
    assert (written["passed"], written["failed"]) == (1, 1)


def test_only_some(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["yaql", str(folder), "-k", "right"]) == 0
    assert capsys.readouterr().out == "1 passed, 0 failed\n"


def test_nothing_to_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["yaql", str(tmp_path / "nowhere")]) == 2
    assert command.main(["yaql", str(tmp_path)]) == 2
    assert capsys.readouterr().out == ""


def test_adapter_that_raises_fails_the_case(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(case: Case) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr("tests.conformance.runner.suites.adapter_of", lambda language: broken)
    assert "out of order" in judge(load("yaql")[0]).differences[0]


def test_language_without_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.conformance.runner.suites.adapter_of", lambda language: None)
    assert judge(load("yaql")[0]).differences == ("no adapter yet",)


def test_open_file(tmp_path: Path) -> None:
    file = tmp_path / "open.txt"
    file.write_text("# remark\n\nyaql/a  not built\nyaql/b  odd, see S-01\n")
    assert read_open(file) == {"yaql/a": "not built", "yaql/b": "odd, see S-01"}
    assert remove_open(["yaql/a", "yaql/z"], file) == 1
    assert file.read_text() == "# remark\n\nyaql/b  odd, see S-01\n"


@pytest.mark.parametrize("text", ["yaql/a\n", "yaql/a  x\nyaql/a  y\n"], ids=["no reason", "twice"])
def test_bad_open_file(text: str, tmp_path: Path) -> None:
    (tmp_path / "open.txt").write_text(text)
    with pytest.raises(OpenFileError):
        read_open(tmp_path / "open.txt")


@given(st.lists(st.integers(0, 5), max_size=6), st.lists(st.integers(0, 5), max_size=6))
def test_pairing_by_equality_is_a_multiset_intersection(left: list[int], right: list[int]) -> None:
    pairs = pair_up(left, right, lambda one, other: one == other)
    assert len(pairs) == sum(min(left.count(value), right.count(value)) for value in set(left))
    assert len(set(pairs.values())) == len(pairs)


def test_pairing_gives_way() -> None:
    anything_or_one = [{1, 2}, {1}]
    assert pair_up(anything_or_one, [1, 2], lambda accepted, value: value in accepted) == {0: 1, 1: 0}
