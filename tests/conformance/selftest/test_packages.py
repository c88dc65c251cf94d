from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.runner.packages import PackageCase, PackageOptions, PackageOutcome, Reported
from tests.conformance.runner.packages_bounded import run_bounded
from tests.conformance.runner.packages_compare import compare
from tests.conformance.runner.packages_input import prepared_input


def _case(expect: list[dict[str, Any]] | None = None, **changes: Any) -> PackageCase:
    fields: dict[str, Any] = {
        "package": Path("nowhere"),
        "input_path": None,
        "zipped": False,
        "zip_prefix": "",
        "zip_entries": (),
        "options": PackageOptions(),
        "max_seconds": None,
        "exit": 0,
        "file": Path("f"),
    }
    return PackageCase(
        language="packages", id="c", raw={}, expect=tuple(expect or ()), **{**fields, **changes}
    )


def _entry(line: int | list[int] | None = None, **changes: str) -> dict[str, Any]:
    entry: dict[str, Any] = {"code": "MPL:E001", "severity": "error", "file": "a.yaml", **changes}
    return entry if line is None else {**entry, "line": line}


def _found(line: int | None = None, **changes: str) -> Reported:
    return Reported(**{"code": "MPL:E001", "severity": "error", "file": "a.yaml", "line": line, **changes})  # type: ignore[arg-type]  # a table of fields


PASS: list[tuple[list[dict[str, Any]], list[Reported]]] = [
    ([], []),
    ([_entry()], [_found()]),
    ([_entry()], [_found(7)]),
    ([_entry(3)], [_found(3)]),
    ([_entry([3, 4])], [_found(4)]),
    ([_entry(), _entry(3)], [_found(3), _found(9)]),
    ([_entry([3, 4]), _entry(3)], [_found(3), _found(4)]),
]
FAIL: list[tuple[list[dict[str, Any]], list[Reported]]] = [
    ([], [_found()]),
    ([_entry()], []),
    ([_entry()], [_found(), _found()]),
    ([_entry(), _entry()], [_found()]),
    ([_entry()], [_found(code="MPL:E002")]),
    ([_entry()], [_found(severity="warning")]),
    ([_entry()], [_found(file="b.yaml")]),
    ([_entry(3)], [_found(4)]),
    ([_entry(3)], [_found()]),
    ([_entry([3, 4])], [_found(5)]),
    ([_entry(3), _entry(3)], [_found(3), _found(4)]),
]


@pytest.mark.parametrize("expect, found", PASS)
def test_passes(expect: list[dict[str, Any]], found: list[Reported]) -> None:
    assert compare(_case(expect), PackageOutcome(findings=tuple(found))) == []


@pytest.mark.parametrize("expect, found", FAIL)
def test_fails(expect: list[dict[str, Any]], found: list[Reported]) -> None:
    assert compare(_case(expect), PackageOutcome(findings=tuple(found)))


def test_exit_status() -> None:
    assert compare(_case(exit=2), PackageOutcome(exit=2)) == []
    assert compare(_case(exit=2), PackageOutcome(exit=1))


def test_absent_tree_is_an_empty_directory() -> None:
    with prepared_input(_case()) as target:
        assert target.is_dir()
        assert list(target.iterdir()) == []


def test_single_file_may_not_exist(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: 1")
    with prepared_input(_case(package=tmp_path, input_path="a.yaml")) as target:
        assert target.read_text() == "a: 1"
    with prepared_input(_case(package=tmp_path, input_path="b.yaml")) as target:
        assert not target.exists()


def test_archive_has_sorted_members_and_names_as_given(tmp_path: Path) -> None:
    (tmp_path / "Classes").mkdir()
    (tmp_path / "Classes" / "b.yaml").write_text("b")
    (tmp_path / "a.yaml").write_text("a")
    case = _case(
        package=tmp_path,
        zipped=True,
        zip_prefix="top/",
        zip_entries=(("../evil\\x", "e"), ("a.yaml", "again")),
    )
    with prepared_input(case) as target, zipfile.ZipFile(target) as archive:
        assert archive.namelist() == ["top/Classes/b.yaml", "top/a.yaml", "../evil\\x", "a.yaml"]
        assert archive.read("../evil\\x") == b"e"


SLOW = """
import sys, time
def run(case, target):
    from tests.conformance.runner.packages import PackageOutcome, Reported
    {work}
    return PackageOutcome(findings=(Reported(code="E001", severity="error", file="manifest.yaml", line=1),), exit=1)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "work, problem",
    [
        ("pass", ""),
        (
            "block = bytearray(300_000_000); block[::4096] = bytes(len(block[::4096]))",
            "MB, at most 200 MB allowed",
        ),
        (
            "end = time.process_time() + 1.2\n    while time.process_time() < end: pass",
            "s, at most 1 s allowed",
        ),
        ("sys.exit(3)", "the process died"),
    ],
    ids=["within", "memory", "time", "death"],
)
def test_bounds_are_measured_in_a_process_of_its_own(
    work: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "bounded"
    folder.mkdir()
    (folder / "case.yaml").write_text("{id: bounded, expect: [], exit: 1, max_seconds: 1}")
    (tmp_path / "slow_adapter.py").write_text(SLOW.format(work=work))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    bounded = run_bounded(_case(file=folder / "case.yaml", max_seconds=1, exit=1), "slow_adapter")
    assert problem in " ".join(bounded.problems)
    assert bool(bounded.problems) == bool(problem)
    if not problem:
        assert bounded.outcome == PackageOutcome(
            findings=(_found(1, code="E001", file="manifest.yaml"),), exit=1
        )
