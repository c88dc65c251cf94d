"""A deployment to be killed: many steps whose effects are lines in a folder, each looked up by its operation id.

python -m tests.deployments.victim WHERE FOLDER STEPS PARALLEL [blind]

The effect of a step is a new file with its operation id (made exclusively: a second one would be an error that is counted), and a
line in the log. With `blind` nothing can be looked up.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from sabir.deployments.deployment import Deployer, DeployOptions, hold_environment
from sabir.deployments.plan.build import build_plan
from sabir.deployments.plan.decisions import PlanRequest
from sabir.deployments.store.records import DeploymentState
from sabir.deployments.store.store import StateStore
from sabir.deployments.targets import Targets
from sabir.graph.address import Address
from sabir.resources.driver import Connection, DriverContext, Kind
from sabir.resources.effects import Effects
from sabir.resources.fields import Field
from sabir.resources.outcome import CompletionStatus, FieldChange, Observation, Outcome, ResourceReading
from sabir.resources.resource import Resource
from sabir.resources.step import Task
from sabir.resources.target import Target

__all__ = ["graph", "main"]


def graph(steps: int, seed: int = 7) -> list[Resource]:
    """Layers of ten, each step requiring up to three of the layer before."""
    choose = random.Random(seed)
    resources: list[Resource] = []
    for number in range(steps):
        layer = number // 10
        before = (
            [Address(f"s{choose.randrange((layer - 1) * 10, layer * 10)}") for _ in range(3)] if layer else []
        )
        resources.append(
            Resource(
                address=Address(f"s{number}"),
                kind="mark",
                desired={"value": str(number)},
                requires=tuple(dict.fromkeys(before)),
            )
        )
    return resources


class MarkDriver:
    name = "marks"

    def __init__(self, folder: Path, *, blind: bool) -> None:
        self.folder = folder
        self.blind = blind

    @property
    def kinds(self) -> Mapping[str, Kind]:
        return {"mark": Kind(about="a mark", fields={"value": Field(about="its value")})}

    def settings(self) -> Mapping[str, Field]:
        return {}

    def diff(self, resource: Resource, reading: ResourceReading) -> Sequence[FieldChange]:
        return []

    def connect(self, target: Target, context: DriverContext) -> AbstractAsyncContextManager[Connection]:
        return self._connected()

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Connection]:
        yield MarkConnection(self.folder, blind=self.blind)


class MarkConnection:
    def __init__(self, folder: Path, *, blind: bool) -> None:
        self.folder = folder
        self.blind = blind

    async def read(self, resource: Resource, target_id: str | None) -> ResourceReading:
        return ResourceReading(exists=True)

    async def apply(self, task: Task, effects: Effects) -> Outcome:
        await asyncio.sleep(random.random() * 0.002)
        log = os.open(self.folder / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(log, f"{task.resource.address} {task.operation_id}\n".encode())
        os.close(log)
        await asyncio.sleep(random.random() * 0.002)
        return Outcome()

    async def delete(self, task: Task, effects: Effects) -> Outcome:
        return Outcome()

    async def observe(self, task: Task) -> Observation:
        if self.blind:
            return Observation(sighting=CompletionStatus.CANNOT_TELL, look_at="the log")
        log = self.folder / "log"
        done = log.exists() and task.operation_id in log.read_text()
        return Observation(sighting=CompletionStatus.DONE if done else CompletionStatus.NOT_DONE)

    async def call(self, task: Task, operation: str, effects: Effects) -> Outcome:
        return Outcome()


def main(
    where: str, folder: Path, steps: int, parallel: int, *, blind: bool, wait: float = 0.0
) -> DeploymentState:
    targets = Targets([Target(name="here", driver="marks")], {"marks": MarkDriver(folder, blind=blind)})
    store = StateStore.open(where, "victim", create=True)
    context = DriverContext(environment="victim")
    options = DeployOptions(
        parallel=parallel, signals=True, wait=wait, watch=lambda _: (folder / "started").touch()
    )
    with hold_environment(store, context, options) as writer:
        deployer = Deployer(store, writer, targets, context, options)
        deployer.recover()
        plan = build_plan(
            PlanRequest(
                environment="victim",
                serial=store.serial(),
                wanted={str(each.address): targets.place(each) for each in graph(steps)},
                records=store.records(),
                targets=targets,
                codec=store.codec,
            )
        )
        result = deployer.deploy(plan, verb="deploy", document={})
        waits = bool(plan.waiting)
    store.close()
    if result.error is not None:
        print(result.error, file=sys.stderr)
    return DeploymentState.UNKNOWN if waits and result.state is DeploymentState.DONE else result.state


if __name__ == "__main__":
    place, directory, count, wide, *rest = sys.argv[1:]
    ended = main(
        place,
        Path(directory),
        int(count),
        int(wide),
        blind="blind" in rest,
        wait=60.0 if "wait" in rest else 0.0,
    )
    codes = {DeploymentState.DONE: 0, DeploymentState.INTERRUPTED: 130}
    sys.exit(codes.get(ended, 1))
