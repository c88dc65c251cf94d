"""A module of Puppet in an execution plan, applied by the real Puppet on a machine that is thrown away."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from sabir.deployments.drivers.machine_pool.driver import DRIVER
from sabir.graph.address import Address
from sabir.resources.driver import DriverContext
from sabir.resources.effects import ANSWER
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task
from sabir.resources.target import Target
from tests.support.machines import farm, why_not

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(why_not() is not None, reason=str(why_not())),
    pytest.mark.skipif(
        shutil.which("puppet") is None, reason="no Puppet on this machine (Debian: apt install puppet-agent)"
    ),
]

MODULE = """\
class motto($path, $words = 'none') {
  file { $path: ensure => file, content => "${words}\\n" }
}
"""
LOUD = """\
class motto::loud {
  include motto
  file { '/srv/loud': ensure => file, content => "loud\\n" }
}
"""
NOTHING: Any = None


def _task(machine: str, entry: str) -> Task:
    files = {"f1": ("motto/manifests/init.pp", MODULE), "f2": ("motto/manifests/loud.pp", LOUD)}
    plan: dict[str, Any] = {
        "FormatVersion": "2.1.0",
        "ID": entry,
        "Body": "return apply(args).exitCode",
        "Parameters": {"path": "/srv/motto", "words": "dum spiro"},
        "Scripts": {"apply": {"Type": "Puppet", "EntryPoint": entry, "Files": [*files], "Options": {}}},
        "Files": {
            key: {"Name": name, "BodyType": "Text", "Body": text} for key, (name, text) in files.items()
        },
    }
    resource = Resource(
        address=Address("env"), kind="machine.plan", desired={"machine": machine, "plan": plan}
    )
    operation = entry.replace(":", "-")
    return Task(operation_id=operation, action=Action.RUN, resource=resource, timeout=120)


def test_a_module_is_applied(tmp_path: Path) -> None:
    with farm(tmp_path / "farm", 1) as machines:
        settings: Any = {**machines.settings(), "hosts": machines.hosts()}
        target = Target(name="farm", driver="machines", settings=settings)
        machine = machines.machines[0]
        name = f"{machine.address}:{machine.port}"

        async def work() -> list[Any]:
            async with DRIVER.connect(target, DriverContext(folder=tmp_path)) as connection:
                entries = ("motto::", "motto::loud", "motto::absent")
                outcomes = [await connection.apply(_task(name, entry), NOTHING) for entry in entries]
                return [outcome.results[ANSWER] for outcome in outcomes]

        plain, loud, absent = asyncio.run(work())
        assert (plain["ErrorCode"], plain["Body"]) == (0, 0), plain
        assert (machine.root / "srv/motto").read_text() == "dum spiro\n", (
            "parameters of the plan reach the class"
        )
        assert (loud["ErrorCode"], loud["Body"]) == (0, 0), loud
        assert (machine.root / "srv/loud").read_text() == "loud\n"
        assert absent["ErrorCode"] == 100
        assert absent["Body"]["Message"] == "Script motto::absent returned error code"
        assert "Could not find declared class motto::absent" in absent["Body"]["AdditionalInfo"]["stderr"]
