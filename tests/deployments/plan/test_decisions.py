"""What is begun because it is new, and what waits for a change of something else."""

from __future__ import annotations

from pathlib import Path

from sabir.resources.resource import Resource
from tests.deployments.fake import resource
from tests.deployments.setting import Setting

A = resource("a").address
B = resource("b").address


def _steps(setting: Setting, *resources: Resource) -> list[str]:
    return [step.key for step in setting.plan(resources).steps]


def test_what_comes_too_late_is_not_begun(tmp_path: Path) -> None:
    setting = Setting.at(tmp_path)
    early = resource("early", kind="job", unless=(A,))
    assert _steps(setting, early, resource("a", "early")) == ["early", "a"]
    setting.deploy(resource("a"))
    assert _steps(setting, early, resource("a", "early")) == []


def test_what_only_reacts_runs_when_everything_was_there_before(tmp_path: Path) -> None:
    setting = Setting.at(tmp_path)
    told = resource("told", kind="job", reacts_to=(A,), established=(A, B))
    assert _steps(setting, resource("a"), resource("b"), told) == ["a", "b"]
    setting.deploy(resource("a"), resource("b"), told)
    assert _steps(setting, resource("a"), resource("b"), told) == []
    changed = resource("a", value="other")
    assert _steps(setting, changed, resource("b"), told) == ["a", "told"]
    setting.deploy(resource("a"), told)
    assert _steps(setting, changed, resource("b"), told) == ["a", "b"]
