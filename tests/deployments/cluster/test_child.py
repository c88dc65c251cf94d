"""Jobs in a child process of a worker."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sabir.deployments.cluster.child import BatchJob, ProcessExit, RaisedError, run_batch_job
from sabir.errors import DeployError, UsageError


def test_a_process_that_dies_takes_one_item_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    (tmp_path / "pickle.py").write_text("raise SystemExit('imported from what is to be looked at')")
    errand = BatchJob(work=_work, items=[1, 2, "die", 3, "raise"], folder=str(tmp_path))
    first, second, died, third, raised = run_batch_job(errand)
    assert (first, second, third) == (2, 4, 6)
    assert died == ProcessExit("the process on the worker ended with status 7")
    assert isinstance(raised, RaisedError)
    assert str(raised.error) == "no"
    with pytest.raises(DeployError, match="a worker has no folder"):
        run_batch_job(BatchJob(work=_work, items=[1], folder=str(tmp_path / "nowhere")))
    with pytest.raises(DeployError, match="give both the same"):
        run_batch_job(BatchJob(work=_work, items=[1], folder=str(tmp_path), version="0"))


def _work(item: object) -> object:
    if item == "die":
        os._exit(7)
    if not isinstance(item, int):
        raise UsageError("no")
    print("this is no answer")
    return item * 2
