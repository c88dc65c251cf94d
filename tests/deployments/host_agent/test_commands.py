"""Commands that run only when they are needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sabir.deployments.host_agent import dispatch
from sabir.deployments.host_agent.root import HostAgentError, HostRoot


@pytest.fixture
def place(tmp_path: Path) -> HostRoot:
    (tmp_path / "root").mkdir()
    return HostRoot(str(tmp_path / "root"), str(tmp_path / "operations"))


def task(**fields: Any) -> dict[str, Any]:
    return {"operation": "o", "action": "create", "fields": fields, "recorded": None, "timeout": 5.0}


@pytest.mark.parametrize(
    ("guard", "runs"),
    [
        ({"unless": "true"}, False),
        ({"unless": "false"}, True),
        ({"unless": ["no-such-program"]}, True),
        ({"onlyif": "true"}, True),
        ({"onlyif": ["false"]}, False),
        ({"onlyif": ["no-such-program"]}, False),
        ({"onlyif": 'test "$A" = b', "environment": {"A": "b"}}, True),
        ({"creates": "/there"}, False),
    ],
)
def test_a_command_is_run_when_it_is_needed(place: HostRoot, guard: dict[str, Any], runs: bool) -> None:
    Path(place.root, "there").touch()
    assert dispatch.run_verb("apply", "command", task(run="touch done", **guard), place)["changed"] is runs
    assert Path(place.root, "done").exists() is runs


def test_a_condition_that_hangs_is_ended(place: HostRoot) -> None:
    hanging = {**task(run="touch done", unless="sleep 60"), "timeout": 0.2}
    with pytest.raises(HostAgentError, match=r"longer than 0\.2 seconds"):
        dispatch.run_verb("apply", "command", hanging, place)
    assert not Path(place.root, "done").exists()
