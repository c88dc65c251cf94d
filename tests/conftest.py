"""What all tests share."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile

import pytest
from hypothesis import HealthCheck, settings

from sabir.interpreter import deepen_stack
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
    if not hasattr(config, "workerinput"):  # the processes that run tests in parallel inherit it
        _use_own_home(config)


def _use_own_home(config: pytest.Config) -> None:
    """Give the tests an empty home directory, so that they neither depend on that of the user nor leave anything in it."""
    home = os.path.expanduser("~")
    settings_of_pip = os.path.join(
        os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"), "pip", "pip.conf"
    )
    if os.path.exists(settings_of_pip):  # packages come from where the user's packages come from
        os.environ.setdefault("PIP_CONFIG_FILE", settings_of_pip)
    os.environ.setdefault("PYENV_ROOT", os.path.join(home, ".pyenv"))
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        os.environ.pop(name, None)
    os.environ["HOME"] = tempfile.mkdtemp(prefix="sabir-home-")
    config.add_cleanup(lambda: shutil.rmtree(os.environ["HOME"], ignore_errors=True))
