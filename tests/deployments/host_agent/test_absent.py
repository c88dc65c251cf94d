"""What must not be there, and commands that are run only when they are needed."""

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


@pytest.mark.parametrize("kind", ["file", "directory", "symlink"])
def test_it_is_taken_away_and_looked_for(place: HostRoot, kind: str) -> None:
    path = Path(place.root, "thing")
    gone = task(of=kind, path="/thing")
    match kind:
        case "file":
            path.touch()
        case "directory":
            path.mkdir()
        case _:
            path.symlink_to("x")
    assert dispatch.run_verb("read", "absent", gone["fields"], place)["fields"]["gone"] is False
    assert dispatch.run_verb("observe", "absent", gone, place) == {"sighting": "not done"}
    assert dispatch.run_verb("apply", "absent", gone, place) == {"changed": True}
    assert dispatch.run_verb("apply", "absent", gone, place) == {"changed": False}
    assert dispatch.run_verb("read", "absent", gone["fields"], place)["fields"]["gone"] is True
    assert dispatch.run_verb("observe", "absent", gone, place) == {"sighting": "done"}


def test_what_holds_something_stays(place: HostRoot) -> None:
    Path(place.root, "full").mkdir()
    Path(place.root, "full", "file").touch()
    with pytest.raises(HostAgentError, match="not empty"):
        dispatch.run_verb("apply", "absent", task(of="directory", path="/full"), place)
    assert dispatch.run_verb("apply", "absent", task(of="directory", path="/full", force=True), place)[
        "changed"
    ]


def test_forgetting_it_brings_nothing_back(place: HostRoot) -> None:
    assert dispatch.run_verb("delete", "absent", task(of="file", path="/thing"), place) == {"changed": False}


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
