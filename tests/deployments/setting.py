"""An environment over the world of `fake`, deployed by the real engine into a real store."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from msgspec import Struct

from sabir.deployments.deployment import Deployer, DeployOptions, hold_environment
from sabir.deployments.engine.results import DeploymentResult, ProgressEvent
from sabir.deployments.plan.build import build_plan
from sabir.deployments.plan.decisions import PlanRequest
from sabir.deployments.plan.steps import Plan
from sabir.deployments.store.store import StateStore
from sabir.deployments.targets import Targets
from sabir.resources.driver import DriverContext
from sabir.resources.resource import Resource
from sabir.resources.target import Target
from tests.deployments.fake import World, WorldDriver

__all__ = ["Setting"]


class Setting(Struct):
    """Where things are deployed, again and again."""

    where: str
    world: World
    events: list[ProgressEvent] = []
    targets: tuple[Target, ...] = (Target(name="here", driver="world"),)
    environment: str = "test"
    options: dict[str, Any] = {}

    @staticmethod
    def at(folder: Path, **others: Any) -> Setting:
        return Setting(where=str(folder / "state.db"), world=World(), **others)

    def store(self, *, create: bool = True) -> StateStore:
        return StateStore.open(self.where, self.environment, create=create)

    def plan(self, resources: Iterable[Resource], store: StateStore | None = None, **others: Any) -> Plan:
        if store is None:
            with closing(self.store(create=False)) as opened:
                return self.plan(resources, opened, **others)
        targets = self.known_targets()
        records = store.records()
        return build_plan(
            PlanRequest(
                environment=self.environment,
                serial=store.serial(),
                wanted={str(wanted.address): targets.place(wanted) for wanted in resources},
                records=records,
                targets=targets,
                codec=store.codec,
                observed=store.load_observations(),
                **others,
            )
        )

    def known_targets(self) -> Targets:
        return Targets(self.targets, {"world": WorldDriver(self.world)})

    def deploy(self, *resources: Resource, **others: Any) -> DeploymentResult:
        store = self.store()
        context = DriverContext(environment=self.environment)
        options = DeployOptions(watch=self.events.append, **self.options)
        try:
            with hold_environment(store, context, options) as writer:
                deployer = Deployer(store, writer, self.known_targets(), context, options)
                deployer.recover()
                plan = self.plan(resources, store, **others)
                return deployer.deploy(plan, verb="deploy", document={})
        finally:
            store.close()
