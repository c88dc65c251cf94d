"""The matrix, its command, its pages and the pytest plugin."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conformance.runner.suites import SUITES, load
from tests.requirements.matrix import LANGUAGES, Document, Matrix, Row, done_prefixes, load_matrix
from tests.requirements.pages import DOCS, pages
from tests.requirements.shown import STATE, open_rows, read_shown, summary, write_shown

pytest_plugins = ["pytester"]

PROJECT = Path(__file__).resolve().parents[2]


def test_rows_of_each_document() -> None:
    counts = {document.prefix: len(document.rows) for document in load_matrix().documents}
    assert counts == {"M": 207, "V": 189, "I": 196, "C": 100, "U": 207}


def test_ids_are_numbered_without_gap() -> None:
    for document in load_matrix().documents:
        names = [f"{document.prefix}-{number:03}" for number in range(1, len(document.rows) + 1)]
        assert [row.id for row in document.rows] == names


def test_decisions_and_contexts_name_known_rows() -> None:
    matrix = load_matrix()
    named = {row for decision in matrix.decisions for row in decision.rows}
    named |= {row for context in matrix.contexts for row in context.rows}
    named |= {
        mark
        for document in matrix.documents
        for row in document.rows
        for mark in re.findall(r"S-\d+", row.mark)
    }
    assert sorted(named - matrix.ids) == []


def test_rows_that_are_partly_shown_are_rows_with_a_reason() -> None:
    matrix = load_matrix()
    rows = {row.id for document in matrix.documents for row in document.rows}
    assert sorted({*matrix.partly} - rows) == []
    assert all(len(reason.split()) > 3 for reason in matrix.partly.values())


def test_cases_name_known_rows() -> None:
    named = {row for language in SUITES for case in load(language) for row in case.rows}
    assert sorted(named - load_matrix().ids) == []


@pytest.mark.parametrize("path", sorted(pages(load_matrix(), {})))
def test_docs_pages_are_up_to_date(path: str) -> None:
    wanted = pages(load_matrix(), read_shown(STATE))[path]
    assert (DOCS / path).read_text(encoding="utf-8") == wanted, (
        "run python -m tests.requirements --write-docs"
    )


def test_done_names_languages(tmp_path: Path) -> None:
    file = tmp_path / "done.txt"
    file.write_text("# a remark\n\n" + "\n".join(LANGUAGES) + "\n")
    assert done_prefixes(file) == ["M", "V", "I", "C", "U"]
    assert set(done_prefixes()) <= set(LANGUAGES.values())
    file.write_text("murano\n")
    with pytest.raises(ValueError, match="no language is called murano; there are muranopl"):
        done_prefixes(file)


def test_summary_counts_shown_rows_only(tmp_path: Path) -> None:
    rows = tuple(Row(id=f"M-00{number}", text="t", section="s", show="x") for number in (1, 2, 3))
    document = Document(prefix="M", number="000", title="t", rows=rows)
    matrix = Matrix(documents=(document,), decisions=(), contexts=(), ids=frozenset(row.id for row in rows))
    write_shown(
        {"M-002": ["tests/b.py::test", "tests/a.py::test", "tests/a.py::test"], "M-003": []},
        tmp_path / "shown.json",
    )
    shown = read_shown(tmp_path / "shown.json")
    assert shown["M-002"] == ("tests/a.py::test", "tests/b.py::test")
    assert summary(matrix, shown) == ["M: 1 of 3 shown"]
    partly = replace(matrix, partly={"M-001": "too small", "M-002": "too small"})
    assert summary(partly, shown) == ["M: 0 of 3 shown, 1 partly"]
    assert open_rows(document, shown) == ["M-001", "M-003"]


CONFTEST = """
import pathlib, pytest
from tests.requirements import plugin
plugin.LAST_RUN = pathlib.Path({last!r})
plugin.done_prefixes = lambda: {done!r}

def pytest_configure(config):
    config.pluginmanager.register(plugin.RowsPlugin(config), "requirement-rows")
"""
TESTS = """
import pytest

@pytest.mark.rows("M-001", "S-01")
def test_good(): pass

@pytest.mark.rows("M-002")
def test_bad(): assert False

@pytest.mark.rows("M-003")
@pytest.mark.xfail(strict=True)
def test_open(): assert False

@pytest.mark.rows("M-999")
def test_unknown_row(): pass
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTHONPATH", str(PROJECT))
    pytester.makepyprojecttoml(
        '[tool.pytest.ini_options]\ntestpaths = ["suite"]\nmarkers = ["rows(*ids): rows"]\n'
    )
    (pytester.path / "suite").mkdir()
    return pytester


def _set_up(project: pytest.Pytester, tests: str, done: list[str]) -> Path:
    last = project.path / "last.json"
    (project.path / "suite" / "conftest.py").write_text(CONFTEST.format(last=str(last), done=done))
    (project.path / "suite" / "test_rows.py").write_text(tests)
    return last


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [(), ("-n", "2")], ids=["one process", "two processes"])
def test_full_run_keeps_what_passed(project: pytest.Pytester, arguments: tuple[str, ...]) -> None:
    last = _set_up(project, TESTS, done=[])
    result = project.runpytest_subprocess(*arguments)
    result.stdout.fnmatch_lines(["*the requirement matrix has no M-999*"])
    assert read_shown(last) == dict.fromkeys(("M-001", "S-01"), ("suite/test_rows.py::test_good",))


@pytest.mark.slow
def test_partial_run_keeps_nothing(project: pytest.Pytester) -> None:
    last = _set_up(project, TESTS, done=[])
    project.runpytest_subprocess("-k", "good")
    assert not last.exists()


@pytest.mark.slow
def test_done_language_with_open_rows_fails(project: pytest.Pytester) -> None:
    _set_up(project, "import pytest\n@pytest.mark.rows('C-001')\ndef test_good(): pass\n", done=["C"])
    result = project.runpytest_subprocess()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*declared done, without a passing test*", "C-002 C-003*"])
