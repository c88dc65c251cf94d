"""Revisions of a stranger's repository are read, compared and refused without running anything of it, in bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.attack import CANARY
from tests.hostile.repositories import REPOSITORIES
from tests.hostile.test_attacks import NEVER, run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is asked of Linux"),
]
REFUSED = {
    "a remote that missing objects are fetched from": "unable to read",
    "ten thousand million files in a few objects": "more than 200,000 files",
    "3 GB in a few kilobytes": "more than 2 GB",
}


@pytest.mark.parametrize("name", REPOSITORIES)
def test_nothing_of_it_runs(name: str, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "secret.yaml").write_text(f"{CANARY}: {CANARY}\n")
    REPOSITORIES[name](project)
    for mark in tmp_path.rglob("RAN"):  # git ran it for who made the repository
        mark.unlink()
    for words in (["diff", f"git:HEAD:{project}", str(project)], ["impact", str(project), "--since", "HEAD"]):
        status, output, cpu, megabytes = run(words, tmp_path)
        assert not list(tmp_path.rglob("RAN"))
        assert [said for said in NEVER if said in output] == []
        assert (status, REFUSED.get(name, "") in output) == (2 if name in REFUSED else 0, True), output
        assert cpu < 10
        assert megabytes < 200
