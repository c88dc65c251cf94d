"""A site of many hosts, simulated: the real engine, plan and journal, with drivers that sleep as long as real ones were measured to.

    python -m benchmarks.site measure              how long real targets take here: local, sshd, a control plane
    python -m benchmarks.site [RESOURCES [HOSTS]]  deploy, look at everything, deploy a change; at several widths

What is simulated is only the waiting: each host has a folder, files that require it and a command at the end, and every twentieth
resource is an object of one Kubernetes cluster that requires the command of its host.
"""

from __future__ import annotations

import asyncio
import os
import resource as usage
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from benchmarks.deploy import NothingConnection, NothingDriver
from benchmarks.runner.workload import Workload

if TYPE_CHECKING:
    from sabir.deployments.targets import Targets
    from sabir.graph.values import Value
    from sabir.resources.driver import Connection, Driver, Kind
    from sabir.resources.effects import Effects
    from sabir.resources.outcome import Outcome, ResourceReading
    from sabir.resources.resource import Resource
    from sabir.resources.step import Task

__all__ = ["LATENCIES", "WORKLOADS", "Latency"]

PER_HOST: Final = 20
WIDTHS: Final = (10, 50, 200)


class Latency(Struct, frozen=True):
    """Seconds that a real target took, by `measure`; `cpu` of connecting is spent here, the rest is waited for."""

    connect: float
    cpu: float
    read: float
    apply: float


LATENCIES: Final = {
    "host": Latency(connect=0.294, cpu=0.0185, read=0.0003, apply=0.0006),
    "cluster": Latency(connect=0.008, cpu=0.0050, read=0.0011, apply=0.0031),
}
"""Of sshd with a file, and of a control plane with a ConfigMap."""
WAY: Final = 0.002
"""There and back inside of a site. A call is one; connecting over ssh takes about six."""
CONNECTING: Final = 6


class SleepingDriver(NothingDriver):
    """Takes as long as a real one, and does nothing."""

    def __init__(self, name: str, latency: Latency) -> None:
        self.name, self._latency = name, latency

    @property
    def kinds(self) -> Mapping[str, Kind]:
        from sabir.resources.driver import Kind

        return {"thing": Kind(about="something that takes its time")}

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Connection]:
        await asyncio.sleep(self._latency.connect - self._latency.cpu + CONNECTING * WAY)
        end = time.process_time() + self._latency.cpu
        while time.process_time() < end:
            pass
        yield SleepingConnection(self._latency)


class SleepingConnection(NothingConnection):
    def __init__(self, latency: Latency) -> None:
        self._latency = latency

    async def read(self, resource: Resource, target_id: str | None) -> ResourceReading:
        await asyncio.sleep(self._latency.read + WAY)
        return await super().read(resource, target_id)

    async def apply(self, task: Task, effects: Effects) -> Outcome:
        await asyncio.sleep(self._latency.apply + WAY)
        return await super().apply(task, effects)

    delete = apply


def described(resources: int, hosts: int) -> tuple[Targets, list[Resource]]:
    """Hosts with a folder, files and a command each, and an object in the cluster for each host."""
    from sabir.deployments.targets import Targets
    from sabir.graph.address import Address
    from sabir.resources.resource import Resource
    from sabir.resources.target import Target

    names = [f"host{number}" for number in range(hosts)]
    targets = [
        *(Target(name=name, driver="host") for name in names),
        Target(name="cluster", driver="cluster"),
    ]
    drivers: dict[str, Driver] = {name: SleepingDriver(name, latency) for name, latency in LATENCIES.items()}
    wanted: list[Resource] = []
    last = (resources - 1) // hosts
    for number in range(resources):
        host, part = names[number % hosts], number // hosts
        wanted.append(
            Resource(
                address=Address(f"{host}-{part}"),
                kind="thing",
                target="cluster" if part == last else host,
                desired={"value": number},
                requires=tuple(Address(f"{host}-{earlier}") for earlier in _before(part, last)),
            )
        )
    return Targets(targets, drivers), wanted


def _before(part: int, last: int) -> Sequence[int]:
    """The folder comes first, the command when all files are there, the object in the cluster at last."""
    if part == 0:
        return ()
    if part == last:
        return (part - 1,)
    return range(part) if part == last - 1 else (0,)


def deploy(resources: int, hosts: int, width: int) -> int:
    """A first deployment; how many steps were done."""
    from sabir.deployments.deployment import Deployer, DeployOptions, hold_environment
    from sabir.deployments.plan.build import build_plan
    from sabir.deployments.plan.decisions import PlanRequest
    from sabir.deployments.plan.document import plan_document
    from sabir.deployments.store.store import StateStore
    from sabir.resources.driver import DriverContext

    targets, wanted = described(resources, hosts)
    where = os.environ.get("SABIR_SITE_STATE") or f"{mkdtemp()}/state.db"
    store = StateStore.open(where, f"site-{os.getpid()}-{width}", create=True)
    context, options = DriverContext(), DeployOptions(parallel=width)
    with hold_environment(store, context, options) as writer:
        plan = build_plan(
            PlanRequest(
                environment="site",
                serial=0,
                wanted={str(each.address): targets.place(each) for each in wanted},
                records={},
                targets=targets,
                codec=store.codec,
            )
        )
        deployer = Deployer(store, writer, targets, context, options)
        result = deployer.deploy(plan, verb="deploy", document=plan_document(plan))
    store.close()
    return result.counts["done"]


def site(_folder: Path, size: int) -> Callable[[], int]:
    hosts = max(1, size // PER_HOST)
    return lambda: deploy(size, hosts, 50)


def generate(_size: int, _folder: Path) -> None:
    """The site is made in the process."""


WORKLOADS = (
    Workload(
        name="deploy-site",
        about="twenty resources on each host, fifty steps at once, drivers that sleep as real ones were measured to",
        sizes=(1_000, 10_000),
        generate=generate,
        sabir="benchmarks.site:site",
        tiny=40,
    ),
)


def measure() -> None:
    """What real targets take: connecting, reading and writing one small resource."""
    print(f"{'target':12} {'connect ms':>10} {'read ms':>8} {'apply ms':>9} {'CPU of connecting ms':>21}")
    from sabir.deployments.drivers.local import DRIVER as LOCAL

    root = mkdtemp()
    fields: dict[str, Value] = {"path": "d/{number}", "content": "text"}
    asyncio.run(_measure("local", LOCAL, {"root": root}, "file", fields))
    from tests.deployments.sshd import sshd, why_not

    if why_not() is None:
        from sabir.deployments.drivers.ssh.driver import DRIVER as SSH

        with sshd(Path(mkdtemp())) as server:
            asyncio.run(_measure("ssh", SSH, server.settings(mkdtemp()), "file", fields))
    kubeconfig = os.environ.get("KUBECONFIG")
    if kubeconfig is None:
        print("kubernetes   KUBECONFIG names no cluster")
        return
    from sabir.deployments.drivers.kubernetes.driver import DRIVER as KUBERNETES

    manifest: dict[str, Value] = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "site-{number}", "namespace": "default"},
        "data": {"key": "text"},
    }
    asyncio.run(
        _measure("kubernetes", KUBERNETES, {"kubeconfig": kubeconfig}, "kubernetes", {"manifest": manifest})
    )


async def _measure(
    name: str, driver: Driver, settings: Mapping[str, object], kind: str, fields: Mapping[str, Value]
) -> None:
    from sabir.graph.address import Address
    from sabir.resources.driver import DriverContext
    from sabir.resources.resource import Resource
    from sabir.resources.step import Action, Task
    from sabir.resources.target import Target
    from tests.deployments.drivers.quiet import NoEffects

    target = Target(name=name, driver=driver.name, settings=settings)  # type: ignore[arg-type]  # plain values
    context = DriverContext(state_folder=Path(mkdtemp()), environment="site")
    connecting: list[float] = []
    used = time.process_time()
    for _ in range(5):
        began = time.monotonic()
        async with driver.connect(target, context):
            connecting.append(time.monotonic() - began)
    cpu = (time.process_time() - used) / 5
    reads: list[float] = []
    applies: list[float] = []
    async with driver.connect(target, context) as connection:
        for number in range(50):
            desired = _numbered(fields, number)
            wanted = Resource(address=Address(f"r{number}"), kind=kind, target=name, desired=desired)
            task = Task(operation_id=f"op-{number}", action=Action.CREATE, resource=wanted)
            reads.append(await _timed(connection.read(wanted, None)))
            applies.append(await _timed(connection.apply(task, NoEffects())))
            await connection.delete(task, NoEffects())
    figures = [1000 * sorted(times)[len(times) // 2] for times in (connecting, reads, applies)]
    print(f"{name:12} {figures[0]:10.1f} {figures[1]:8.2f} {figures[2]:9.2f} {1000 * cpu:21.1f}")


def _numbered(value: Value, number: int) -> Any:
    """A value with the number in its texts."""
    if isinstance(value, Mapping):
        return {key: _numbered(inner, number) for key, inner in value.items()}
    return value.replace("{number}", str(number)) if isinstance(value, str) else value


async def _timed(work: Awaitable[object]) -> float:
    began = time.monotonic()
    await work
    return time.monotonic() - began


async def _look(resources: int, hosts: int) -> None:
    """Read everything once, as `plan --refresh` and `status` do."""
    from sabir.deployments.engine.connections import Connections
    from sabir.resources.driver import DriverContext

    targets, wanted = described(resources, hosts)

    async def read(connections: Connections, resource: Resource) -> None:
        connection = await connections.of(targets.place(resource))
        await connection.read(resource, None)

    async with Connections(DriverContext()) as connections:
        await asyncio.gather(*(read(connections, resource) for resource in wanted))


def main(resources: int = 10_000, hosts: int = 500) -> None:
    print(f"{resources:,} resources on {hosts} hosts and one cluster")
    print(f"{'':22} {'seconds':>8} {'CPU s':>7} {'MB':>5}")
    for width in WIDTHS:
        _show(f"deploy, {width} at once", partial(deploy, resources, hosts, width))
    _show("look at everything", lambda: asyncio.run(_look(resources, hosts)))


def _show(name: str, work: Callable[[], object]) -> None:
    began, used = time.monotonic(), time.process_time()
    done = work()
    seconds, cpu = time.monotonic() - began, time.process_time() - used
    held = usage.getrusage(usage.RUSAGE_SELF).ru_maxrss / 1000
    print(f"{name:22} {seconds:8.1f} {cpu:7.1f} {held:5.0f}" + (f"   {done} done" if done else ""))


if __name__ == "__main__":
    if sys.argv[1:] == ["measure"]:
        measure()
    else:
        main(*map(int, sys.argv[1:]))
