"""The recorded deployments of handlers, done by the engine: the same calls and the same world as one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from sabir.languages.language import EvaluationRequest
from sabir.operations.deploy import DeployRequest, deploy_path
from sabir.operations.deploying import EnvironmentRequest
from sabir.session import Session, Trust
from tests.conformance.adapters.deploy_inmanta import Deployments
from tests.conformance.runner.deploy_inmanta import DeployCase, StepOutcome, load

OTHERWISE: Final = {
    "deploy-override": "what failed blocks what requires it, whatever its handler thinks",
    "incremental": "what left the model is purged",
    "logger-abc": "a logger of the standard library outlives the first run",
}
"""Cases that the engine decides otherwise, with the reason."""
ACTS: Final = ("deploy", "repair")


def is_comparable(case: DeployCase) -> bool:
    """Facts that somebody sets or asks for by hand are not for a deployment to know."""
    acts = any(step["command"] in ACTS for step in case.steps)
    by_hand = any(step["command"] == "facts" or "set_facts" in step for step in case.steps)
    return acts and not by_hand and case.id not in OTHERWISE and set(case.raw["packages"]) <= {"std"}


CASES: Final = [
    case
    for case in load(Path(__file__).parents[3] / "conformance" / "deploy-inmanta")
    if isinstance(case, DeployCase) and is_comparable(case)
]


class ByEngine(Deployments):
    def _run_step(self, step: Mapping[str, Any], outcome: StepOutcome) -> None:
        if step["command"] not in ACTS:
            super()._run_step(step, outcome)
            return
        if step["command"] == "deploy":
            self.write_model(step)
        session = Session(trust=Trust(python=True, env=True, scripts=True), environment=self.environment)
        evaluation = EvaluationRequest(session=session)
        deploy_path(
            DeployRequest(
                environment=EnvironmentRequest(path=self.project, here=True, evaluation=evaluation),
                consent=lambda _: True,
                allow_delete=-1,
                repair=step["command"] == "repair",
            )
        )


def seen(kind: type[Deployments], case: DeployCase, folder: Path) -> list[tuple[list[str], str]]:
    """The calls of each step, whose order is free between agents, and the world after it."""
    project, world = folder / "project", folder / "world"
    project.mkdir(parents=True)
    world.mkdir()
    return [
        (
            sorted(call.replace(str(world), "@WORLD@") for call in outcome.calls),
            str(outcome.world).replace(str(world), "@WORLD@"),
        )
        for outcome in kind(case, project, world).run()
    ]


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_calls_and_world_are_the_same(case: DeployCase, tmp_path: Path) -> None:
    assert seen(ByEngine, case, tmp_path / "engine") == seen(Deployments, case, tmp_path / "loop")
