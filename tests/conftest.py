"""What all tests share."""

from __future__ import annotations

import pytest

from tests.requirements.plugin import RowsPlugin


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(RowsPlugin(config), "requirement-rows")
