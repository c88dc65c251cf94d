"""Results of steps: records of resources, values for later steps, progress events and the result of a
deployment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from sabir.deployments.plan.steps import PlannedStep
from sabir.deployments.store.journal import Journal
from sabir.deployments.store.records import DeploymentState, Fact, RecordStatus, ResourceRecord, StepState
from sabir.deployments.store.seal import Codec
from sabir.deployments.store.writer import Write
from sabir.deployments.targets import PlacedResource
from sabir.graph.values import Value
from sabir.resources.outcome import Outcome
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task

_STATUS = {
    StepState.DONE: RecordStatus.PRESENT,
    StepState.NON_COMPLIANT: RecordStatus.PRESENT,
    StepState.FAILED: RecordStatus.FAILED,
    StepState.UNKNOWN: RecordStatus.UNKNOWN,
}


def results_by_address(resource: Resource, results: Mapping[str, Value]) -> dict[str, Value]:
    """Return step outputs by the address of the attribute that each becomes."""
    return {
        str(resource.results.get(name) or resource.address.of(name)): value for name, value in results.items()
    }


def build_step_record(
    step: PlannedStep,
    task: Task,
    state: StepState,
    outcome: Outcome,
    desired: str,
    codec: Codec,
) -> ResourceRecord:
    """Return the record of a resource after a step.

    After a failure or an unknown outcome the earlier record stays, as the best knowledge of what exists. Only
    the id is replaced if the target assigned one, since without it the resource could not be found again.
    """
    status = _STATUS[state]
    if not state.succeeded and step.record is not None:
        known_id = outcome.id if outcome.id is not None else step.record.id
        return replace(step.record, status=status, id=known_id)
    return replace(
        build_present_record(replace(step.placed, resource=task.resource), desired),
        status=status,
        id=outcome.id if outcome.id is not None else task.id,
        fields=None if outcome.fields is None else codec.write(outcome.fields),
    )


def build_present_record(placed: PlacedResource, desired: str) -> ResourceRecord:
    """Return the record of a resource that is in its desired state."""
    resource = placed.resource
    return ResourceRecord(
        address=str(resource.address),
        kind=resource.kind,
        target=placed.target.name,
        driver=placed.driver.name,
        status=RecordStatus.PRESENT,
        desired=desired,
        requires=tuple(str(address) for address in resource.requires),
        origin=None if resource.origin is None else str(resource.origin.location),
    )


class Observations:
    """Step outputs during a deployment, by attribute address; each belongs to a resource and is forgotten
    with it."""

    def __init__(self, journal: Journal, facts: Mapping[str, Fact]) -> None:
        self.values = journal.store.load_observations(facts)
        self._journal = journal
        self._owner: dict[str, str] = {}
        self._names: dict[str, set[str]] = {}
        for name, fact in facts.items():
            self._assign_owner(name, fact.address)

    @property
    def givers(self) -> Mapping[str, str]:
        """The address of the resource that reported each value."""
        return self._owner

    def _assign_owner(self, name: str, address: str) -> None:
        earlier = self._owner.get(name)
        if earlier is not None:
            self._names[earlier].discard(name)
        self._owner[name] = address
        self._names.setdefault(address, set()).add(name)

    def record_results(
        self, step: PlannedStep, resource: Resource, outcome: Outcome, position: int
    ) -> list[Write]:
        """Take over the outputs of a step, and return the writes for them.

        The outputs of a call are added to the known ones. Those of any other step replace all outputs of its
        resource, unless it changed nothing and reported nothing.
        """
        if not outcome.results and not outcome.changed:
            return []
        is_call = step.call is not None
        writes = [] if is_call else self.forget(step.address)
        for name, value in results_by_address(resource, outcome.results).items():
            owner = self._owner.get(name, step.address) if is_call else step.address
            self._assign_owner(name, owner)
            self.values.note(name, value)
            writes += self._journal.facts({name: value}, address=owner, step=step.key, position=position)
        return writes

    def forget(self, address: str) -> list[Write]:
        """Forget the outputs of a resource that was deleted or whose step ran again, and return the writes."""
        names = self._names.pop(address, None)
        if not names:
            return []
        for name in names:
            del self._owner[name]
            self.values.forget(name)
        return [self._journal.forget_facts(address)]


class ProgressEvent(Struct, frozen=True, kw_only=True):
    """Progress of a deployment, for display."""

    key: str | None
    state: str
    """The state that a step entered; `note` for a line of a program."""
    action: Action | None = None
    address: str | None = None
    kind: str | None = None
    message: str | None = None
    log: tuple[str, ...] = ()
    seconds: float | None = None
    """Time since the step started."""
    changed: bool = True


Watch = Callable[[ProgressEvent], None]


class DeploymentResult(Struct, frozen=True, kw_only=True):
    """The result of a deployment: its state, and the number of steps by their state."""

    number: int
    state: DeploymentState
    counts: Mapping[str, int]
    failures: tuple[tuple[str, str], ...] = ()
    """Keys of steps that failed or have an unknown outcome, each with its message."""
    error: str | None = None
    """Why the deployment as a whole had to stop."""
    results: Mapping[str, Mapping[str, Value]] = {}
    """Outputs of each call by the address of its resource."""


def merge_results(first: DeploymentResult, second: DeploymentResult) -> DeploymentResult:
    """Return the result of two waves of one deployment; state and error are those of the second."""
    counts = {
        state: first.counts.get(state, 0) + second.counts.get(state, 0)
        for state in dict.fromkeys((*first.counts, *second.counts))
    }
    return replace(
        second,
        counts=counts,
        failures=(*first.failures, *second.failures),
        results={**first.results, **second.results},
    )
