"""The pytest side: which rows passing tests show, kept after a full run, and held against the languages declared done."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import pytest

from tests.requirements.matrix import done_prefixes, load_matrix
from tests.requirements.shown import LAST_RUN, open_rows, write_shown

__all__ = ["RowsPlugin"]

_PROPERTY = "requirement-rows"


class RowsPlugin:
    """Rows travel with the reports (`user_properties`), so that it works when tests run in several processes."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._tests_of: dict[str, set[str]] = defaultdict(set)
        self._missing: list[str] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            rows = _rows(item)
            if rows:
                item.user_properties.append((_PROPERTY, sorted(rows)))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        unknown = sorted(_rows(item) - load_matrix().ids)
        if unknown:
            pytest.fail(f"the requirement matrix has no {', '.join(unknown)}", pytrace=False)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        rows = [row for name, value in report.user_properties if name == _PROPERTY for row in _as_rows(value)]
        for row in rows:
            if report.when == "call" and report.passed:
                self._tests_of[row].add(report.nodeid)
            elif report.failed:
                self._tests_of[row].discard(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if _is_worker(self._config) or not _is_full_run(self._config):
            return
        shown = {row: tuple(tests) for row, tests in self._tests_of.items() if tests}
        write_shown(shown, LAST_RUN)
        done = done_prefixes()
        for document in load_matrix().documents:
            if document.prefix in done:
                self._missing += open_rows(document, shown)
        if self._missing and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._missing:
            terminalreporter.section(
                "requirement rows of languages declared done, without a passing test", red=True
            )
            terminalreporter.line(" ".join(self._missing))


def _rows(item: pytest.Item) -> set[str]:
    return {str(row) for marker in item.iter_markers("rows") for row in marker.args}


def _as_rows(value: object) -> Iterable[str]:
    return [str(row) for row in value] if isinstance(value, list | tuple) else []


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def _is_full_run(config: pytest.Config) -> bool:
    """Nothing was left out: no paths, no expression, no marker, nothing deselected, not only the last failures."""
    option = config.option
    narrowed = option.keyword or option.markexpr or option.deselect or option.ignore or option.ignore_glob
    # The two belong to pytest's cache, which can be switched off.
    from_cache = getattr(option, "lf", False) or getattr(option, "stepwise", False)
    shortened = from_cache or option.maxfail or option.collectonly
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS or config.args == config.getini(
        "testpaths"
    )
    return whole and not narrowed and not shortened
