"""Drives the cases of MuranoPL deployments, each by its kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.conformance.adapters.muranopl_deployments import run_deployment
from tests.conformance.adapters.muranopl_fixtures import run_fixtures
from tests.conformance.adapters.muranopl_forms import run_forms
from tests.conformance.runner.deploy_muranopl import DeployCase


def run(case: DeployCase) -> Any:
    return KINDS[case.kind](case)


KINDS: dict[str, Callable[[DeployCase], Any]] = {
    "deploy": run_deployment,
    "test": run_fixtures,
    "ui": run_forms,
}
"""What runs a case, by its kind."""
