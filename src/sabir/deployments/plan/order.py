"""The order of steps: a graph over their keys, without circles."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct

from sabir.deployments.plan.steps import PlannedStep
from sabir.deployments.store.records import ResourceRecord
from sabir.deployments.targets import PlacedResource
from sabir.errors import DeployError
from sabir.graph.order import strongly_connected, topological_order

_DELETION = "#delete"


class WaitingStep(Struct, frozen=True):
    address: str
    reason: str
    root: str
    """The blocked address that it waits for in the end."""


class StepOrder(Struct, frozen=True):
    keys: tuple[str, ...]
    """Of all steps, each after those it requires."""
    requires: Mapping[str, tuple[str, ...]]
    through: Mapping[str, tuple[str, ...]]
    """Resources without a step that pass the order on, with what they come after."""
    waiting: tuple[WaitingStep, ...]
    """Steps that were left out because what they require has to wait."""


def order_steps(
    wanted: Mapping[str, PlacedResource],
    records: Mapping[str, ResourceRecord],
    steps: Mapping[str, PlannedStep],
    blocked: Collection[str],
) -> StepOrder:
    """The order of the steps. `blocked` addresses are not touched, and neither is what requires them."""
    forward, through = _requirement_edges(wanted, steps)
    backward = _deletion_edges(records, steps)
    waiting, left = _without_blocked(wanted, records, steps, blocked)
    edges = {key: (*forward.get(key, ()), *backward.get(key, ())) for key in (*through, *left)}
    edges = {
        key: tuple(dict.fromkeys(other for other in others if other in left or other in through))
        for key, others in edges.items()
    }
    order = _sort_keys(edges) or _sort_keys(_drop_recorded_cycles(edges, forward)) or _raise_cycle(edges)
    return StepOrder(
        tuple(key for key in order if key in left),
        {key: edges[key] for key in left},
        {key: edges[key] for key in through},
        waiting,
    )


def _requirement_edges(
    wanted: Mapping[str, PlacedResource], steps: Mapping[str, PlannedStep]
) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """What each step comes after because it requires it, or reacts to it. Resources that need no step but stand above one
    that does pass the order on: directly when there is one step below them, by their own key when there are several."""
    edges: dict[str, tuple[str, ...]] = {}
    through: dict[str, tuple[str, ...]] = {}
    below: dict[str, tuple[str, ...]] = {}
    for address in _by_requirement(wanted):
        resource = wanted[address].resource
        before = [
            key for other in (*resource.requires, *resource.reacts_to) for key in below.get(str(other), ())
        ]
        unique = tuple(dict.fromkeys(before))
        if address in steps:
            gone = (address + _DELETION,) if address + _DELETION in steps else ()
            edges[address] = (*unique, *gone)
            below[address] = (address,)
        elif len(unique) > 1:
            through[address] = edges[address] = unique
            below[address] = (address,)
        else:
            below[address] = unique
    return edges, through


def _by_requirement(wanted: Mapping[str, PlacedResource]) -> Iterable[str]:
    """All addresses, each after what it requires."""
    names = [*wanted]
    number = {name: position for position, name in enumerate(names)}
    after: list[list[int]] = [[] for _ in names]
    for position, placed in enumerate(wanted.values()):
        for other in (*placed.resource.requires, *placed.resource.reacts_to):
            required = number.get(str(other))
            if required is not None:
                after[required].append(position)
    order = topological_order(after)
    if order is None:
        circle = next(
            group for group in strongly_connected(after) if len(group) > 1 or group[0] in after[group[0]]
        )
        raise DeployError(f"these require each other: {', '.join(names[position] for position in circle)}")
    return [names[position] for position in order]


def _deletion_edges(
    records: Mapping[str, ResourceRecord], steps: Mapping[str, PlannedStep]
) -> dict[str, list[str]]:
    """A deletion comes after the deletion of what requires it, and after the step that makes something require it no more."""
    edges: dict[str, list[str]] = {}
    for address, record in records.items():
        gone = address + _DELETION if address + _DELETION in steps else None
        step = steps.get(address)
        user = gone or (address if step is not None else None)
        if user is None:
            continue
        for other in record.requires:
            deletion = steps.get(other + _DELETION)
            # A replacement keeps its address: who goes on using it comes after its creation, not before its end.
            if deletion is not None and (gone is not None or not deletion.replaces):
                edges.setdefault(deletion.key, []).append(user)
    return edges


def _without_blocked(
    wanted: Mapping[str, PlacedResource],
    records: Mapping[str, ResourceRecord],
    steps: Mapping[str, PlannedStep],
    blocked: Collection[str],
) -> tuple[tuple[WaitingStep, ...], Mapping[str, PlannedStep]]:
    if not blocked:
        return (), steps
    users: dict[str, list[str]] = {}
    for address, placed in wanted.items():
        for required in placed.resource.requires:
            users.setdefault(str(required), []).append(address)
    waits: dict[str, WaitingStep] = {}
    queue = [*blocked]
    for address in queue:
        root = waits[address].root if address in waits else address
        for user in users.get(address, ()):
            if user not in waits and user not in blocked:
                waits[user] = WaitingStep(user, f"it requires {address}", root)
                queue.append(user)
    left = {key: step for key, step in steps.items() if step.address not in waits}
    kept = [*blocked, *waits]
    for address in kept:  # what a blocked resource rests on stays as well
        for used in records[address].requires if address in records else ():
            if left.pop(used + _DELETION, None) is not None:
                root = waits[address].root if address in waits else address
                waits[used] = WaitingStep(used, f"{address} requires it", root)
                kept.append(used)
    shown = tuple(each for each in waits.values() if _has_step(steps, each.address))
    return shown, left


def _has_step(steps: Mapping[str, PlannedStep], address: str) -> bool:
    return address in steps or address + _DELETION in steps


def _sort_keys(edges: Mapping[str, Sequence[str]]) -> list[str]:
    names = [*edges]
    number = {name: position for position, name in enumerate(names)}
    after: list[list[int]] = [[] for _ in names]
    for name, others in edges.items():
        for other in others:
            after[number[other]].append(number[name])
    order = topological_order(after)
    return [names[position] for position in order] if order is not None else []


def _drop_recorded_cycles(
    edges: dict[str, tuple[str, ...]], forward: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """Between what was and what is wanted there can be circles that neither has; what is wanted wins."""
    for key, others in edges.items():
        if key.endswith(_DELETION):
            edges[key] = tuple(
                other for other in others if other.endswith(_DELETION) or other in forward.get(key, ())
            )
    return edges


def _raise_cycle(edges: Mapping[str, Sequence[str]]) -> list[str]:
    if not edges:
        return []
    raise DeployError(f"there is no order for these steps: {', '.join(edges)}")
