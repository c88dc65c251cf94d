"""History of an environment: its deployments, and the steps and events of one of them."""

from __future__ import annotations

from sabir.deployments.store.records import (
    DeploymentRecord,
    EventRecord,
    StepRecord,
)
from sabir.errors import UsageError
from sabir.operations.deployment.environment import EnvironmentRequest, open_state


def history_path(request: EnvironmentRequest) -> list[DeploymentRecord]:
    """Return all deployments of an environment, oldest first."""
    with open_state(request, create=False) as store:
        return store.deployments()


def history_events(
    request: EnvironmentRequest, number: int
) -> tuple[DeploymentRecord, list[StepRecord], list[EventRecord]]:
    """Return one deployment with its steps and events."""
    with open_state(request, create=False) as store:
        deployment = next((each for each in store.deployments() if each.number == number), None)
        if deployment is None:
            raise UsageError(f"there is no deployment {number}; sabir history lists them")
        return deployment, store.steps(number), store.events(number)
