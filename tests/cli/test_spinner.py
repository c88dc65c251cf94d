import io
import time

import pytest

from sabir.cli import spinner as module
from sabir.cli.spinner import show_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def watched_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    stderr = Terminal()
    monkeypatch.setattr("sys.stderr", stderr)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    return stderr


def test_nobody_watches_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with show_progress() as report:
        assert report is None


def test_quick_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched_terminal(monkeypatch)
    with show_progress() as report:
        assert report is not None
        report("step")
    assert terminal.getvalue() == ""


def test_long_work_has_a_bar_that_is_wiped_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched_terminal(monkeypatch)
    monkeypatch.setattr(module, "_PATIENCE", 0.01)
    with show_progress() as report:
        assert report is not None
        report("packages \x1b[31m[bold]", 3, 7)
        deadline = time.monotonic() + 10
        while "3/7" not in terminal.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    shown = terminal.getvalue()
    assert "packages  [31m[bold]" in shown  # what is reported neither steers the terminal nor the bar
    assert "3/7" in shown
    assert shown.endswith("\x1b[2K")


def test_quiet_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    watched_terminal(monkeypatch)
    with show_progress(quiet=True) as report:
        assert report is None
