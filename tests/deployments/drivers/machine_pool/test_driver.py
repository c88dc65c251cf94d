"""Machines of a pool and their owners, on a real sshd."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from sabir.deployments.drivers.machine_pool.driver import DRIVER
from sabir.errors import DeployError
from sabir.graph.address import Address
from sabir.resources.driver import DriverContext
from sabir.resources.effects import ANSWER, RecordedEffect
from sabir.resources.outcome import CompletionStatus, Outcome
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task
from sabir.resources.target import Target
from sabir.session import Session, Trust
from tests.deployments.sshd import Sshd, sshd, why_not

NOTHING: Any = None


def target(**settings: Any) -> Target:
    return Target(name="farm", driver="machines", settings=settings)


@pytest.fixture
def server(tmp_path: Path) -> Generator[Sshd]:
    if (reason := why_not()) is not None:
        pytest.skip(reason)
    (tmp_path / "sshd").mkdir()
    with sshd(tmp_path / "sshd") as started:
        yield started


def _pool(server: Sshd, tmp_path: Path, *, free: int = 2) -> Target:
    """One host that stands for several: each has a folder of its own."""
    hosts: list[dict[str, Any]] = []
    for number in range(free):
        root = tmp_path / f"root{number}"
        root.mkdir(exist_ok=True)
        settings = server.settings(root, python="/usr/bin/python3")
        hosts.append({**settings, "host": ("127.0.0.1", "localhost")[number], "address": f"10.0.0.{number}"})
    known = (server.folder / "known_hosts").read_text()
    (server.folder / "known_hosts").write_text(known + known.replace("127.0.0.1", "localhost"))
    return target(hosts=hosts)


def _task(kind: str, operation: str = "", **fields: Any) -> Task:
    resource = Resource(address=Address("env"), kind=kind, desired=fields)
    return Task(
        operation_id=operation or f"{kind}-{sorted(fields.items())}".encode().hex()[:60],
        action=Action.RUN,
        resource=resource,
    )


def _do(pool: Target, tmp_path: Path, *tasks: Task, environment: str = "one") -> list[Outcome]:
    async def work() -> list[Outcome]:
        context = DriverContext(folder=tmp_path, environment=environment)
        async with DRIVER.connect(pool, context) as connection:
            return [await connection.apply(task, NOTHING) for task in tasks]

    return asyncio.run(work())


def _recorded(machine: str, address: str, *, environment: str = "one", kind: str = "claim") -> RecordedEffect:
    arguments = {"name": "web", "stack": "s", **({"machine": machine} if kind == "release" else {})}
    answer = {"id": machine, "address": address} if kind == "claim" else None
    return RecordedEffect(
        environment=environment,
        application="part/app",
        kind=f"machine.{kind}",
        arguments=arguments,
        answer=answer,
    )


class _State(Struct, frozen=True):
    """A state that records effects of programs and nothing else."""

    effects: tuple[RecordedEffect, ...]

    def has_operation(self, operation_id: str, *, ran: bool = False) -> bool:
        return False

    def has_id(self, target_id: str) -> bool:
        return False

    def recorded_effects(self, kinds: Sequence[str]) -> Sequence[RecordedEffect]:
        return [effect for effect in self.effects if effect.kind in kinds]


HELD = _recorded("b", "b", environment="two")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("recorded", "machine"),
    [
        pytest.param((), "a", id="nothing recorded"),
        pytest.param((_recorded("b", "b"),), "b", id="the machine that the server had"),
        pytest.param((_recorded("a", "a", environment="two"),), "b", id="the machine of another"),
        pytest.param(
            (_recorded("a", "10.0.0.9", environment="two"),), "a", id="another machine of that name"
        ),
        pytest.param((HELD, _recorded("a", "a"), _recorded("a", "a", kind="release")), "a", id="given back"),
        pytest.param((HELD, _recorded("a", "a", environment="two")), None, id="none left"),
    ],
)
def test_the_state_is_asked_who_has_an_unclaimed_machine(
    recorded: tuple[RecordedEffect, ...], machine: str | None, tmp_path: Path
) -> None:
    hosts = [{"host": name, "through": ["env"], "root": str(tmp_path / name)} for name in "ab"]
    for name in "ab":
        (tmp_path / name).mkdir()
    context = DriverContext(
        folder=tmp_path,
        environment="one",
        session=Session(trust=Trust.of(["scripts"])),
        recorded=_State(recorded),
    )

    async def claim() -> Outcome:
        async with DRIVER.connect(target(hosts=hosts, python="/usr/bin/python3"), context) as connection:
            return await connection.apply(_task("machine.claim", name="web", stack="s"), NOTHING)

    outcome = asyncio.run(claim())
    assert outcome.id == machine
    claimed = [name for name in "ab" if (tmp_path / name / ".sabir" / "claim").exists()]
    assert claimed == ([] if machine is None else [machine])
    if machine is None:
        assert "machine 'a' has no claim file, but the state records it for application 'part/app' of" in (
            outcome.message or ""
        )


@pytest.mark.slow
def test_a_machine_belongs_to_one_server_until_it_is_given_back(server: Sshd, tmp_path: Path) -> None:
    pool = _pool(server, tmp_path)
    claim = _task("machine.claim", name="web", stack="s")
    first, again = _do(pool, tmp_path, claim, claim)
    assert first.results[ANSWER] == again.results[ANSWER], "who has one keeps it"
    other, third = _do(
        pool,
        tmp_path,
        _task("machine.claim", name="web", stack="s"),
        _task("machine.claim", name="mail", stack="s"),
        environment="two",
    )
    assert {first.results[ANSWER]["address"], other.results[ANSWER]["address"]} == {"10.0.0.0", "10.0.0.1"}  # type: ignore[call-overload, index]  # an answer
    assert third.failed
    assert "no machine left for mail: 2 of 2 are taken" in (third.message or "")
    machine = first.results[ANSWER]["id"]  # type: ignore[call-overload, index]  # an answer
    release = _task("machine.release", machine=machine, name="web", stack="s")
    _, taken = _do(pool, tmp_path, release, _task("machine.claim", name="mail", stack="s"))
    assert taken.results[ANSWER]["id"] == machine  # type: ignore[call-overload, index]  # an answer


@pytest.mark.slow
def test_a_plan_is_run_once_and_found_again(server: Sshd, tmp_path: Path) -> None:
    pool = _pool(server, tmp_path, free=1)
    body = f"open({str(tmp_path / 'ran')!r}, 'a').write('x')\nreturn [1, 2]"
    plan = {"FormatVersion": "2.0.0", "Body": body, "Scripts": {}, "Files": {}}
    task = _task("machine.plan", "operation1", machine=f"127.0.0.1:{server.port}", plan=plan)

    async def work() -> None:
        async with DRIVER.connect(pool, DriverContext(folder=tmp_path)) as connection:
            assert (await connection.observe(task)).sighting is CompletionStatus.NOT_DONE
            outcome = await connection.apply(task, NOTHING)
            assert outcome.results[ANSWER]["Body"] == [1, 2]  # type: ignore[call-overload, index]  # an answer
            seen = await connection.observe(task)
            assert seen.sighting is CompletionStatus.DONE
            assert seen.outcome is not None
            assert seen.outcome.results == outcome.results

    asyncio.run(work())
    assert (tmp_path / "ran").read_text() == "x"


@pytest.mark.slow
def test_a_machine_that_is_gone_from_the_pool_is_named(server: Sshd, tmp_path: Path) -> None:
    pool = _pool(server, tmp_path, free=1)
    with pytest.raises(DeployError, match=r"no longer has the machine other:22, which is still in use"):
        _do(pool, tmp_path, _task("machine.plan", machine="other:22", plan={}))


@pytest.mark.slow
def test_a_plan_that_takes_too_long_is_ended_and_has_no_answer(server: Sshd, tmp_path: Path) -> None:
    pool = _pool(server, tmp_path, free=1)
    plan = {"FormatVersion": "2.0.0", "Body": "import time\ntime.sleep(60)", "Scripts": {}, "Files": {}}
    task = _task("machine.plan", machine=f"127.0.0.1:{server.port}", plan=plan)
    timed = Task(operation_id="slow", action=Action.RUN, resource=task.resource, timeout=0.5)
    (outcome,) = _do(pool, tmp_path, timed)
    assert not outcome.failed
    assert outcome.results[ANSWER] is None
