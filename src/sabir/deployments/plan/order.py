"""The order of steps: an acyclic graph over their keys.

Two kinds of edges are combined. Forward edges come from the project: a step comes after the steps of what it
requires or reacts to. Backward edges come from the records: a deletion comes after the deletion, or the
update, of what used it. Both graphs are acyclic, but together they may contain cycles, which
`_drop_recorded_cycles` breaks in favor of the project.
"""

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
    """A step that is left out because something it requires has to wait."""

    address: str
    reason: str
    root: str
    """The blocked address that it waits for in the end."""


class StepOrder(Struct, frozen=True):
    """Steps in order, the edges between them, and the steps that were left out."""

    keys: tuple[str, ...]
    """Keys of all steps, each after those it requires."""
    requires: Mapping[str, tuple[str, ...]]
    through: Mapping[str, tuple[str, ...]]
    """Resources without a step that pass the order on, with what they come after."""
    waiting: tuple[WaitingStep, ...]
    """Steps that were left out because something they require has to wait."""


def order_steps(
    wanted: Mapping[str, PlacedResource],
    records: Mapping[str, ResourceRecord],
    steps: Mapping[str, PlannedStep],
    blocked: Collection[str],
) -> StepOrder:
    """Return the order of the steps.

    `blocked` addresses get no step, and neither does what requires them. Raises `DeployError` for a cycle.
    """
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
    """Return what each step comes after because it requires it or reacts to it, and the nodes that pass the
    order on.

    A resource without a step passes the order on between the steps around it. With one step before it that
    step is used directly. With several, the resource becomes a node of its own: n steps before m steps need n
    + m edges.
    """
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
    """Return all addresses, each after what it requires. Raises `DeployError` that names the members of a
    cycle."""
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
    """Return what each deletion comes after: the deletion of what requires it, or the step that removes the
    requirement."""
    edges: dict[str, list[str]] = {}
    for address, record in records.items():
        gone = address + _DELETION if address + _DELETION in steps else None
        step = steps.get(address)
        user = gone or (address if step is not None else None)
        if user is None:
            continue
        for other in record.requires:
            deletion = steps.get(other + _DELETION)
            # A replacement keeps its address: a resource that still uses it is updated after its creation,
            # by a forward edge. An edge to the deletion as well would be a cycle.
            if deletion is not None and (gone is not None or not deletion.replaces):
                edges.setdefault(deletion.key, []).append(user)
    return edges


def _without_blocked(
    wanted: Mapping[str, PlacedResource],
    records: Mapping[str, ResourceRecord],
    steps: Mapping[str, PlannedStep],
    blocked: Collection[str],
) -> tuple[tuple[WaitingStep, ...], Mapping[str, PlannedStep]]:
    """Return the steps that have to wait, and the others."""
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
    # A blocked resource stays, so whatever it requires must stay as well.
    for address in kept:
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
    """Return the keys in order; an empty list if there is a cycle."""
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
    """Drop the edges from deletions to other steps that only the records ask for.

    Project and records can form a cycle together although neither has one, such as `a` required `b` and `b`
    now requires `a`. The project wins. Edges between deletions stay: the records alone have no cycle.
    """
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
