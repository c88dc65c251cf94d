"""Deploying: steps that do nothing, files, and plans.

The peers are Terraform (`--peer-python` of any Python; `terraform` is found on the PATH) and ansible-core in an environment of its
own. Files are compared as whole commands, start-up and all.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from shutil import copyfile
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from benchmarks.runner.workload import Workload

if TYPE_CHECKING:
    from sabir.deployments.targets import Targets
    from sabir.resources.driver import Connection, DriverContext, Kind
    from sabir.resources.effects import Effects
    from sabir.resources.fields import Field
    from sabir.resources.outcome import FieldChange, Observation, Outcome, ResourceReading
    from sabir.resources.resource import Resource
    from sabir.resources.step import Task
    from sabir.resources.target import Target

__all__ = ["WORKLOADS"]


def generate(size: int, folder: Path) -> None:
    """An environment of so many files."""
    (folder / "sabir.yaml").write_text(
        "name: bench\nparts: {files: {language: resources, path: files.yaml}}\n"
    )
    lines = (
        f"  f{number}: {{kind: file, fields: {{path: d/{number}, content: text {number}}}}}\n"
        for number in range(size)
    )
    (folder / "files.yaml").write_text("sabir: resources/1\nresources:\n" + "".join(lines))


def generate_nothing(_size: int, _folder: Path) -> None:
    """The steps are made in the process."""


class NothingDriver:
    """Does nothing, at once."""

    name = "nothing"

    @property
    def kinds(self) -> Mapping[str, Kind]:
        from sabir.resources.driver import Kind

        return {"nothing": Kind(about="nothing")}

    def settings(self) -> Mapping[str, Field]:
        return {}

    def diff(self, resource: Resource, reading: ResourceReading) -> Sequence[FieldChange]:
        return ()

    def connect(self, target: Target, context: DriverContext) -> AbstractAsyncContextManager[Connection]:
        return self._connected()

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Connection]:
        yield NothingConnection()


class NothingConnection:
    async def read(self, resource: Resource, target_id: str | None) -> ResourceReading:
        from sabir.resources.outcome import ResourceReading

        return ResourceReading(exists=True)

    async def apply(self, task: Task, effects: Effects) -> Outcome:
        from sabir.resources.outcome import Outcome

        return Outcome()

    delete = apply

    async def observe(self, task: Task) -> Observation:
        from sabir.resources.outcome import CompletionStatus, Observation

        return Observation(sighting=CompletionStatus.NOT_DONE)

    async def call(self, task: Task, operation: str, effects: Effects) -> Outcome:
        return await self.apply(task, effects)


def _targets() -> Targets:
    from sabir.deployments.targets import Targets
    from sabir.resources.target import Target

    return Targets([Target(name="here", driver="nothing")], {"nothing": NothingDriver()})


def _layers(size: int) -> list[Resource]:
    """Layers of a hundred, each step requiring three of the layer before."""
    from sabir.graph.address import Address
    from sabir.resources.resource import Resource

    def before(number: int) -> tuple[Address, ...]:
        layer = number // 100
        return (
            tuple(Address(f"s{(layer - 1) * 100 + (number + skip) % 100}") for skip in (0, 7, 31))
            if layer
            else ()
        )

    return [
        Resource(
            address=Address(f"s{number}"), kind="nothing", desired={"value": number}, requires=before(number)
        )
        for number in range(size)
    ]


def noop(_folder: Path, size: int) -> Callable[[], int]:
    """Walk steps that do nothing, with the journal on the disk."""
    from sabir.deployments.deployment import Deployer, DeployOptions, hold_environment
    from sabir.deployments.plan.build import build_plan
    from sabir.deployments.plan.decisions import PlanRequest
    from sabir.deployments.store.store import StateStore
    from sabir.resources.driver import DriverContext

    resources, targets = _layers(size), _targets()

    def deploy() -> int:
        store = StateStore.open(f"{mkdtemp()}/state.db", "bench", create=True)
        context, options = DriverContext(), DeployOptions()
        with hold_environment(store, context, options) as writer:
            plan = build_plan(
                PlanRequest(
                    environment="bench",
                    serial=0,
                    wanted={str(each.address): targets.place(each) for each in resources},
                    records={},
                    targets=targets,
                    codec=store.codec,
                )
            )
            deployer = Deployer(store, writer, targets, context, options)
            result = deployer.deploy(plan, verb="deploy", document={})
        store.close()
        return result.counts["done"]

    return deploy


def plan_large(_folder: Path, size: int) -> Callable[[], int]:
    """Plan for resources that are all new."""
    from sabir.deployments.plan.build import build_plan
    from sabir.deployments.plan.decisions import PlanRequest
    from sabir.deployments.plan.document import plan_document
    from sabir.deployments.store.store import StateStore

    resources, targets = _layers(size), _targets()

    def plan() -> int:
        store = StateStore.open(f"{mkdtemp()}/state.db", "bench")
        request = PlanRequest(
            environment="bench",
            serial=0,
            wanted={str(each.address): targets.place(each) for each in resources},
            records=store.records(),
            targets=targets,
            codec=store.codec,
        )
        document = plan_document(build_plan(request))
        store.close()
        return len(document["steps"])

    return plan


def _sabir(folder: Path, *words: str) -> int:
    """A whole command, start-up and all, with a state of its own."""
    command = [sys.executable, "-m", "sabir.cli", words[0], str(folder), *words[1:], "--quiet"]
    return subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode


def files(folder: Path, _size: int) -> Callable[[], int]:
    """`sabir deploy` of files that are not there yet."""
    fresh = _fresh(folder)

    def deploy() -> int:
        _sabir(fresh, "deploy", "--yes")
        return len([*(fresh / ".sabir/world/d").iterdir()])

    return deploy


def unchanged(folder: Path, _size: int) -> Callable[[], int]:
    """`sabir plan` when everything is as it should be."""
    fresh = _fresh(folder)
    _sabir(fresh, "deploy", "--yes")
    return lambda: _sabir(fresh, "plan")


def _fresh(folder: Path) -> Path:
    """The same environment, not deployed yet."""
    fresh = Path(mkdtemp())
    for file in Path(folder).glob("*.yaml"):
        copyfile(file, fresh / file.name)
    return fresh


_SIZES = (100, 1_000)

WORKLOADS = (
    Workload(
        name="deploy-noop",
        about="steps that do nothing, each with its intent and its end on the disk",
        sizes=(1_000, 10_000),
        generate=generate_nothing,
        sabir="benchmarks.deploy:noop",
        tiny=120,
    ),
    Workload(
        name="deploy-plan",
        about="a plan for resources that are all new",
        sizes=(10_000, 100_000),
        generate=generate_nothing,
        sabir="benchmarks.deploy:plan_large",
        tiny=120,
    ),
    Workload(
        name="deploy-files",
        about="`sabir deploy` of small files, `terraform apply` of as many that a shell writes",
        sizes=_SIZES,
        generate=generate,
        sabir="benchmarks.deploy:files",
        peer="terraform_peer.py:files",
    ),
    Workload(
        name="deploy-unchanged",
        about="`sabir plan` and `terraform plan` when there is nothing to do",
        sizes=_SIZES,
        generate=generate,
        sabir="benchmarks.deploy:unchanged",
        peer="terraform_peer.py:unchanged",
    ),
    Workload(
        name="deploy-files-ansible",
        about="the same files, and a play of ansible-core with one task for all of them",
        sizes=(20, 100),
        generate=generate,
        sabir="benchmarks.deploy:files",
        peer="ansible_peer.py:files",
    ),
    Workload(
        name="deploy-unchanged-ansible",
        about="the same play again, when nothing differs",
        sizes=(20, 100),
        generate=generate,
        sabir="benchmarks.deploy:unchanged",
        peer="ansible_peer.py:unchanged",
    ),
)
