"""A driver in front of another: the same kinds, settings and differences; only connections are its own affair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sabir.resources.driver import Driver, Kind
from sabir.resources.fields import Field
from sabir.resources.outcome import Change, Reading
from sabir.resources.resource import Resource

__all__ = ["WrappingDriver"]


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

    def diff(self, resource: Resource, reading: Reading) -> Sequence[Change]:
        return self._driver.diff(resource, reading)
