"""What all tests share."""

from __future__ import annotations

import signal

import pytest
from hypothesis import HealthCheck, settings

from sabir.stack import deepen_stack
from tests.requirements.plugin import RowsPlugin

deepen_stack()  # as every interface does

# Deadlines measure the machine, not the code: under load they fail tests that are right.
settings.register_profile("sabir", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("sabir")


def pytest_configure(config: pytest.Config) -> None:
    # Who is started in the background may have to ignore interrupts, and so would every process that a test interrupts.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.pluginmanager.register(RowsPlugin(config), "requirement-rows")
