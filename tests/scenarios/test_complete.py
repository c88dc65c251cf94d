"""`why` is complete: a line whose change changes a value stands in the chain of that value; and nothing else does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from sabir.graph.dependence import lines_of
from sabir.operations.why import Explainer, Subject
from tests.scenarios.changes import changed_values, evaluated, named_lines

HERE = Path(__file__).parent / "complete"
CASES = sorted(path.name for path in HERE.iterdir())
FILES = [
    (case, str(file.relative_to(HERE / case)))
    for case in CASES
    for file in sorted((HERE / case).rglob("*"))
    if file.is_file()
]


def files_of(case: str) -> Mapping[str, str]:
    folder = HERE / case
    return {
        str(file.relative_to(folder)): file.read_text("utf-8") for file in folder.rglob("*") if file.is_file()
    }


@pytest.mark.parametrize(("case", "file"), FILES, ids=[f"{case}/{file}" for case, file in FILES])
def test_a_line_that_changes_a_value_is_named(case: str, file: str, tmp_path: Path) -> None:
    files = files_of(case)
    graph = evaluated(tmp_path, files, full=True)
    assert graph is not None
    named = named_lines(graph)
    found = 0
    for line, changed, _ in changed_values(tmp_path, files, file):
        found += len(changed)
        assert {one for one in changed if line not in named[one]} == set(), line
    assert found


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_line_that_is_named_matters(case: str, tmp_path: Path) -> None:
    """Changing it changes the value, or leaves none. Steps of one line only: the others are blocks."""
    files = files_of(case)
    graph = evaluated(tmp_path, files, full=True)
    assert graph is not None
    matters: dict[tuple[str, int], set[tuple[str | None, str]]] = {}
    for file in files:
        for line, changed, gone in changed_values(tmp_path, files, file):
            matters.setdefault(line, set()).update(changed, gone)
    explainer = Explainer(graph)
    for one in graph:
        for name in one.attributes:
            for step in explainer.explain(Subject(one, name)).steps:
                file, lines = ("", range(0)) if step.origin is None else lines_of(step.origin)
                if len(lines) == 1 and (file, lines[0]) in matters:
                    assert (one.id, name) in matters[file, lines[0]], (file, lines[0])
