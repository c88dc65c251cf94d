"""What all tests share."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from tests.requirements.plugin import RowsPlugin

# Deadlines measure the machine, not the code: under load they fail tests that are right.
settings.register_profile("sabir", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("sabir")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(RowsPlugin(config), "requirement-rows")
