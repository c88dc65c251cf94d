import io

import pytest

from sabir.cli.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nobody_watches_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with progress() as report:
        assert report is None


@pytest.mark.parametrize(("seconds", "shown"), [(0.0, ""), (1.0, "\r\x1b[Kstep [31m\r\x1b[K")])
def test_only_long_work_is_shown_and_wiped_at_the_end(
    seconds: float, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal, clock = Terminal(), iter([0.0, seconds])
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("sabir.cli.progress.time.monotonic", lambda: next(clock))
    with progress() as report:
        assert report is not None
        report("step\x1b[31m")
    assert terminal.getvalue() == shown


def test_quiet_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", Terminal())
    with progress(quiet=True) as report:
        assert report is None
