"""Deletions beyond a fifth need consent; what could not be evaluated deletes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.deployments.plan.guards import find_guard
from tests.deployments.fake import resource
from tests.deployments.setting import Setting


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    setting = Setting.at(tmp_path)
    setting.deploy(*(resource(f"a{number}") for number in range(10)))
    return setting


@pytest.mark.parametrize(
    ("kept", "allowed", "refused"),
    [
        (10, None, False),
        (8, None, False),
        (7, None, True),
        (7, 3, False),
        (7, 2, True),
        (0, 9, True),
        (0, -1, False),
    ],
)
def test_consent(setting: Setting, kept: int, allowed: int | None, refused: bool) -> None:
    plan = setting.plan([resource(f"a{number}") for number in range(kept)])
    guard = find_guard(plan, allowed=allowed)
    assert (guard is not None) is refused
    if guard is not None:
        assert guard.word == "test"
        assert f"--allow-delete {10 - kept}" in guard.message


def test_a_description_that_is_not_whole_deletes_nothing(setting: Setting) -> None:
    assert setting.plan([], pending=[("part", "it needs a.out")]).steps == ()
