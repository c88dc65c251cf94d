"""Programs: effects are journalled one by one, replayed after a crash, and a program that differs does nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.deployments.store.records import DeploymentState
from sabir.resources.effects import Effect, Effects
from sabir.resources.outcome import Outcome
from tests.deployments.fake import resource
from tests.deployments.setting import Setting


class Crash(KeyboardInterrupt):
    """As if the process had been killed."""


class Program:
    """Results of effects steer it; it dies after so many."""

    def __init__(self, dies_after: int | None = None, words: tuple[str, ...] = ("a", "b", "c")) -> None:
        self.left = dies_after
        self.words = words
        self.seen: list[object] = []

    async def __call__(self, effects: Effects) -> Outcome:
        for word in self.words:
            self._count()
            outcome = await effects.perform(Effect(kind="job", arguments={"value": word}))
            self.seen.append(outcome.results["out"])
        branch = effects.branch("left")
        self._count()
        await branch.perform(Effect(kind="job", arguments={"value": "in the branch"}))
        return Outcome(results={"all": list(self.words)})

    def _count(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise Crash


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    return Setting.at(tmp_path)


def deploy(setting: Setting, program: Program) -> DeploymentState | None:
    setting.world.programs["p"] = program
    try:
        return setting.deploy(resource("p", kind="program")).state
    except Crash:
        return None


@pytest.mark.parametrize("dies_after", [0, 1, 2, 3])
def test_nothing_is_done_twice(setting: Setting, dies_after: int) -> None:
    assert deploy(setting, Program(dies_after)) is None
    assert len(setting.world.log) == dies_after
    whole = Program()
    assert deploy(setting, whole) is DeploymentState.DONE
    assert [address for _, address in setting.world.log] == [
        "p[run/1]",
        "p[run/2]",
        "p[run/3]",
        "p[run/3.1.left/1]",
    ]
    assert whole.seen == [f"of p[run/{number}]" for number in (1, 2, 3)]
    assert deploy(setting, Program()) is DeploymentState.DONE
    assert len(setting.world.log) == 4


def test_a_program_that_differs_does_nothing(setting: Setting) -> None:
    assert deploy(setting, Program(2)) is None
    done = len(setting.world.log)
    setting.world.programs["p"] = Program(words=("a", "x", "c"))
    result = setting.deploy(resource("p", kind="program"))
    assert result.state is DeploymentState.FAILED
    assert "differs from its record at run/2" in result.failures[0][1]
    assert len(setting.world.log) == done


def test_an_effect_that_nobody_can_tell_of(setting: Setting) -> None:
    setting.world.raises.add("p[run/2]")
    setting.world.blind = True
    setting.world.programs["p"] = Program()
    result = setting.deploy(resource("p", kind="program"))
    assert result.state is DeploymentState.UNKNOWN
    assert "run/2 (job)" in result.failures[0][1]
