"""Machines of a target, and who has them, on a real sshd."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.deployments.drivers.machine_pool.pool import machines_of
from sabir.errors import DeployError
from sabir.resources.target import Target


def target(**settings: Any) -> Target:
    return Target(name="farm", driver="machines", settings=settings)


def test_hosts_have_what_is_common_and_what_is_theirs() -> None:
    pool = machines_of(
        target(user="root", hosts=["a", {"host": "b", "port": 22, "address": "10.0.0.2", "names": ["db-*"]}])
    )
    assert [(machine.id, machine.address) for machine in pool] == [("a", "a"), ("b:22", "10.0.0.2")]
    assert pool[0].settings == {"root": "/", "user": "root", "host": "a"}
    assert [pool[1].takes(name) for name in ("db-1", "web")] == [True, False]


@pytest.mark.parametrize(
    ("hosts", "problem"),
    [([{"port": 22}], "a host is a name"), (["a", "a"], "there twice"), ([3], "a host is a name")],
)
def test_hosts_that_are_none(hosts: Any, problem: str) -> None:
    with pytest.raises(DeployError, match=problem):
        machines_of(target(hosts=hosts))
