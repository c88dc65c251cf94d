"""Machines that are reached through a command of this one keep the contract; what that command needs is said."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sabir.deployments.drivers.ssh.driver import DRIVER
from sabir.errors import DeployError
from sabir.resources.driver import Driver, DriverContext
from sabir.resources.target import Target
from sabir.session import Session, Trust
from tests.deployments.drivers import test_local
from tests.deployments.drivers.contract import Case, DriverContract

pytest.importorskip("asyncssh")


def _target(root: Path, *through: str) -> Target:
    settings: Any = {"host": "box", "root": str(root), "through": list(through)}
    return Target(name="contract", driver="ssh", settings=settings)


@pytest.mark.slow
class TestThrough(DriverContract):
    """`env` starts programs where it is, as an `exec` of a container does inside."""

    trust = Trust(scripts=True)

    def driver(self) -> Driver:
        return DRIVER

    def target(self, folder: Path) -> Target:
        return _target(folder / "root", "env")

    def bad_target(self, folder: Path) -> Target:
        return _target(folder / "nowhere", "env")

    def cases(self) -> Sequence[Case]:
        return test_local.TestLocal().cases()


@pytest.mark.parametrize(
    ("through", "trust", "words"),
    [
        (["env"], Trust(), "reached by running 'env' here: allow it with --trust scripts"),
        (["no-such-engine", "exec"], Trust(scripts=True), "and there is no such program here"),
        (
            ["sh", "-c", "echo no container box >&2; exit 1"],
            Trust(scripts=True),
            r"did not start 'python3' \(3.9 or newer\) there: no container box",
        ),
    ],
)
def test_what_is_in_the_way_is_said(tmp_path: Path, through: list[str], trust: Trust, words: str) -> None:
    context = DriverContext(session=Session(trust=trust), folder=tmp_path, environment="shop")

    async def connected() -> None:
        async with DRIVER.connect(_target(tmp_path, *through), context):
            pass

    with pytest.raises(DeployError, match=words):
        asyncio.run(connected())
