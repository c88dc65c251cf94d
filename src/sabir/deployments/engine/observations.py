"""What steps gave back, while a deployment runs: values for the steps after them, and facts for the store."""

from __future__ import annotations

from collections.abc import Mapping

from sabir.deployments.engine.results import observed_results
from sabir.deployments.plan.steps import PlannedStep
from sabir.deployments.store.journal import Journal
from sabir.deployments.store.records import Fact
from sabir.deployments.store.writer import Write
from sabir.resources.outcome import Outcome
from sabir.resources.resource import Resource

__all__ = ["Observations"]


class Observations:
    """Values by the attribute's address; each goes with a resource, and is forgotten with it."""

    def __init__(self, journal: Journal, facts: Mapping[str, Fact]) -> None:
        self.values = journal.store.observed(facts)
        self._journal = journal
        self._owner: dict[str, str] = {}
        self._names: dict[str, set[str]] = {}
        for name, fact in facts.items():
            self._belongs(name, fact.address)

    @property
    def givers(self) -> Mapping[str, str]:
        """The address of the resource that gave each value."""
        return self._owner

    def _belongs(self, name: str, address: str) -> None:
        earlier = self._owner.get(name)
        if earlier is not None:
            self._names[earlier].discard(name)
        self._owner[name] = address
        self._names.setdefault(address, set()).add(name)

    def gave(self, step: PlannedStep, resource: Resource, outcome: Outcome, position: int) -> list[Write]:
        """A step is done. A call adds to what is known; any other step says everything that its resource gives, unless it found
        nothing to do and says nothing."""
        if not outcome.results and not outcome.changed:
            return []
        is_call = step.call is not None
        writes = [] if is_call else self.forget(step.address)
        for name, value in observed_results(resource, outcome.results).items():
            owner = self._owner.get(name, step.address) if is_call else step.address
            self._belongs(name, owner)
            self.values.note(name, value)
            writes += self._journal.facts({name: value}, address=owner, step=step.key, position=position)
        return writes

    def forget(self, address: str) -> list[Write]:
        """The resource is gone, or its step was taken again."""
        names = self._names.pop(address, None)
        if not names:
            return []
        for name in names:
            del self._owner[name]
            self.values.forget(name)
        return [self._journal.forget_facts(address)]
