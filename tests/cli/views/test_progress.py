"""What stands on a terminal while a deployment runs."""

from __future__ import annotations

from pathlib import Path

from sabir.cli.views.progress import LiveSteps
from sabir.deployments.engine.results import ProgressEvent
from sabir.resources.step import Action
from tests.deployments.fake import resource
from tests.deployments.setting import Setting


def test_what_runs_and_what_waits_for_what(tmp_path: Path) -> None:
    times = iter([10.0, 13.4, 20.0])
    steps = LiveSteps(lambda: next(times))
    assert [*steps.lines()] == []
    steps.expect(Setting.at(tmp_path).plan([resource("a"), resource("b", "a"), resource("c", "b")]))
    assert not steps.note(ProgressEvent(key="a", state="running", action=Action.CREATE, address="a"))
    assert [*steps.lines()] == [
        "  … create a  3 s",
        "    b waits for a",
        "    c waits for b",
        "0 of 3 ended, 1 running",
    ]
    assert steps.note(ProgressEvent(key="a", state="done", action=Action.CREATE, address="a"))
    assert [*steps.lines()] == ["    c waits for b", "1 of 3 ended, 0 running"]
