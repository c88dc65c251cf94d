"""Plans to a real agent over a real broker.

The agent is murano-agent 12.0.0 in an environment of its own, which `make endure` makes; SABIR_TEST_AGENT says where.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from sabir.deployments.drivers.amqp.driver import DRIVER
from sabir.graph.address import Address
from sabir.resources.driver import Connection, DriverContext
from sabir.resources.effects import ANSWER
from sabir.resources.outcome import CompletionStatus, Observation, Outcome
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task
from sabir.resources.target import Target
from tests.deployments.drivers.amqp.rabbitmq import broker, why_not

AGENT = os.environ.get("SABIR_TEST_AGENT")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(why_not() is not None, reason=str(why_not())),
    pytest.mark.skipif(AGENT is None, reason="SABIR_TEST_AGENT names no environment with murano-agent"),
]
NOTHING: Any = None
IN, OUT = "e1-h1", "-execution-results-e1"
CONFIG = """\
[DEFAULT]
storage = {folder}/storage
enable_dynamic_result_queue = True
[rabbitmq]
host = 127.0.0.1
port = {port}
login = guest
password = guest
virtual_host = /
input_queue = {queue}
result_exchange =
result_routing_key = {answers}
"""
SCRIPTS = {"run": {"Type": "Application", "Version": "1.0.0", "EntryPoint": "f1", "Files": [], "Options": {}}}


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Generator[int]:
    with broker(tmp_path_factory.mktemp("rabbitmq")) as started:
        yield started


def _plan(id_: str, script: str, body: str = "return run()") -> dict[str, Any]:
    files = {"f1": {"Name": "run.sh", "BodyType": "Text", "Body": script}}
    return {
        "FormatVersion": "2.0.0",
        "Version": "1.0.0",
        "Name": "Plan",
        "ID": id_,
        "Body": body,
        "Parameters": {},
        "Scripts": SCRIPTS,
        "Files": files,
    }


def _task(plan: dict[str, Any], kind: str = "agent.call", timeout: float = 60) -> Task:
    fields: dict[str, Any] = {"queue": IN, "replyTo": OUT, "plan": plan}
    resource = Resource(address=Address("env"), kind=kind, desired=fields)
    return Task(operation_id=f"op-{plan['ID']}", action=Action.RUN, resource=resource, timeout=timeout)


def _answer(outcome: Outcome) -> Any:
    return outcome.results[ANSWER]


class Agent:
    """One agent in a folder of its own; the queues must be there before it is."""

    def __init__(self, folder: Path, port: int) -> None:
        (folder / "storage").mkdir()
        config = folder / "agent.conf"
        config.write_text(CONFIG.format(folder=folder, port=port, queue=IN, answers=OUT))
        with (folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [Path(AGENT or "").absolute() / "bin/muranoagent", "--config-file", config],
                stdout=log,
                stderr=log,
                cwd=folder,
            )

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


def test_plans_are_answered_by_an_agent(port: int, tmp_path: Path) -> None:
    async def work(connection: Connection) -> None:
        silent = await connection.apply(_task(_plan("p0", "#!/bin/sh\n"), timeout=0.5), NOTHING)
        assert _answer(silent) is None, "nobody is there yet"
        agent = Agent(tmp_path, port)
        try:
            await _exchange(connection, agent)
        finally:
            agent.stop()

    async def main() -> None:
        async with DRIVER.connect(target(port), DriverContext(folder=tmp_path)) as connection:
            await work(connection)

    asyncio.run(main())


VICTIM = """\
import asyncio, os, sys
from pathlib import Path
from sabir.deployments.drivers.amqp.driver import DRIVER
from sabir.resources.driver import DriverContext
from tests.deployments.drivers.amqp.test_driver import _plan, _task, target

async def main():
    async with DRIVER.connect(target(int(sys.argv[1])), DriverContext(folder=Path())) as connection:
        plans = [_plan(id_, sys.argv[2]) for id_ in ("k1", "k2")]
        print("asked", flush=True)
        await asyncio.gather(*(connection.apply(_task(plan), None) for plan in plans))
        os._exit(9)

asyncio.run(main())
"""


def target(port: int, **more: Any) -> Target:
    settings = {"host": "127.0.0.1", "port": port, "look_seconds": 30, **more}
    return Target(name="agents", driver="amqp", settings=settings)


def test_answers_that_were_not_recorded_are_found_again(port: int, tmp_path: Path) -> None:
    """Whoever got them was killed at that moment; two plans at once share one connection."""
    script = f"#!/bin/sh\necho x >> {tmp_path}/runs\necho told\n"
    # The queues must be there before the agent.
    asyncio.run(_sent(target(port), _plan("k0", script), tmp_path))
    agent = Agent(tmp_path, port)
    try:
        killed = subprocess.run(
            [sys.executable, "-c", VICTIM, str(port), script],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert killed.returncode == 9, killed.stderr
        for id_ in ("k1", "k2"):
            seen = asyncio.run(_seen(target(port), _plan(id_, script), tmp_path))
            assert seen.sighting is CompletionStatus.DONE
        stamped = target(port, drops_duplicates=True)
        again = {**_plan("k3", script), "Stamp": 18}
        assert asyncio.run(_seen(stamped, again, tmp_path)).sighting is CompletionStatus.NOT_DONE
        for _ in range(2):
            asyncio.run(_sent(stamped, again, tmp_path))
        assert asyncio.run(_seen(target(port), again, tmp_path)).sighting is CompletionStatus.DONE
    finally:
        agent.stop()
    assert (tmp_path / "runs").read_text() == "x\n" * 4, "the agent ran each plan once"


async def _sent(agents: Target, plan: dict[str, Any], folder: Path) -> None:
    async with DRIVER.connect(agents, DriverContext(folder=folder)) as connection:
        await connection.apply(_task(plan, "agent.send"), NOTHING)


async def _seen(agents: Target, plan: dict[str, Any], folder: Path) -> Observation:
    async with DRIVER.connect(agents, DriverContext(folder=folder)) as connection:
        return await connection.observe(_task(plan))


async def _exchange(connection: Connection, agent: Agent) -> None:
    hello = await connection.apply(_task(_plan("p1", "#!/bin/sh\necho hello\n")), NOTHING)
    assert (_answer(hello)["ErrorCode"], _answer(hello)["Body"]["stdout"]) == (0, "hello")

    failed = await connection.apply(_task(_plan("p2", "#!/bin/sh\necho err >&2\nexit 3\n")), NOTHING)
    info = {"exitCode": 3, "stdout": None, "stderr": "err"}
    assert _answer(failed)["ErrorCode"] == 100
    assert _answer(failed)["Body"] == {"Message": "Script run returned error code", "AdditionalInfo": info}

    both = await asyncio.gather(
        *(
            connection.apply(_task(_plan(f"q{number}", f"#!/bin/sh\necho {number}\n")), NOTHING)
            for number in range(3)
        )
    )
    assert [_answer(outcome)["Body"]["stdout"] for outcome in both] == ["0", "1", "2"]

    late = _task(_plan("p3", "#!/bin/sh\nsleep 1\necho late\n"))
    sent = await connection.apply(
        _task(_plan("p3", "#!/bin/sh\nsleep 1\necho late\n"), "agent.send"), NOTHING
    )
    assert _answer(sent) is None
    seen = await connection.observe(late)
    assert seen.sighting is CompletionStatus.DONE, "what was cut off is found by its answer"
    assert seen.outcome is not None
    assert _answer(seen.outcome)["Body"]["stdout"] == "late"
