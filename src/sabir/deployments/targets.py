"""Where resources are kept, and by which driver: targets by name, drivers from their entry points.

A driver in front of another: the same kinds, settings and differences; only connections are its own affair.

A driver for a target that this machine does not reach: it plans, and connects to nothing.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final, NoReturn, Protocol, cast

from msgspec import Struct

from sabir.diagnostics.suggestions import did_you_mean, join_names
from sabir.errors import DeployError, PluginError
from sabir.graph.values import Value
from sabir.plugins import DRIVERS, load_plugin, plugin_names
from sabir.resources.driver import Connection, Driver, DriverContext, Kind
from sabir.resources.fields import Field, field_problems
from sabir.resources.outcome import FieldChange, ResourceReading
from sabir.resources.resource import Resource
from sabir.resources.target import DEFAULT_TARGET, Target


class WrappingDriver:
    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    @property
    def name(self) -> str:
        return self._driver.name

    @property
    def kinds(self) -> Mapping[str, Kind]:
        return self._driver.kinds

    def settings(self) -> Mapping[str, Field]:
        return self._driver.settings()

    def diff(self, resource: Resource, reading: ResourceReading) -> Sequence[FieldChange]:
        return self._driver.diff(resource, reading)


def needs_workers(target: Target) -> str:
    return f"with the labels {', '.join(target.labels)} it needs workers: say where they are with --executor"


class UnreachedDriver(WrappingDriver):
    """Stands for the driver of a target with labels when there are no workers: the machine here is another one."""

    def connect(self, target: Target, context: DriverContext) -> AbstractAsyncContextManager[Connection]:  # noqa: ARG002  nothing is opened
        return _refuse_connection(target)


@asynccontextmanager
async def _refuse_connection(target: Target) -> AsyncGenerator[Connection]:
    raise DeployError(f"target {target.name!r}: {needs_workers(target)}")
    yield  # never: it is a generator all the same


_ANY: Final = "*"


class RemoteWorkers(Protocol):
    """Who reaches targets that this machine does not."""

    def labels(self) -> frozenset[str]: ...

    def serve(self, labels: tuple[str, ...]) -> bool:
        """Whether one of them has all of these labels."""
        ...

    def driver_at(self, driver: Driver, target: Target) -> Driver:
        """The driver with its connections where the target is reached."""
        ...


class PlacedResource(Struct, frozen=True, eq=False):
    """A resource with the target, driver and kind that its words mean."""

    resource: Resource
    target: Target
    driver: Driver
    kind: Kind


class PlacementError(DeployError):
    """A resource that no driver takes; `field` is what is wrong with it, when it is a field.

    `of_targets`: it is the targets that lack something, so that every resource of its kind has the same fault; `below_folder`:
    the target that takes it keeps things below a folder only, which is of that sort, too.
    """

    def __init__(
        self,
        message: str,
        *,
        field: str | None = None,
        hint: str | None = None,
        of_targets: bool = False,
        below_folder: bool = False,
    ) -> None:
        super().__init__(message)
        self.field = field
        self.hint = hint
        self.of_targets = of_targets or below_folder
        self.below_folder = below_folder


def default_target(root: str, *, here: bool = False) -> Target:
    """This machine: below a folder, or (`here`) as a whole."""
    settings: dict[str, Value] = {"root": "/" if here else root}
    return Target(name=DEFAULT_TARGET, driver="local", settings=settings, contained=not here)


class Targets:
    """The targets of an environment and the drivers of this installation."""

    def __init__(
        self,
        targets: Iterable[Target],
        drivers: Mapping[str, Driver] | None = None,
        *,
        workers: RemoteWorkers | None = None,
    ) -> None:
        """`drivers` stand in for those of the entry points."""
        self._workers = workers
        self.by_name = {target.name: target for target in targets}
        self._drivers: dict[str, Driver] = {**(drivers or {})}
        self._only_these = drivers is not None

    def driver(self, name: str) -> Driver:
        driver = self._drivers.get(name)
        if driver is None:
            driver = self._drivers[name] = self._load(name)
        return driver

    def _load(self, name: str) -> Driver:
        names = [*self._drivers] if self._only_these else plugin_names(DRIVERS)
        if name not in names:
            hint = did_you_mean(name, names) or f"there are {', '.join(names)}"
            raise PlacementError(f"there is no driver {name!r}", hint=hint)
        try:
            return cast("Driver", load_plugin(DRIVERS, name))
        except PluginError as error:
            raise PlacementError(str(error)) from error

    def target(self, name: str | None) -> Target:
        target = self.by_name.get(name or DEFAULT_TARGET)
        if target is None:
            hint = did_you_mean(name or "", self.by_name) or f"there are {join_names(self.by_name)}"
            raise PlacementError(f"there is no target {name!r}", hint=hint)
        return target

    def place(self, resource: Resource) -> PlacedResource:
        """The resource at its target; `Unplaced` says why it cannot be."""
        target = self._target_of(resource)
        driver = self.driver(resource.driver or target.driver)
        kind = self.kind(driver, resource.kind)
        if target.contained and not kind.contained:
            raise PlacementError(
                f"a {resource.kind} cannot be kept below a folder, and the default target takes nothing else",
                hint="name a target ({driver: local, root: /}) and give it to the resource, or deploy with --here",
                below_folder=True,
            )
        return PlacedResource(resource, target, self._wrap_driver(driver, target), kind)

    def place_recorded(self, resource: Resource, *, target: str, driver: str) -> PlacedResource:
        """A resource where it is recorded to be: whatever is wanted now, it is reached there."""
        named, recorded = self.target(target), self.driver(driver)
        return PlacedResource(
            resource, named, self._wrap_driver(recorded, named), self.kind(recorded, resource.kind)
        )

    def _wrap_driver(self, driver: Driver, target: Target) -> Driver:
        """The driver of a target where that is reached. One that a language brings stays with the description."""
        if driver.name != target.driver:
            return driver
        if self._workers is not None:
            return self._workers.driver_at(driver, target)
        return UnreachedDriver(driver) if target.labels else driver

    def _target_of(self, resource: Resource) -> Target:
        """The target that it names; else the default one, or for a kind that this does not have the one that takes it."""
        named = self.by_name.get(resource.at or "") if resource.target is None else None
        if named is not None and self._takes(named, resource.kind):
            return named
        default = self.target(resource.target)
        if resource.target is not None or resource.driver is not None or self._takes(default, resource.kind):
            return default
        fitting = [target for target in self.by_name.values() if self._takes(target, resource.kind)]
        if len(fitting) > 1:
            names = ", ".join(target.name for target in fitting)
            raise PlacementError(
                f"several targets take a {resource.kind}: {names}", hint="say which: target: NAME"
            )
        if not fitting:
            self._refuse_untaken(resource.kind, default)
        return fitting[0]

    def _refuse_untaken(self, kind: str, default: Target) -> NoReturn:
        names = [*self._drivers] if self._only_these else plugin_names(DRIVERS)
        takers = [name for name in names if kind in self._kinds(name)]
        if not takers:
            self.kind(self.driver(default.driver), kind)
        raise PlacementError(
            f"no target takes a {kind}",
            hint=f"name one in sabir.yaml: targets: {{NAME: {{driver: {' or '.join(takers)}}}}}",
            of_targets=True,
        )

    def _takes(self, target: Target, kind: str) -> bool:
        kinds = self._kinds(target.driver)
        return kind in kinds or _ANY in kinds

    def _kinds(self, driver: str) -> Mapping[str, Kind]:
        """What a driver takes; nothing, when it cannot be had: that is said of the target that names it."""
        try:
            return self.driver(driver).kinds
        except PlacementError:
            return {}

    @staticmethod
    def kind(driver: Driver, name: str) -> Kind:
        kind = driver.kinds.get(name) or driver.kinds.get(_ANY)
        if kind is None:
            hint = did_you_mean(name, driver.kinds) or f"it takes {', '.join(driver.kinds)}"
            raise PlacementError(f"the driver {driver.name} has no kind {name!r}", hint=hint)
        return kind

    def problems(self, target: Target) -> dict[str, str]:
        """What is wrong with the settings of a target, by setting."""
        try:
            problems = field_problems(self.driver(target.driver).settings(), target.settings)
        except PlacementError as error:
            return {"driver": f"{error}: {error.hint}" if error.hint else str(error)}
        missing = self._missing_labels(target)
        return problems if missing is None else {**problems, "labels": missing}

    def _missing_labels(self, target: Target) -> str | None:
        labels = target.labels
        if not labels:
            return None
        if self._workers is None:
            return needs_workers(target)
        offered = self._workers.labels()
        for label in labels:
            if label not in offered:
                near = did_you_mean(label, offered) or f"there are {join_names(sorted(offered)) or 'none'}"
                return f"no worker has the label {label}: {near}"
        return None if self._workers.serve(labels) else f"no worker has all of the labels {', '.join(labels)}"
