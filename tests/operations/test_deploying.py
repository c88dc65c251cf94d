"""What is prepared before the environment is ours, and what is taken of it when it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.deployments.engine.recover import RecoveryResult
from sabir.operations.deployment.deploy import DeployRequest, deploy_path
from sabir.operations.deployment.environment import EnvironmentRequest, open_state
from sabir.operations.deployment.execution import ExecutionOptions
from sabir.operations.deployment.preparation import prepare_environment, refresh_preparation

DESCRIPTION = """\
name: site
parts:
  files:
    language: resources
    model:
      resources:
        a: {kind: file, fields: {path: a, content: text}}
"""


@pytest.fixture
def environment(tmp_path: Path) -> EnvironmentRequest:
    (tmp_path / "sabir.yaml").write_text(DESCRIPTION)
    return EnvironmentRequest(path=tmp_path)


def _deploy(environment: EnvironmentRequest) -> None:
    deploy_path(DeployRequest(environment=environment, doing=ExecutionOptions(consent=lambda _: True)))


def test_nothing_is_evaluated_again_when_the_state_is_the_same(environment: EnvironmentRequest) -> None:
    _deploy(environment)
    with open_state(environment, create=True) as store:
        before = prepare_environment(environment, store)
        now = refresh_preparation(before, environment, store, RecoveryResult())
    assert now.graph is before.graph
    assert now.plan(store).steps == ()


def test_who_waited_for_another_deployment_sees_what_it_did(environment: EnvironmentRequest) -> None:
    with open_state(environment, create=True) as store:
        before = prepare_environment(environment, store)
        assert [step.key for step in before.plan(store).steps] == ["files/a"]
        _deploy(environment)
        now = refresh_preparation(before, environment, store, RecoveryResult())
        assert now.graph is not before.graph
        assert now.snapshot.serial > before.snapshot.serial
        assert now.plan(store).steps == ()
