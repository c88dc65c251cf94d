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
