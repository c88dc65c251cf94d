from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.runner.command import main
from benchmarks.runner.growth import doubling, exponent
from benchmarks.runner.measure import BenchmarkError, Figures, Measured, measure
from benchmarks.runner.report import as_json, growth_lines, table
from benchmarks.runner.workload import Measure, Workload, find_workloads

PYTHON = Path(sys.executable)
PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"


@pytest.mark.parametrize("name", sorted(find_workloads()))
def test_workload_runs_at_a_tiny_size(name: str) -> None:
    """Sabir's side only: the tools that exist are not installed here."""
    workload = find_workloads()[name]
    reason = workload.needs()
    if reason is not None:
        pytest.skip(reason)
    measured = measure(workload, min(workload.tiny, *workload.sizes), repeat=1)
    assert measured.sabir.seconds[0] >= 0
    assert measured.sabir.peak_bytes > 1_000_000


@pytest.mark.slow
def test_both_sides_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    arguments = [
        "source-yaml",
        "--peer-python",
        sys.executable,
        "--json",
        str(out),
        "--repeat",
        "2",
        "--growth",
        "5",
        "--steps",
        "2",
    ]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "sabir/peer" in printed
    assert "peer grows with size to the power of" in printed
    (group,) = json.loads(out.read_text())
    assert [run["size"] for run in group["runs"]] == [5, 10]
    assert all(len(run["peer"]["cpu_runs"]) == 2 for run in group["runs"])
    assert set(group["exponent"]) == {"sabir", "peer"}


def _nothing(size: int, folder: Path) -> None:
    (folder / "side.py").write_text(
        "def one(folder, size):\n    return lambda: size\ndef two(folder, size):\n    return lambda: -size\n"
    )


def _workload(sabir: str, *, peer: str | None = None, how: Measure = Measure.HOT) -> Workload:
    return Workload(name="w", about="", sizes=(1,), generate=_nothing, sabir=sabir, peer=peer, measure=how)


def test_different_work_is_refused(tmp_path: Path) -> None:
    _nothing(1, tmp_path)
    side = tmp_path / "side.py"
    workload = _workload(f"{side}:one", peer=f"../../..{'/..' * 20}{side}:two")
    with pytest.raises(BenchmarkError, match="not the same work: 3 against -3"):
        measure(workload, 3, peer_python=PYTHON, repeat=1)


def test_side_that_fails() -> None:
    with pytest.raises(BenchmarkError, match="no_such_module"):
        measure(_workload("no_such_module:run"), 1, repeat=1)


def test_whole_process_counts_start_up(tmp_path: Path) -> None:
    _nothing(1, tmp_path)
    side = f"{tmp_path / 'side.py'}:one"
    whole = measure(_workload(side, how=Measure.PROCESS), 1, repeat=1)
    hot = measure(_workload(side), 1, repeat=1)
    assert whole.sabir.median > hot.sabir.median


def test_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert "source-yaml " in capsys.readouterr().out
    assert main(["source-yam"]) == 2
    assert "did you mean 'source-yaml'?" in capsys.readouterr().err
    assert main(["source-yaml", "--peer-python", "nowhere/python"]) == 2
    assert "no such interpreter" in capsys.readouterr().err


@given(st.floats(0.1, 3), st.floats(0.01, 100), st.integers(1, 1000))
def test_exponent_of_a_power(power: float, factor: float, start: int) -> None:
    sizes = doubling(start, 5)
    assert exponent(sizes, [factor * size**power for size in sizes]) == pytest.approx(power, rel=1e-6)


def test_report() -> None:
    sabir, peer = (
        Figures(seconds=(1.0, 3.0, 2.0), peak_bytes=5_000_000),
        Figures(seconds=(8.0,), peak_bytes=10_000_000),
    )
    rows = [Measured(workload="w", size=size, sabir=sabir, peer=peer) for size in (10, 20)]
    assert table(rows).splitlines()[1].split() == ["w", "10", "2.000", "8.000", "0.25", "5.0", "10.0"]
    assert growth_lines(rows) == [
        "sabir grows with size to the power of 0.00",
        "peer grows with size to the power of 0.00",
    ]
    alone = Measured(workload="w", size=10, sabir=sabir)
    assert table([alone]).splitlines()[1].split() == ["w", "10", "2.000", "-", "-", "5.0", "-"]
    assert json.loads(as_json([[alone]], growth=False))[0]["runs"][0]["ratio"] is None


def test_figures_are_written_into_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    marks = re.findall("^<!-- .*figures.* -->$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    page.write_text("\n".join(["before", marks[0], "old", marks[1], "after"]))
    for _ in range(2):
        assert main(["yaql-start", "--page", str(page), "--peers", str(tmp_path), "--repeat", "1"]) == 0
        lines = page.read_text().splitlines()
        assert (lines[0], lines[-1]) == ("before", "after")
        assert "old" not in lines
        assert [line.split(" |")[0] for line in lines if line.startswith("| `")] == ["| `yaql-start`"]


def test_a_page_without_a_place_for_figures_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing")
    assert main(["yaql-start", "--page", str(page)]) == 1
    assert "has no place for figures" in capsys.readouterr().err
    assert page.read_text() == "nothing"
