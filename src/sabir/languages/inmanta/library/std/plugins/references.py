"""References of std."""

from __future__ import annotations

from typing import Any

from sabir.languages.inmanta.evaluate.plugins.engine.references import Reference
from sabir.languages.inmanta.library.std.plugins.registry import reference

__all__ = ["FactReference"]


@reference("std::FactReference")
class FactReference(Reference[str]):
    """What a resource told about itself."""

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
