"""Users and groups while somebody who is gone had begun the same."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from sabir.deployments.host_agent.root import HostAgentError, HostRoot
from sabir.deployments.host_agent.system import Group

pytestmark = pytest.mark.skipif(
    os.getuid() != 0 or shutil.which("groupadd") is None, reason="needs root and groupadd"
)


def test_a_program_that_comes_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"sabirh{os.getpid()}"
    task = {"fields": {"name": name, "gid": 500_000 + os.getpid()}}
    place, hand = HostRoot("/", str(tmp_path / "operations")), Group()
    program = tmp_path / "groupadd"
    program.touch(0o755)
    real = shutil.which("groupadd")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    program.write_text("#!/bin/sh\necho 'group exists' >&2; exit 9\n")
    with pytest.raises(HostAgentError, match="group exists"):
        hand.apply(task, place)
    program.write_text(f'#!/bin/sh\n{real} "$@"\necho "group exists" >&2; exit 9\n')
    try:
        assert hand.apply(task, place) == {"changed": True}
        assert hand.apply(task, place) == {"changed": False}
    finally:
        assert hand.delete(task, place) == {"changed": True}
