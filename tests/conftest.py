"""What all tests share."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.requirements.plugin import RowsPlugin

# A deadline measures the machine, not the code: under load it fails tests that are right.
settings.register_profile("sabir", deadline=None)
settings.load_profile("sabir")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(RowsPlugin(config), "requirement-rows")
