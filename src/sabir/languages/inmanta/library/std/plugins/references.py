"""References of `std`."""

from __future__ import annotations

import os
from typing import Any

from sabir.languages.inmanta.evaluate.plugins.engine.references import Reference
from sabir.languages.inmanta.library.std.plugins.registry import reference

__all__ = ["EnvironmentReference", "FactReference", "IntReference"]


@reference("std::Environment")
class EnvironmentReference(Reference[str]):
    """An environment variable of the deploying process."""

    def __init__(self, name: str | Reference[str]) -> None:
        self.name = name

    def resolve(self, logger: Any) -> str:
        name = self.resolve_other(self.name, logger)
        logger.debug("looking up the environment variable %(name)r", name=name)
        value = os.environ.get(name)
        if value is None:
            raise LookupError(f"the environment variable {name!r} is not set")
        return value

    def __repr__(self) -> str:
        return f"EnvironmentReference({self.name!r})"


@reference("std::IntReference")
class IntReference(Reference[int]):
    """The value of another reference as an integer."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def resolve(self, logger: Any) -> int:
        return int(self.resolve_other(self.value, logger))

    def __repr__(self) -> str:
        return f"IntReference({self.value!r})"


@reference("std::FactReference")
class FactReference(Reference[str]):
    """A fact that a resource reported."""

    def __init__(
        self, environment: str, resource_id: str, fact_name: str, mocked_facts: dict[str, Any] | None = None
    ) -> None:
        self.environment = environment
        self.resource_id = resource_id
        self.fact_name = fact_name
        self.mocked_facts = mocked_facts

    def resolve(self, logger: Any) -> str:
        logger.info("looking up the fact %(fact_name)r", fact_name=self.fact_name)
        value: str | None = self.__dict__.get("_facts", {}).get((self.resource_id, self.fact_name))
        if value is None:
            raise LookupError(f"{self.resource_id} has not told {self.fact_name!r} yet")
        return value

    def __repr__(self) -> str:
        return f"FactReference({self.resource_id}, {self.fact_name!r})"
